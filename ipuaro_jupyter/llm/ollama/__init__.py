"""Models that an Ollama server runs: the only door to its package."""

from ipuaro_jupyter.llm.ollama.model import OllamaModel

__all__ = ["OllamaModel"]
