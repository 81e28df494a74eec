"""Renames in the indexes of small projects."""

from renames import rename

__all__ = ["rename"]
