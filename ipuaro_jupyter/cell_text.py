"""The one way of text into a cell: written so that the cell, when it is run, means that text.

In a message, `` $`expression` `` is a value of the kernel; in the line of a magic, ``{expression}``
and ``$name`` are. Names of files, and messages that were typed elsewhere, are text and no code.
"""

import re
from collections.abc import Callable
from shlex import quote

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_WRITTEN = re.compile(r"\{chr\(([0-9]{1,7})\)\}|\{\{|\}\}")
_DOLLAR = "$`chr(36)`"


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """The message with each line changed that is in no code fence, and marks none."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif mark:
            fence = mark.group(1)
        else:
            line = change(line)  # noqa: PLW2901 - the line as it is kept
        lines.append(line)
    return "".join(lines)


def message_source(text: str) -> str:
    """What ``%%ask`` sends as ``text``: a dollar before a backtick is the value of one."""
    return outside_fences(text, lambda line: line.replace("$`", f"{_DOLLAR}`"))


def message_text(source: str) -> str:
    """The text that `message_source` was given."""
    return outside_fences(source, lambda line: line.replace(_DOLLAR, "$"))


def literal(text: str) -> str:
    """What the line of a magic means as ``text``, whatever is in it.

    A character that cannot be shown, such as a line break, is an expression: it would end the line.
    """
    return "".join(map(_literal, text))


def word_source(word: str) -> str:
    """One word of the line of a magic, quoted where needed."""
    return literal(quote(word))


def literal_text(source: str) -> str:
    """The text that `literal` was given, also where the end of its result is missing."""
    return _WRITTEN.sub(lambda found: chr(int(found[1])) if found[1] else found[0][0], source)


def _literal(character: str) -> str:
    if character in "{}":
        return character * 2
    is_shown = character.isprintable() and character != "$"
    return character if is_shown else f"{{chr({ord(character)})}}"
