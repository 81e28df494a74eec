"""No model: the index answers alone."""

from collections.abc import Iterator, Sequence
from typing import NoReturn

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import NoReplyLeft
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, ToolSchema
from ipuaro_jupyter.records.events import PullProgress

NONE = "none"
ALONE = (
    'No model is used (`llm.model` is "none"). The index answers questions about the code by '
    "itself; for all else choose a model: `%ipuaro model NAME`."
)


class NoModel:
    """Stands where a model would; whoever asks it is told how to choose one."""

    name = NONE
    context_tokens = 32_768
    native_tools = False
    remote_host = None

    def check(self) -> None:
        """Raise NoReplyLeft."""
        _refuse()

    def models(self, *, within_s: float = 10.0) -> tuple[str, ...]:
        """No names."""
        del within_s
        return ()

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Raise NoReplyLeft."""
        del cancel
        _refuse()

    def prepare(self, cancel: CancelToken) -> None:
        """Raise NoReplyLeft."""
        del cancel
        _refuse()

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Raise NoReplyLeft."""
        del messages, tools, cancel
        _refuse()

    def close(self) -> None:
        """Do nothing."""


def _refuse() -> NoReturn:
    raise NoReplyLeft(ALONE)
