"""Projects for tools, and a server of models."""

from agents import ollama_server, project_in

__all__ = ["ollama_server", "project_in"]
