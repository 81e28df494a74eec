"""Sentences by which a user asks for something that holds from then on."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from ipuaro_jupyter.agent.context.prompt_files import prompt_lines
from ipuaro_jupyter.agent.context.tokens import count_tokens

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d{1,3}[.)])\s+")
_LONGEST = 400  # characters of one sentence that is kept
_READ = 20_000  # characters of a message: what is longer is pasted, and not the user's wish
_WORDS = re.compile(r"[a-z\u0400-\u04ff]")


@lru_cache(maxsize=512)
def standing_instructions(text: str) -> tuple[str, ...]:
    """Return the sentences of a message that ask for something lasting, as they are written.

    It looks for words such as "never", "only", "must" in some languages; what stands in code
    fences and questions do not count.
    """
    prose = _FENCE.sub("\n", text[:_READ])
    sentences = (_BULLET.sub("", part).strip() for part in _SENTENCE_END.split(prose))
    return tuple(
        sentence[:_LONGEST]
        for sentence in sentences
        if sentence and not sentence.endswith(("?", "\uff1f")) and _instruction().search(sentence)
    )


def kept_instructions(texts: Iterable[str], tokens: float) -> list[str]:
    """Return the wishes in the messages, each once, in their order; the newest that fit."""
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
    """Return what such sentences hold: whole words, where a script has any."""
    lines = [line for line in prompt_lines("standing.txt") if not line.startswith("#")]
    return re.compile(
        "|".join(rf"\b(?:{line})\b" if _WORDS.search(line) else line for line in lines),
        re.IGNORECASE,
    )
