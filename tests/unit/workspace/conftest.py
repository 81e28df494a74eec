"""Real project folders, and one real Redis for all tests of the room."""

from workspaces import answer, commit, empty, git, open_workspace, opened, room_store

__all__ = ["answer", "commit", "empty", "git", "open_workspace", "opened", "room_store"]
