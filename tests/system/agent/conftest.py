"""Projects for tools, and servers of MCP."""

from agents import project_in
from opened_mcp import opened, pids

__all__ = ["opened", "pids", "project_in"]
