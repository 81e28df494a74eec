"""Extraction: the bytes of one file in, its facts and postings out.

Knows no disk, no Redis and no other file, so that workers can run it. Each language family has a
room of its own: ``ecmascript``, ``python``, ``data`` (JSON, YAML), ``notebooks``. Doors: ``parse``
(bytes to facts), ``batches`` (many files in one call), ``parsed_file`` (what a worker sends back),
``facts_format``, ``symbols`` and ``postings`` (the stored forms). Binding looks again at single
syntax trees through ``scope_stack``, ``ecmascript.scopes``, ``ecmascript.binder``,
``ecmascript.signatures``, ``python.python_extractor`` and ``notebooks.notebook_code``; the tools
read cells through ``notebooks.notebook_cells``.
"""
