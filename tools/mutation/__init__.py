"""Mutation testing: single faults in the code, and whether a test notices; see `tools/mutants.py`."""
