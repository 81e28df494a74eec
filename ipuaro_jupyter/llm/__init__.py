"""Language models: what the agent needs of one, and the settings of the one it asks."""

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.record import Record


class LlmSettings(Record):
    """Which model is asked, and how.

    ``context_window`` is in tokens and always sent: Ollama's own default is a few thousand.
    ``host`` None means ``OLLAMA_HOST``, else this machine. ``timeout`` (milliseconds) is how long
    the server may be silent; loading a big model from a slow disk takes minutes.
    ``use_native_tools`` None means: if the model can. ``keep_alive`` is how long the server keeps
    the model loaded ("10m"); None leaves that to the server.
    """

    model: str = Field(default="qwen2.5-coder:7b-instruct", min_length=1)
    host: str | None = None
    context_window: int = Field(default=32_768, ge=1024)
    temperature: float = Field(default=0.1, ge=0, le=2)
    timeout: int = Field(default=300_000, ge=1)
    use_native_tools: bool | None = None
    keep_alive: str | None = None


class Chunk(Record):
    """A piece of a model's reply as it arrives. Usage comes with the last one."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    phase: Literal["loading", "generating"] | None = None


class Model(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """The model's name as the user knows it."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and reply may take together."""
        ...

    @property
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas; else the prompt has to describe the tools."""
        ...

    def check(self) -> None:
        """Return when the model can be asked.

        Raises:
            ModelError: It cannot; the message holds the commands that fix it.
        """
        ...

    def prepare(self, cancel: CancelToken) -> None:
        """Find out what the model can do, before a turn.

        ``context_tokens`` and ``native_tools`` do not wait for anything afterwards.

        Raises:
            Cancelled: The token was set; at once, also while the model is silent.
            ModelError: The model cannot be reached.
        """
        ...

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the reply to the conversation, piece by piece.

        Raises:
            Cancelled: The token was set; at once, also while the model is silent.
            ModelError: The model cannot be reached or broke off.
        """
        ...

    def close(self) -> None:
        """Give back what the model holds; it may be asked again all the same."""
        ...
