"""Models behind an OpenAI-compatible API: the only door to its package.

Doors: `OpenAiModel`, the `ApiKey` that it may be given, and `is_one_server`.
"""

from ipuaro_jupyter.llm.openai.api_key import ApiKey
from ipuaro_jupyter.llm.openai.openai_model import PREFIX, OpenAiModel
from ipuaro_jupyter.llm.openai.server_address import is_one_server

__all__ = ["PREFIX", "ApiKey", "OpenAiModel", "is_one_server"]
