"""The kind of file that a text is from, which decides how much a name in it reveals.

The path comes from a tool's arguments; in the output of ``grep`` and ``git diff``, it precedes the
lines.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from ipuaro_jupyter.records.given_items import with_items

Style = Literal["code", "env", "texts"]

_PATH_ARGUMENTS = ("path", "filepath")
_STRICTEST: tuple[Style, ...] = ("env", "code", "texts")
_ENV_WORD = re.compile(r"(?<![^\s/'\"=])\.env[\w.-]{0,40}(?=$|[\s'\";|&)])")
_HEADING = re.compile(r"^(?:📁 (?P<found>[^\n]{1,400}?)(?=:\d)|\+\+\+ (?:b/)?(?P<new>\S{1,400}))")
_TEXT_FOLDERS = {
    *("locale", "locales", "i18n", "l10n", "lang", "langs", "translation", "translations"),
}
_LANGUAGE_FILE = re.compile(
    r"(?:[\w.-]{0,80}[._-])?(?:en|de|fr|es|it|pt|nl|pl|ru|uk|cs|sk|hu|ro|bg|el|tr|ar|he|fa|hi|ja|ko"
    r"|zh|sv|da|nb|fi|et|lv|lt|sl|hr|sr|vi|th)(?:[-_][A-Za-z]{2,4})?"
    r"\.(?:json5?|[jt]s|ya?ml|properties|arb|po|php|toml|ftl|strings|xlf|xliff)"
)


class TextRegion(NamedTuple):
    """A part of a text, end excluded, and the kind of file it is from."""

    start: int
    end: int
    style: Style


def path_of(arguments: Mapping[str, Any]) -> str:
    """The file that a call is about: its path, or a ``.env`` in its command; "" for none.

    Of several files it is the one of whose kind most is hidden.
    """
    named = [given.get(name) for given in with_items(arguments) for name in _PATH_ARGUMENTS]
    paths = [path for path in named if isinstance(path, str)]
    if paths:
        return min(paths, key=lambda path: _STRICTEST.index(style_of(path)))
    command = arguments.get("command")
    found = _ENV_WORD.search(command) if isinstance(command, str) else None
    return found[0] if found else ""


def style_of(path: str) -> Style:
    """The kind of a file: "env" for ``.env…``, "texts" for user-visible texts, else "code"."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts:
        return "code"
    if parts[-1].startswith(".env"):
        return "env"
    folders = {part.lower() for part in parts[:-1]}
    if folders & _TEXT_FOLDERS or _LANGUAGE_FILE.fullmatch(parts[-1]):
        return "texts"
    return "code"


def regions(text: str, path: str) -> list[TextRegion]:
    """The parts of a text that are not from code, in order."""
    return [region for region in _parts(text, path) if region.style != "code"]


def _parts(text: str, path: str) -> Iterator[TextRegion]:
    start, style = 0, style_of(path)
    for mark in _headings(text):
        if found := _HEADING.match(text[mark : mark + 500]):
            yield TextRegion(start, mark, style)
            start, style = mark, style_of(found["found"] or found["new"])
    yield TextRegion(start, len(text), style)


def _headings(text: str) -> Iterator[int]:
    """Yield the beginnings of lines that may name a file."""
    if "📁 " not in text and "+++ " not in text:
        return
    at = 0
    while at < len(text):
        if text.startswith(("📁 ", "+++ "), at):
            yield at
        newline = text.find("\n", at)
        at = newline + 1 if newline >= 0 else len(text)
