"""Models that an Ollama server runs: the only door to its package."""

from ipuaro_jupyter.llm.ollama.ollama_model import OllamaModel

__all__ = ["OllamaModel"]
