"""A text that a model writes: asked for, read, and asked for again with what is wrong with it."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import NamedTuple, Protocol

from ipuaro_jupyter.agent.answering.choices import Ask
from ipuaro_jupyter.agent.answering.index_first import IndexFirst
from ipuaro_jupyter.agent.changing.placed_edits import PlacedEdits
from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.llm.wishes import Sampling
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.events import Event, Noticed

UNCHANGED = "The reply changes nothing."
_LIKELIEST = Sampling(temperature=0)
_MOST_TRIES, _MOST_SAMPLED_S = 2, 120
_AGAIN = "{problem} Write the whole declaration{name} with that mended, in one code fence."
_WHICH = (
    "That is the old text, which is not what is asked for. Say in one sentence which line has to "
    "change, and how."
)


class ReadText(NamedTuple):
    """A new text, ready to be proposed, or why there is none.

    Attributes:
        reply: The reply that holds it.
        after: The file with it.
        call: The call of a tool that makes the change; None where there is a problem.
        problem: What is wrong with the reply, for the model.
        changed: The edits that the reply holds instead of a whole declaration.
        failed: The examples in the documentation that fail with it; "" as far as is known.
    """

    reply: Reply
    after: bytes = b""
    call: ToolCall | None = None
    problem: str = ""
    changed: PlacedEdits | None = None
    failed: str = ""

    @property
    def told(self) -> str:
        """What is wrong, a sentence."""
        return self.problem or f"With it, examples in the documentation fail:\n{self.failed}\n"


class WantedText(Protocol):
    """What a model is to write, and how that is told."""

    @property
    def told(self) -> str:
        """What is changed, for the user."""

    def written(self, reason: str) -> Generator[Event, None, ReadText]:
        """Have it written, anew where the last one was rejected for a reason."""

    def changed(self, written: ReadText) -> str:
        """What is said of it once it is applied."""


class TextWriter:
    """Asks a model for a text.

    Args:
        first: The index.
        ask: Sends a request.
    """

    def __init__(self, first: IndexFirst, ask: Ask) -> None:
        self.first = first
        self.ask = ask

    def written(
        self,
        messages: Sequence[Message],
        read: Callable[[Reply], ReadText],
        *,
        name: str = "",
        failed: Callable[[bytes], str] | None = None,
    ) -> Generator[Event, None, ReadText]:
        """A text that can be read, and with which the examples in its documentation hold.

        What is wrong with one goes back to the model once. Where examples tell, others follow.

        Args:
            messages: The request.
            read: Reads a reply.
            name: What is written; "" where that has no name yet.
            failed: Tells which of the examples fail with a text of the file; None for no examples.
        """
        until_s = time.monotonic() + _MOST_SAMPLED_S
        asked, kept = messages, ReadText(Reply())
        for number in range(_MOST_TRIES + self.first.samples * (failed is not None)):
            is_sample = number >= _MOST_TRIES
            if is_sample and time.monotonic() > until_s:
                break
            sampling = None if is_sample else _LIKELIEST
            wanted = AskedFor(has_tools=False, is_shown=False, by_card=is_sample, sampling=sampling)
            reply = yield from self.ask(messages if is_sample else asked, wanted)
            try:
                written = read(reply)
            except (ToolError, ParsingTooSlow) as error:
                written = ReadText(reply, problem=f"{error}")
            if written.call is not None:
                told = "" if failed is None else failed(written.after)
                written = written._replace(failed=told)
                if not told:
                    return written
            kept = written if kept.call is None else kept
            if not number:
                yield Noticed(text=f"{written.told} It is asked once more.")
                asked = yield from self._again(name, written, messages)
        if kept.failed:
            yield Noticed(text=kept.told, level="warning")
        return kept

    def _again(
        self, name: str, written: ReadText, messages: Sequence[Message]
    ) -> Generator[Event, None, list[Message]]:
        """The request for another text; of one that changed nothing, the model first says more."""
        wrong = written.told
        if written.problem == UNCHANGED:
            messages = [*messages, *said(written.reply, _WHICH)]
            wanted = AskedFor(has_tools=False, is_shown=False, sampling=_LIKELIEST)
            reply = yield from self.ask(messages, wanted)
            written, wrong = ReadText(reply), ""
        told = _AGAIN.format(problem=wrong, name=f" `{name}`" if name else "").lstrip()
        return [*messages, *said(written.reply, told)]


def said(reply: Reply, told: str) -> Iterator[Message]:
    """Yield a reply, and what is said to it."""
    yield Message(role="assistant", content=reply.text.strip() or "(nothing)")
    yield Message(role="user", content=told)
