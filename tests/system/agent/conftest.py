"""Projects for tools, and servers of MCP."""

from agents import ollama_server, project_in
from opened_mcp import opened, pids

__all__ = ["ollama_server", "opened", "pids", "project_in"]
