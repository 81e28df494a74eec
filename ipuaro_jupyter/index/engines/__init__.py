"""Parsing on the engines of a cluster: texts as bytes out, rows of the index as bytes back.

``engine_task`` runs on an engine, which may be on another machine and sees no file of the project.
``clusters`` opens the executors of Dask and ipyparallel. ``engine_executor`` gives the batches out,
and those that an engine does not parse to processes of our own. Door: ``engines``, which opens what
the settings say.
"""
