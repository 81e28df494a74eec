"""The index in Redis, kept equal to the disk: files in, rows out.

Scans, parses what changed (in workers above a size), resolves imports, writes in batches and reads
single rows back. Doors: ``stored`` (reading rows), ``reading`` (texts with their facts), ``fresh``
(rows as true as the disk), ``upkeep`` (bringing the index up to date), ``snapshots`` (one state for
a whole answer), ``progress`` and ``index_settings``.
"""
