"""Models with given replies: for tests, documents, demos and replays."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, NoReplyLeft
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.wishes import Sampling, Wishes
from ipuaro_jupyter.records.chat import Message, ToolSchema, Usage
from ipuaro_jupyter.records.events import PullProgress
from ipuaro_jupyter.records.record import Record

Step = str | Chunk | float | Exception
"""A piece of text, another chunk, a pause in seconds (``inf``: until stopped), or an error."""

Said = str | Exception | Sequence[str] | Sequence[Chunk] | Sequence[Step]
Reply = Said | Callable[[Sequence[Message]], Said]
_WORDS_PER_PIECE = 3
_CHARS_PER_TOKEN = 4
_WINDOW = 32_768


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a scripted model; ``wishes`` are those that differ from their defaults."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    wishes: Mapping[str, Any] = field(default_factory=dict)


class _AtHand:
    """A model that holds its replies: always available, and the only one of its name."""

    name: str

    def check(self) -> None:
        """Do nothing: it can always be asked."""

    def prepare(self, cancel: CancelToken) -> None:
        """Do nothing: its abilities are known."""

    def models(self, *, within_s: float = 10.0) -> tuple[str, ...]:
        """Its own name: there is no other."""
        del within_s
        return (self.name,)

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Yield nothing: it needs no download."""
        del cancel
        return iter(())

    def close(self) -> None:
        """Do nothing: it holds no resources."""


class ScriptedModel(_AtHand):
    """Gives its replies one after the other, regardless of the request.

    Args:
        replies: A reply is a text, which is streamed in small pieces; a sequence of steps, which
            come as they are: texts, a `Chunk` for anything else a model sends (thinking, calls,
            counts), pauses in seconds, an error to raise at that place; an error alone; or a
            function of the messages that returns one of these.
        name: The model's name.
        delay_s: Pause before each piece, in seconds.
        native_tools: Whether it takes tool schemas.
        context_tokens: The size of its window.
        parameter_count: The number of its parameters; None when that is unknown.
        count: Counts the tokens of a text; with it the model reports its usage as counted, without
            it as estimated. A `Chunk` with usage in a reply takes precedence.
    """

    def __init__(
        self,
        replies: Sequence[Reply],
        *,
        name: str = "scripted",
        delay_s: float = 0.0,
        native_tools: bool = False,
        context_tokens: int = _WINDOW,
        parameter_count: int | None = None,
        count: Callable[[str], int] | None = None,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.native_tools = native_tools
        self.parameter_count = parameter_count
        self.requests: list[Request] = []
        self.reads: list[Request] = []
        self._replies = list(replies)
        self._delay_s = delay_s
        self._count = count

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSchema],
        cancel: CancelToken,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
        think: bool | None = None,
        only_read: bool = False,
        sampling: Sampling | None = None,
    ) -> Iterator[Chunk]:
        """Yield the next reply; a request that is only read gets none, and uses none up.

        Raises:
            Cancelled: The token was set.
            NoReplyLeft: There are no more replies.
            Exception: The error in the reply.
        """
        wishes = Wishes(
            schema=schema, stop=stop, think=think, only_read=only_read, sampling=sampling
        )
        given = {name: value for name, value in wishes.items() if value not in (None, ())}
        if not only_read:
            del given["only_read"]
        request = Request(tuple(messages), tuple(tools), given)
        if only_read:
            self.reads.append(request)
            yield from _stream("", request, 0.0, cancel, count=self._count)
            return
        asked = len(self.requests)
        self.requests.append(request)
        if asked >= len(self._replies):
            count = f"{len(self._replies)} {'reply' if len(self._replies) == 1 else 'replies'}"
            raise NoReplyLeft(f"The scripted model has no more replies: it was given {count}.")
        reply = self._replies[asked]
        said = reply(messages) if callable(reply) else reply
        yield from _stream(said, self.requests[asked], self._delay_s, cancel, count=self._count)


class _ScriptedTurn(Record):
    message: str
    replies: tuple[str, ...]


_FORM = (
    '{"version": 1, "turns": [{"message": "Hi", "replies": ["Hello."]}]} for a reply "Hello." to '
    'the message "Hi".'
)


class _Recording(Record):
    version: int
    turns: tuple[_ScriptedTurn, ...]


class RecordedModel(_AtHand):
    """Answers the messages of a recording with the recorded replies.

    The next reply follows from the conversation alone, so that it also works after the kernel was
    restarted.

    Args:
        path: A JSON file ``{"version": 1, "turns": [{"message": …, "replies": [ … ]}]}``.
        delay_s: Pause before each piece, in seconds.
        label: The part of the name after "recorded:"; None for the path.

    Raises:
        ModelError: The file cannot be read, or is not a recording.
    """

    native_tools = False
    context_tokens = _WINDOW

    def __init__(self, path: Path, *, delay_s: float = 0.01, label: str | None = None) -> None:
        self.name = f"recorded:{label or path}"
        self._delay_s = delay_s
        try:
            recording = _Recording.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ModelError(f"The recording {str(path)!r} cannot be read: {error}") from error
        except ValidationError as error:
            detail = error.errors()[0]
            where = ".".join(map(str, detail["loc"])) or "the file"
            raise ModelError(
                f"{str(path)!r} is not a recording of a conversation: {where}: {detail['msg']}. "
                f"Write {_FORM}"
            ) from None
        if recording.version != 1:
            raise ModelError(
                f"The recording {str(path)!r} has version {recording.version}; this is for 1."
            )
        self._turns = {_normal(turn.message): turn for turn in recording.turns}

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages it has replies to, in the order of the recording."""
        return tuple(turn.message for turn in self._turns.values())

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the recorded reply to the latest message of the user.

        Raises:
            Cancelled: The token was set.
            NoReplyLeft: The message is not in the recording, or has no more replies.
        """
        asked = next((n for n in reversed(range(len(messages))) if messages[n].role == "user"), -1)
        message = messages[asked].words if asked >= 0 else ""
        turn = self._turns.get(_normal(message))
        if turn is None:
            raise NoReplyLeft(self._not_recorded(message))
        given = sum(m.role == "assistant" for m in messages[asked + 1 :])
        if given >= len(turn.replies):
            raise NoReplyLeft(
                f"The recording holds {len(turn.replies)} replies to {turn.message!r}, "
                "and all were given."
            )
        request = Request(tuple(messages), tuple(tools))
        yield from _stream(turn.replies[given], request, self._delay_s, cancel)

    def _not_recorded(self, message: str) -> str:
        listed = "".join(f"\n- {recorded}" for recorded in self.messages)
        return (
            f"This is a recording, and {message!r} is not in it. It answers:{listed}\n"
            "To ask anything, use a real model: %ipuaro start --model NAME"
        )


def _normal(message: str) -> str:
    return " ".join(message.split())


def _stream(
    reply: Said,
    request: Request,
    delay_s: float,
    cancel: CancelToken,
    *,
    count: Callable[[str], int] | None = None,
) -> Iterator[Chunk]:
    said = ""
    has_usage = False
    for step in _steps(reply):
        if delay_s:
            cancel.wait(delay_s)
        cancel.check()
        match step:
            case Exception():
                raise step
            case float() | int():
                cancel.wait(min(step, threading.TIMEOUT_MAX))
                cancel.check()
            case _:
                chunk = Chunk(text=step) if isinstance(step, str) else step
                said += chunk.thinking + chunk.text
                has_usage = has_usage or chunk.usage is not None
                yield chunk
    cancel.check()
    if not has_usage:
        yield Chunk(usage=_usage(request, said, count))


def _usage(request: Request, said: str, count: Callable[[str], int] | None) -> Usage:
    tokens = count or (lambda text: len(text) // _CHARS_PER_TOKEN)
    asked = [message.content for message in request.messages]
    asked += [call.model_dump_json() for message in request.messages for call in message.calls]
    asked += [tool.model_dump_json() for tool in request.tools]
    return Usage(
        prompt_tokens=tokens("\n".join(asked)),
        completion_tokens=tokens(said),
        estimated=count is None,
    )


def _steps(reply: Said) -> Sequence[Step]:
    if isinstance(reply, Exception):
        return (reply,)
    return _pieces(reply) if isinstance(reply, str) else reply


def _pieces(text: str) -> list[str]:
    """Split the text after every few blanks; joined, the pieces are the text."""
    pieces, piece, words = [], "", 0
    for character in text:
        piece += character
        words += character.isspace()
        if words == _WORDS_PER_PIECE:
            pieces.append(piece)
            piece, words = "", 0
    return [*pieces, piece] if piece else pieces
