"""A folder for PYTHONPATH: what a Python runs first in a copy of a project."""
