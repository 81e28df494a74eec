"""Notebooks: a file's JSON in, its code cells out as one Python source with a line map."""
