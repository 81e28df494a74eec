"""Projects for tools."""

from agents import project_in

__all__ = ["project_in"]
