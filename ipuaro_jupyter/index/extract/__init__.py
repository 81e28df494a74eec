"""Extraction: the bytes of one file in, its facts and postings out.

Nothing here touches the disk, Redis or any other file, so workers can run it. Each language family
has a room of its own: ``ecmascript``, ``python``, ``grammar`` (languages that their query
describes), ``data`` (JSON, YAML), ``notebooks``. Doors:
``parse`` (bytes to facts), ``batches`` (many files in one call), ``parsed_file`` (what a worker
sends back), ``facts_format``, ``symbols``, ``postings`` and ``file_words`` (the stored forms),
``split_words`` (names and sentences as words). Binding revisits
single syntax trees through ``scope_stack``, ``ecmascript.scopes``, ``ecmascript.binder``,
``ecmascript.signatures``, ``python.python_extractor`` and ``notebooks.notebook_code``; the tools
read cells through ``notebooks.cell_lines``.
"""
