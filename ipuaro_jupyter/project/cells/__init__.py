"""Cells of a notebook file: its bytes in, those after a change of one cell out.

Doors: ``cell_bytes`` (where the cells stand) and ``changed_cells`` (the new bytes).
"""
