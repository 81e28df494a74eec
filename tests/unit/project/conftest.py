"""Real project folders, and one real Redis for all tests of the room."""

from searches import find
from workspaces import open_workspace, opened, room_store

__all__ = ["find", "open_workspace", "opened", "room_store"]
