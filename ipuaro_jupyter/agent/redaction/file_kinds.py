"""The kind of file that a text is from, which decides how much a name in it reveals.

The path comes from a tool's arguments; in the output of ``grep`` and ``git diff``, it precedes the
lines.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from ipuaro_jupyter.records.given_items import with_items

Style = Literal["code", "data", "env", "pgpass", "texts"]

_PATH_ARGUMENTS = ("path", "filepath")
_STRICTEST: tuple[Style, ...] = ("env", "pgpass", "data", "code", "texts")
_WORD = re.compile(r"[^\s'\"=:;|&()<>`]{1,400}")
_MOST_WORDS = 200
_DATA_FILE = re.compile(
    r".*\.(?:ya?ml|ini|cfg|conf|cnf|config|properties|toml|tfvars|sls)"
    r"(?:\.(?:example|sample|dist|local|bak|old|orig|j2|tpl|tmpl|template|erb))?"
    r"|[._](?:netrc|pypirc|npmrc|yarnrc|curlrc|wgetrc|my\.cnf|s3cfg|boto|dockercfg|msmtprc|mbsyncrc)"
    r"|credentials|hosts|inventory",
    re.IGNORECASE,
)
_PGPASS_FILE = re.compile(r"(?:.{0,80}[._-])?pgpass(?:\.\w{1,12})?", re.IGNORECASE)
_HEADING = re.compile(r"^(?:📁 (?P<found>[^\n]{1,400}?)(?=:\d)|\+\+\+ (?:b/)?(?P<new>\S{1,400}))")
_NOTHING = "/dev/null"  # in place of the path of a deleted file
_OLD = re.compile(r"^--- (?:a/)?(?P<path>[^\t\n]{1,400})[^\n]{0,80}\n\Z", re.MULTILINE)
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
    """The file that a call is about: its path, or a file in its command; "" for none.

    Of several files it is the one of whose kind most is hidden.
    """
    named = [given.get(name) for given in with_items(arguments) for name in _PATH_ARGUMENTS]
    paths = [path for path in named if isinstance(path, str)]
    if paths:
        return min(paths, key=lambda path: _STRICTEST.index(style_of(path)))
    command = arguments.get("command")
    words = islice(_WORD.finditer(command), _MOST_WORDS) if isinstance(command, str) else ()
    names = (word[0].rpartition("/")[2] for word in words)
    telling = [name for name in names if style_of(name) in {"env", "pgpass", "data"}]
    return min(telling, key=lambda name: _STRICTEST.index(style_of(name)), default="")


def words_of(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield what may be paths of files in a call: its paths, and the words of its command."""
    for given in with_items(arguments):
        yield from (given[name] for name in _PATH_ARGUMENTS if isinstance(given.get(name), str))
    command, folder = arguments.get("command"), arguments.get("cwd")
    if isinstance(command, str):
        for word in islice(_WORD.finditer(command), _MOST_WORDS):
            yield word[0]
            if isinstance(folder, str) and folder:
                yield f"{folder}/{word[0]}"


def style_of(path: str) -> Style:
    """The kind of a file.

    "env" is for ``.env…``, "pgpass" for PostgreSQL's file of passwords, "texts" for user-visible
    texts, "data" for settings, in which a bare word is a value rather than a name, and "code" for
    all else.
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts:
        return "code"
    if parts[-1].startswith(".env"):
        return "env"
    if _PGPASS_FILE.fullmatch(parts[-1]):
        return "pgpass"
    folders = {part.lower() for part in parts[:-1]}
    if folders & _TEXT_FOLDERS or _LANGUAGE_FILE.fullmatch(parts[-1]):
        return "texts"
    return "data" if _DATA_FILE.fullmatch(parts[-1]) else "code"


def regions(text: str, path: str) -> list[TextRegion]:
    """The parts of a text that are not from code, in order."""
    return [region for region in _parts(text, path) if region.style != "code"]


def _parts(text: str, path: str) -> Iterator[TextRegion]:
    start, style = 0, style_of(path)
    for mark in _headings(text):
        if found := _HEADING.match(text[mark : mark + 500]):
            yield TextRegion(start, mark, style)
            named = found["found"] or found["new"]
            if named == _NOTHING and (old := _OLD.search(text, max(0, mark - 500), mark)):
                named = old["path"]
            start, style = mark, style_of(named)
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
