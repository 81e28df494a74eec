"""The kernel's cells, errors and values, read without running code of the user."""
