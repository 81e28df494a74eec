"""Real project folders, and one real Redis for all tests of the room."""

from workspaces import open_workspace, opened, room_store

__all__ = ["open_workspace", "opened", "room_store"]
