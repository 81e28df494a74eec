"""Files as a graph: stored edges in, ranks, components, roles and sections of the map out.

Doors: ``dependency_graph`` and ``nodes`` (the import graph), ``survey`` (a summary of the whole
project), ``page_rank``, ``mentions``, ``outline`` and ``map_sections`` (the parts of the project
map); for ``relations`` and ``retrieval`` also ``file_roles`` (tests,
configuration) and ``words`` (the ordinary ones of questions).
"""
