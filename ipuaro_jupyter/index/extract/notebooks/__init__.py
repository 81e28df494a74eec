"""Notebooks: a file's JSON in, its code cells as one Python source with a map of lines out."""
