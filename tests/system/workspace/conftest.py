"""Real project folders, and one real Redis for all tests of the room."""

from workspaces import empty, git, open_workspace, opened, room_store

__all__ = ["empty", "git", "open_workspace", "opened", "room_store"]
