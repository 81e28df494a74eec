"""Places and renames in the indexes of small projects."""

from indexes import places
from renames import rename

__all__ = ["places", "rename"]
