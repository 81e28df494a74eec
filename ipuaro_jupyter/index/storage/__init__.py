"""The index in Redis, kept equal to the disk: files in, rows out.

Scans, parses what changed (in workers above a size), resolves imports, writes in batches and reads
single rows back. Doors: ``stored_index`` (reading rows), ``project_reader`` (texts with their
facts), ``fresh_reads`` (rows as true as the disk), ``sync`` (bringing the index up to date),
``snapshots`` (one state for a whole answer), ``indexing_progress`` and ``index_settings``.
"""
