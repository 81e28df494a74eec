"""Standing instructions: sentences in which the user asks for something from then on."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from ipuaro_jupyter.agent.context.prompt_files import prompt_lines
from ipuaro_jupyter.agent.context.tokens import count_tokens

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d{1,3}[.)])\s+")
_LONGEST = 400  # characters of one sentence that is kept
_READ = 20_000  # characters of a message; what follows was pasted
_WORDS = re.compile(r"[a-z\u0400-\u04ff]")


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
