"""Files as a graph: stored edges in, ranks, components, roles and the parts of the map out.

Doors: ``dependency_graph`` and ``nodes`` (the import graph), ``survey`` (one look at the whole
project), ``page_rank``, ``mentions``, ``outline`` and ``map_sections`` (what the project map is
made of).
"""
