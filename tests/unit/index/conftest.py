"""Indexes of small projects, on one real Redis."""

from indexes import (
    change_disk,
    contents,
    functions_of,
    make_index,
    money,
    open_index,
    read_facts,
    resolve,
    staged,
    uses,
)

__all__ = [
    "change_disk",
    "contents",
    "functions_of",
    "make_index",
    "money",
    "open_index",
    "read_facts",
    "resolve",
    "staged",
    "uses",
]
