"""Searches and test runs over the project, the bytes of its notebooks, and printed errors."""
