"""Projects for tools, conversations that are held, and a server of models."""

from agents import ollama_server, project_in
from held_conversations import hold

__all__ = ["hold", "ollama_server", "project_in"]
