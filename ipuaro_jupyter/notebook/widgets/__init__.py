"""Live controls: a Python class and its static files for each, no build."""
