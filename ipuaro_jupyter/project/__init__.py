"""Searches and test runs over the project: ``search`` and ``project_tests``."""
