"""Parsing on the engines of a cluster: texts as bytes out, rows of the index as bytes back.

``engine_task`` runs on an engine, which may be on another machine and sees no file of the project.
``cluster`` names what the two libraries have in common, ``ipyparallel_cluster`` and
``dask_cluster`` are their doors. ``engine_executor`` gives the batches out, and those that an
engine does not parse to processes of our own. Door: ``engines``, which opens what the settings say.
"""
