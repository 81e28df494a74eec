"""Parsing on the engines of a cluster: texts as bytes out, rows of the index as bytes back.

``engine_task`` runs on an engine, which may be on another machine and sees no file of the project.
``clusters`` opens the executors of Dask and ipyparallel. Door: ``engines``, which gives the batches
out as the settings say, and those that an engine does not parse to processes of our own.
"""
