"""Searches and test runs over the project, and the bytes of its notebooks."""
