"""Module resolution: an import specifier and the importing file in, a file of the project out.

A port of TypeScript's algorithm, and Python's beside it, over a set of paths; it reads no disk
itself. Doors: ``resolver`` (the resolver), ``project_paths`` (the set of paths it looks in),
``candidates`` (package entries) and ``python_roots`` (where absolute Python imports start).
"""
