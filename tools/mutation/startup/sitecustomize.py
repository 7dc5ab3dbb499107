"""Lets every Python process of a watched run note what it reaches: Python imports this file as it starts."""

import os

if "MUTATION_NOTES" in os.environ:
    import mutation_watch

    mutation_watch.start()
