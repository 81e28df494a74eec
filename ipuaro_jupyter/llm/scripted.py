"""Models that say what they were given to say: for tests, documents, demos and replays."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, ToolSchema, Usage
from ipuaro_jupyter.records.record import Record

Reply = str | Sequence[str] | Sequence[Chunk] | Callable[[Sequence[Message]], str]
_WORDS_PER_PIECE = 3
_CHARS_PER_TOKEN = 4
_WINDOW = 32_768


@dataclass(frozen=True, slots=True)
class Request:
    """What a scripted model was asked."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]


class ScriptedModel:
    """Gives its replies one after the other, whatever it is asked.

    Args:
        replies: A reply is a text, which streams in small pieces; a sequence of texts, each a
            piece; a sequence of `Chunk`, as they are; or a function of the messages that returns
            the text.
        name: What the model is called.
        delay_s: Pause before each piece, in seconds.
        native_tools: Whether it takes tool schemas.
        context_tokens: The size of its window.
    """

    def __init__(
        self,
        replies: Sequence[Reply],
        *,
        name: str = "scripted",
        delay_s: float = 0.0,
        native_tools: bool = False,
        context_tokens: int = _WINDOW,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.native_tools = native_tools
        self.requests: list[Request] = []
        self._replies = list(replies)
        self._delay_s = delay_s

    def check(self) -> None:
        """Return: it can always be asked."""

    def prepare(self, cancel: CancelToken) -> None:
        """Return: what it can do is known."""

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the next reply.

        Raises:
            Cancelled: The token was set.
            ModelError: There are no more replies.
        """
        asked = len(self.requests)
        self.requests.append(Request(tuple(messages), tuple(tools)))
        if asked >= len(self._replies):
            count = f"{len(self._replies)} {'reply' if len(self._replies) == 1 else 'replies'}"
            raise ModelError(f"The scripted model has no more replies: it was given {count}.")
        yield from _stream(self._replies[asked], messages, self._delay_s, cancel)

    def close(self) -> None:
        """Return: it holds nothing."""


class _Turn(Record):
    message: str
    replies: tuple[str, ...]


class _Recording(Record):
    version: int
    turns: tuple[_Turn, ...]


class RecordedModel:
    """Answers the messages of a recording with the replies that were recorded.

    Which reply comes next follows from the conversation alone, so that it also goes on after the
    kernel was restarted.

    Args:
        path: A JSON file ``{"version": 1, "turns": [{"message": …, "replies": [ … ]}]}``.
        delay_s: Pause before each piece, in seconds.
        label: What follows "recorded:" in the name; None for the path.

    Raises:
        ModelError: The file cannot be read, or is no recording.
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
                f"{str(path)!r} is no recording of a conversation: {where}: {detail['msg']}"
            ) from None
        if recording.version != 1:
            raise ModelError(
                f"The recording {str(path)!r} has version {recording.version}; this is for 1."
            )
        self._turns = {_normal(turn.message): turn for turn in recording.turns}

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages that it can answer, in the order of the recording."""
        return tuple(turn.message for turn in self._turns.values())

    def check(self) -> None:
        """Return: it can always be asked."""

    def prepare(self, cancel: CancelToken) -> None:
        """Return: what it can do is known."""

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the recorded reply to the latest message of the user.

        Raises:
            Cancelled: The token was set.
            ModelError: The message is not in the recording, or has no more replies.
        """
        del tools
        asked = next((n for n in reversed(range(len(messages))) if messages[n].role == "user"), -1)
        message = messages[asked].content if asked >= 0 else ""
        turn = self._turns.get(_normal(message))
        if turn is None:
            raise ModelError(self._not_recorded(message))
        given = sum(m.role == "assistant" for m in messages[asked + 1 :])
        if given >= len(turn.replies):
            raise ModelError(
                f"The recording holds {len(turn.replies)} replies to {turn.message!r}, "
                "and all were given."
            )
        yield from _stream(turn.replies[given], messages, self._delay_s, cancel)

    def close(self) -> None:
        """Return: it holds nothing."""

    def _not_recorded(self, message: str) -> str:
        listed = "".join(f"\n- {recorded}" for recorded in self.messages)
        return (
            f"This is a recording, and {message!r} is not in it. It answers:{listed}\n"
            "To ask anything, use a real model: %ipuaro start --model NAME"
        )


def _normal(message: str) -> str:
    return " ".join(message.split())


def _stream(
    reply: Reply, messages: Sequence[Message], delay_s: float, cancel: CancelToken
) -> Iterator[Chunk]:
    said = 0
    has_usage = False
    for chunk in _chunks(reply, messages):
        if delay_s:
            cancel.wait(delay_s)
        cancel.check()
        said += len(chunk.text)
        has_usage = has_usage or chunk.usage is not None
        yield chunk
    cancel.check()
    if not has_usage:
        asked = sum(len(message.content) for message in messages)
        yield Chunk(
            usage=Usage(
                prompt_tokens=asked // _CHARS_PER_TOKEN,
                completion_tokens=said // _CHARS_PER_TOKEN,
                estimated=True,
            )
        )


def _chunks(reply: Reply, messages: Sequence[Message]) -> Iterator[Chunk]:
    if callable(reply):
        reply = reply(messages)
    if isinstance(reply, str):
        reply = _pieces(reply)
    for item in reply:
        yield Chunk(text=item) if isinstance(item, str) else item


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
