"""Indexes of small projects, on one real Redis."""

from indexes import make_index, open_index

__all__ = ["make_index", "open_index"]
