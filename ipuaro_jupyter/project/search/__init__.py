"""Text search: a pattern and a folder in, matching lines or paths out.

Doors: ``search`` (grep), ``search_result`` (its results), ``glob_patterns`` (lists of path
patterns), ``files_in`` (files of a folder) and ``nearest_lines`` (the lines most like a text).
"""
