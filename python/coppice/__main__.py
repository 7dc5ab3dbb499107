"""`python -m coppice` is the command line."""

from coppice.cli import main

main()
