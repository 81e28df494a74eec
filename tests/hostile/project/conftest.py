"""Real project folders, on one real Redis."""

from searches import find
from workspaces import (
    open_workspace,
    opened,
    room_store,
)

__all__ = [
    "find",
    "open_workspace",
    "opened",
    "room_store",
]
