"""Indexes of small projects, on one real Redis."""

from indexes import (
    change_disk,
    contents,
    make_index,
    money,
    open_index,
    read_facts,
)

__all__ = [
    "change_disk",
    "contents",
    "make_index",
    "money",
    "open_index",
    "read_facts",
]
