"""Real project folders, on one real Redis."""

from workspaces import (
    open_workspace,
    opened,
    room_store,
)

__all__ = [
    "open_workspace",
    "opened",
    "room_store",
]
