"""Module resolution: an import specifier and the importing file in, a file of the project out.

A port of TypeScript's algorithm, and Python's beside it, over a set of paths; it never reads the
disk itself. Doors: ``resolver`` (the resolver), ``project_paths`` (paths and globs), ``candidates``
(the existing files a path may mean), ``lookups`` (the changes that may alter a result),
``python_roots`` (where absolute Python imports start), ``module_kinds`` (which files are modules)
and, for ``relations``, ``jsonc`` (JSON with comments) and ``export_maps`` (the targets of
``exports`` and ``imports``). ``installed`` looks packages up by the parts of TypeScript's
algorithm: ``bundler_search``, ``folder_search``, ``module_search``, ``packages``, ``resolution``,
``tsconfig``.
"""
