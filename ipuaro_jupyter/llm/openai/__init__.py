"""Models behind an OpenAI-compatible API: the only door to its package.

Doors: `OpenAiModel`, and the `ApiKey` that it may be given.
"""

from ipuaro_jupyter.llm.openai.api_key import ApiKey
from ipuaro_jupyter.llm.openai.openai_model import PREFIX, OpenAiModel

__all__ = ["PREFIX", "ApiKey", "OpenAiModel"]
