"""The index in Redis, kept equal to the disk: files in, rows out.

Scans the project, parses changed files (in workers above a certain size), resolves imports, writes
in batches and reads single rows back. Doors: ``stored_index`` (reading rows), ``project_reader``
(texts with their facts), ``fresh_reads`` (rows checked against the disk), ``sync`` (bringing the
index up to date), ``snapshots`` (one state for one whole result), ``questions`` (what an answer may
lack), ``rebuilding`` (damage), ``workers`` (processes), ``index_format`` (whether two make the same
index), ``spare_worker`` (one process that is kept), ``indexing_progress`` and
``index_settings``.
"""
