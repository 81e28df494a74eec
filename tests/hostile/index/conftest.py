"""Indexes of small projects, on one real Redis."""

from indexes import (
    make_index,
    open_index,
    read_facts,
)

__all__ = [
    "make_index",
    "open_index",
    "read_facts",
]
