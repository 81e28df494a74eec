"""The only door to the project's disk and to processes."""
