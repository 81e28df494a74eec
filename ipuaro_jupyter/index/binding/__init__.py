"""Name binding: an occurrence of a name in, its declaration out, across files.

Follows imports, re-exports, scopes and the types of expressions (``inference``). Doors:
``uses`` (of a symbol), ``renaming`` (the edits that rename one), ``new_names``, ``definitions``,
``reference_cache`` and ``text_cache`` (caches between lookups); for ``relations`` also
``imports_and_exports`` (of a file) and ``function_nodes`` (what functions return), for
``installed`` the former and ``alias_resolver``.
"""
