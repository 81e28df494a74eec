"""The replacement for turns that are left out: by rule, and by a summary of the model's own."""

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, contextmanager
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ipuaro_jupyter.agent.context.budget import brief_call
from ipuaro_jupyter.agent.context.prompt_files import prompt_file, prompt_lines
from ipuaro_jupyter.agent.context.tokens import count_tokens, message_tokens, shorten
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.llm.metered import metered
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.llm.turn_marks import joined_messages, plain
from ipuaro_jupyter.records.chat import Message, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS_PER_TOKEN = 0.6
_LIMITS = ((600, 400), (300, 150), (120, 60), (50, 25))  # tokens of a message, of a result
_FEWEST = 24  # tokens per message; with less, some messages are left out
_SPARSE = 4  # messages are often shorter than allowed
_FIRST_SHARE, _WISHES_SHARE = 0.35, 0.25
_ASK = "The conversation so far:\n\n{transcript}\n\nNow write the notes."
_LEFT_OUT = "[The earlier part of this conversation, {count} messages, is left out to save room.]"
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d{1,3}[.)])\s+")
_LONGEST = 400  # characters of one sentence that is kept
_READ = 20_000  # characters of a message; what follows was pasted
_WORDS = re.compile(r"[a-z\u0400-\u04ff]")


class Summary(NamedTuple):
    """The result of summarizing: the text, or the problem; and the usage."""

    text: str
    problem: str = ""
    usage: Usage | None = None
    asked: tuple[Message, ...] = ()


def head(earlier: Sequence[Message], summary: str, tokens: float) -> Message:
    """The message that replaces the earlier turns, in about ``tokens`` at most.

    It contains the user's first request and standing instructions, as they were written, and the
    summary if there is one.
    """
    said = [message.words for message in earlier if message.role == "user"]
    parts = [_LEFT_OUT.format(count=len(earlier))]
    if said:
        parts.append(f"The user's first request:\n{shorten(said[0], tokens * _FIRST_SHARE)}")
    if wishes := kept_instructions(said, tokens * _WISHES_SHARE):
        parts.append("\n".join(["What the user asked for, which still holds:", *_listed(wishes)]))
    if summary:
        room = tokens - count_tokens("\n\n".join(parts))
        parts.append(f"Notes on what happened:\n{shorten(summary, max(room, 0))}")
    return Message(role="user", content="\n\n".join(parts))


def summarised(
    model: Model,
    earlier: Sequence[Message],
    former: str,
    *,
    request_tokens: float,
    reply_tokens: float,
    timeout_s: float,
    cancel: CancelToken,
    spend: Callable[[Sequence[Message], str, Usage | None], object],
) -> Summary:
    """Have the model summarize messages.

    Args:
        model: It is asked without tools.
        earlier: The messages.
        former: The summary of the messages before them, empty when there is none.
        request_tokens: The maximum size of the request.
        reply_tokens: The maximum size of the summary; a longer one is truncated.
        timeout_s: The time limit, in seconds.
        cancel: Stops it.
        spend: Gets what the request took, however it ends: its messages, the reply as far as it
            came, and the usage that the model told.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    words = round(reply_tokens * _WORDS_PER_TOKEN)
    system = Message(role="system", content=prompt_file("summary.md", words=str(words)))
    room = request_tokens - message_tokens(system) - message_tokens(_asking("")) - 1
    transcript = _transcript(earlier, former, room)
    if not transcript:
        return Summary("", "there is no room for it")
    asked = (system, _asking(transcript))
    raw, usage, problem = "", None, ""
    try:
        with (
            _limited(cancel, timeout_s) as limited,
            closing(
                metered(
                    model.chat(joined_messages(asked), tools=(), cancel=limited),
                    partial(spend, asked),
                )
            ) as chunks,
        ):
            for chunk in chunks:
                raw += chunk.text
                usage = chunk.usage or usage
                if count_tokens(raw[-_MUCH:]) * len(raw) / min(len(raw) or 1, _MUCH) > (
                    2 * reply_tokens
                ):
                    break
    except ModelError as error:
        problem = str(error)
    except Cancelled:
        cancel.check()
        problem = f"it took longer than {timeout_s:g} s"
    text = shorten(plain(parse_reply(raw, (), aliases={}).text).strip(), reply_tokens)
    if not problem and not text:
        problem = "the model wrote nothing"
    if not problem and count_tokens(text) >= sum(map(message_tokens, earlier)):
        problem = "it was longer than what it stands for"
    return Summary("" if problem else text, problem, usage, asked)


_MUCH = 4000


def _asking(transcript: str) -> Message:
    return Message(role="user", content=_ASK.replace("{transcript}", transcript))


def _transcript(messages: Sequence[Message], former: str, tokens: float) -> str:
    """The conversation as text; the less room there is, the less of each message."""
    most = max(2, int(tokens / _FEWEST))
    begin = messages[: most // 4] if len(messages) > most else messages
    end = messages[len(messages) - most + len(begin) :] if len(messages) > most else []
    text = ""
    for message_limit, result_limit in _LIMITS:
        if len(messages) * result_limit > _SPARSE * tokens and result_limit != _LIMITS[-1][1]:
            continue
        limits = {"tool": result_limit}
        parts = [f"Notes on what came before:\n{former}"] if former else []
        parts += [_told(m, limits.get(m.role, message_limit)) for m in begin]
        parts += [f"[… {len(messages) - len(begin) - len(end)} messages left out …]"] if end else []
        parts += [_told(m, limits.get(m.role, message_limit)) for m in end]
        text = "\n\n".join(filter(None, parts))
        if count_tokens(text) <= tokens:
            return text
    return shorten(text, tokens) if tokens > _LIMITS[0][0] else ""


def _told(message: Message, tokens: float) -> str:
    text = shorten(message.words.strip(), tokens)
    match message.role:
        case "user":
            return f"User: {text}"
        case "tool":
            return f"Result of {message.tool or 'the reply'}: {text}"
        case _:
            calls = "".join(f"\nAssistant calls {brief_call(call)}" for call in message.calls)
            return (f"Assistant: {text}" if text else "") + calls


def _listed(wishes: Sequence[str]) -> list[str]:
    return [f"- {wish}" for wish in wishes]


@contextmanager
def _limited(cancel: CancelToken, timeout_s: float) -> "Iterator[CancelToken]":
    """Provide a token that is set with ``cancel``, or when the time is up."""
    limited = CancelToken()
    timer = threading.Timer(timeout_s, limited.cancel)
    timer.daemon = True
    timer.start()
    try:
        with cancel.calling(limited.cancel):
            yield limited
    finally:
        timer.cancel()


@lru_cache(maxsize=512)
def standing_instructions(text: str) -> tuple[str, ...]:
    """The sentences of a message that ask for something lasting, as written.

    They contain words such as "never", "only", "must" in several languages; code fences and
    questions do not count.
    """
    prose = _FENCE.sub("\n", text[:_READ])
    sentences = (_BULLET.sub("", part).strip() for part in _SENTENCE_END.split(prose))
    return tuple(
        sentence[:_LONGEST]
        for sentence in sentences
        if sentence and not sentence.endswith(("?", "\uff1f")) and _instruction().search(sentence)
    )


def kept_instructions(texts: Iterable[str], tokens: float) -> list[str]:
    """The standing instructions in the messages, each once, in order; the newest that fit."""
    found = dict.fromkeys(wish for text in texts for wish in standing_instructions(text))
    kept: list[str] = []
    for wish in reversed(found):
        tokens -= count_tokens(wish) + 2
        if tokens < 0:
            break
        kept.append(wish)
    return kept[::-1]


@cache
def _instruction() -> re.Pattern[str]:
    """The words of such sentences as a pattern: whole words, in scripts that separate words."""
    lines = [line for line in prompt_lines("standing.txt") if not line.startswith("#")]
    return re.compile(
        "|".join(rf"\b(?:{line})\b" if _WORDS.search(line) else line for line in lines),
        re.IGNORECASE,
    )
