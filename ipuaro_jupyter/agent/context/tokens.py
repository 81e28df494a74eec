"""The number of tokens of a text, estimated without a tokenizer.

Byte-pair encoders cut a text into words, digits, runs of blanks and runs of signs, and then merge
frequent pairs. The estimate counts those pieces. Its weights are fitted to the tokenizer of Qwen
2.5 and rounded up, since a low estimate overflows the model's window; the model's own counts
correct it (`Calibration`). ``tests/benchmarks/context.py`` shows how accurate it is.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache

from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema

MESSAGE_TOKENS = 8  # what a template adds to a message
_CALL_TOKENS, _PARAMETER_TOKENS = 20, 8
_RESULT_TOKENS = 16
RESULT_TOKENS = MESSAGE_TOKENS + _RESULT_TOKENS  # around the text of a tool's result
_TOOL_TOKENS, _TOOLS_TOKENS = 24, 160

_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_MIXED = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_BLOB_CHARACTER = 0.92
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_EASY, _LONG = 6, 16  # letters: longer ones take more than a token, or are no words
_LETTER, _ODD_LETTER = 0.17, 0.5
_SAME = re.compile(r"([^\w\s])\1{3,}")
_SAME_SIGNS = 16
_SIGN = r"[!-/:-@\[-`{-~]"
_WEIGHTS = tuple(
    (re.compile(pattern), weight)
    for pattern, weight in (
        (r"\d", 1.0),
        (r"[ \t](?=\d)", 1.0),
        (r"[ \t]{2,}|\t", 1.05),
        (r"[\r\n]+", 0.5),
        (f"{_SIGN}+", 0.7),
        (rf"({_SIGN})(?!\1)(?={_SIGN})", 0.5),
        (rf"{_SIGN}(?=\d)", 0.25),
    )
)
_WIDE_WEIGHTS = (
    (r"[\u3400-\u9fff\uf900-\ufaff]", 0.75),  # Chinese
    (r"[\u3040-\u30ff]", 0.8),  # kana
    (r"[\u1100-\u11ff\uac00-\ud7af]", 0.9),  # Korean
    (r"[\u0080-\u036f]", 1.4),  # letters with accents, and signs
    (r"[\u0370-\u052f]", 0.42),  # Greek, Cyrillic
    (r"[\u0530-\u07ff]", 0.6),  # Armenian, Hebrew, Arabic
    (r"[\u0800-\u10ff]", 1.15),  # the scripts of India and around
    (r"[\u1200-\u303f\u3100-\u33ff\ua000-\uabff\ud800-\uf8ff\ufb00-\uffff]", 1.3),
    (r"[\U00010000-\U0010ffff]", 2.6),  # emoji
)
_LINES_FROM = 0.6  # of an end, which is then cut to whole lines
_CACHED = 20_000  # texts, which a session holds in memory anyway


@lru_cache(maxsize=_CACHED)
def count_tokens(text: str) -> float:
    """The estimated number of tokens of ``text``; takes linear time."""
    blobs = 0

    def without(found: re.Match[str]) -> str:
        nonlocal blobs
        if len(_MIXED.findall(found[0])) * 8 < len(found[0]):
            return found[0]
        blobs += len(found[0])
        return " "

    total = 0.0
    text = _BLOB.sub(without, text)
    same = [len(found[0]) for found in _SAME.finditer(text)]
    if same:
        total += sum(1 + length / _SAME_SIGNS for length in same)
        text = _SAME.sub("", text)
    lengths = Counter(map(len, _WORD.findall(text)))
    total += sum(_word_tokens(length) * times for length, times in lengths.items())
    total += sum(weight * len(pattern.findall(text)) for pattern, weight in _WEIGHTS)
    if not text.isascii():
        total += sum(weight * len(pattern.findall(text)) for pattern, weight in _wide_weights())
    return total + blobs * _BLOB_CHARACTER


@cache
def _wide_weights() -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple((re.compile(pattern), weight) for pattern, weight in _WIDE_WEIGHTS)


def count_once(text: str) -> float:
    """`count_tokens` of a text that will not be counted again, and so is not kept."""
    return count_tokens.__wrapped__(text)


def message_tokens(message: Message) -> float:
    """The estimated tokens of a message with its calls and what a template adds."""
    calls = sum(_call_tokens(call) for call in message.calls)
    wrapped = _RESULT_TOKENS if message.role == "tool" else 0
    said = count_tokens(message.content) + count_tokens(message.thinking)
    return MESSAGE_TOKENS + wrapped + said + calls


def messages_tokens(messages: Iterable[Message]) -> float:
    """The estimated tokens of all messages."""
    return sum(map(message_tokens, messages))


def schemas_tokens(schemas: Iterable[ToolSchema]) -> float:
    """The estimated tokens of tools passed beside the messages."""
    counted = [count_tokens(json.dumps(s.to_dict(), ensure_ascii=False)) for s in schemas]
    return _TOOLS_TOKENS + sum(_TOOL_TOKENS + tokens for tokens in counted) if counted else 0


def shorten(text: str, tokens: float) -> str:
    """``text`` with its middle left out, so that it takes at most about ``tokens``."""
    keep = len(text)
    short = text
    while keep > 1 and (size := count_tokens(short)) > tokens:
        keep = min(keep - 1, int(keep * max(0.2, 0.95 * tokens / size)))
        short = _both_ends(text, keep)
    return short


def _both_ends(text: str, keep: int) -> str:
    head, tail = text[: keep * 2 // 3], text[len(text) - keep // 3 :]
    end, begin = head.rfind("\n"), tail.find("\n")
    head = head[:end] if end > _LINES_FROM * len(head) else head
    tail = tail[begin + 1 :] if 0 <= begin < (1 - _LINES_FROM) * len(tail) else tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out} characters left out …]\n{tail}"


def _word_tokens(letters: int) -> float:
    more, odd = max(0, min(letters, _LONG) - _EASY), max(0, letters - _LONG)
    return 1.1 + _LETTER * more + _ODD_LETTER * odd


def _call_tokens(call: ToolCall) -> float:
    arguments = count_tokens(json.dumps(call.arguments, ensure_ascii=False, sort_keys=True))
    around = _CALL_TOKENS + _PARAMETER_TOKENS * len(call.arguments)
    return around + count_tokens(call.name) + arguments
