"""The places of keys, tokens and passwords in a text."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from ipuaro_jupyter.agent.redaction.assigned import assigned
from ipuaro_jupyter.agent.redaction.dotenv import in_dotenv
from ipuaro_jupyter.agent.redaction.file_kinds import TextRegion, regions
from ipuaro_jupyter.agent.redaction.secret_values import Secret
from ipuaro_jupyter.agent.redaction.wording import is_random_text

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = "-----END "
_LINE_LEAD = r"[ \t▶]{0,40}(?:\d{1,7}[\t:|│-][ \t]{0,40})?[-+> ]?[ \t\"'#/*]{0,40}"
_LINE_TAIL = r"(?=(?:\\n)?[\"'`,;+\\ \t\r]{0,40}$)"
_BODY = re.compile(rf"{_LINE_LEAD}(?P<secret>[A-Za-z0-9+/=]{{2,200}}){_LINE_TAIL}")
_NO_BODY = re.compile(rf"{_LINE_LEAD}(?:[A-Za-z-]{{1,40}}: .{{0,200}})?\r?$")
_LONE_LINE = re.compile(
    rf"^{_LINE_LEAD}(?P<secret>[A-Za-z0-9+/]{{70}}|[A-Za-z0-9+/]{{64}}){_LINE_TAIL}", re.MULTILINE
)
_LONE_LINES = 3
_PUBLIC = re.compile(r"-----BEGIN (?!.{0,40}PRIVATE)[A-Z0-9 ]{1,60}-----")
_MOST_LINES = 300
_CREDENTIALS = re.compile(r"(?P<user>[^\s/:@\"'`<>\\]{0,128}):(?P<secret>[^\s/@\"'`<>\\]{1,256})@")
_NO_PASSWORD = re.compile(
    r"x+|\*+|pass(?:word|wd)?\d{0,3}|pwd|secret|token|changeme|test(?:ing)?|example|user(?:name)?"
    r"|postgres|mysql|root|admin|guest|foo|bar|\.+|[^A-Za-z0-9]*",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"[$<{%\[(]|your|my[-_]", re.IGNORECASE)


def secrets_in(text: str, path: str = "") -> list[Secret]:
    """The secrets in a text in order; no two overlap, none contains a line end.

    A secret with a distinctive form takes precedence over one that its name reveals.

    Args:
        text: The text.
        path: The file that the text is from; "" when it is not known, or from several.
    """
    parts = regions(text, path)
    found = [*_private_keys(text), *_known_forms(text), *_in_urls(text)]
    for part in parts:
        if part.style == "env":
            found += in_dotenv(text, part.start, part.end)
    found += _named(text, [part for part in parts if part.style == "texts"])
    rank = {one: place for place, one in enumerate(found)}
    kept: list[Secret] = []
    for one in sorted(found, key=lambda one: (one.start, rank[one])):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif rank[one] < rank[kept[-1]]:
            kept[-1] = one
    return kept


def _named(text: str, texts: list[TextRegion]) -> Iterator[Secret]:
    """Yield secrets that names reveal; in user-visible texts, only those that cannot be text."""
    for found in assigned(text):
        place = bisect_right(texts, found.start, key=lambda part: part.start) - 1
        is_among = place >= 0 and found.start < texts[place].end
        if not is_among or is_random_text(text[found.start : found.end]):
            yield found


def _known_forms(text: str) -> Iterator[Secret]:
    for kind, literals, pattern in _forms():
        if any(literal in text for literal in literals):
            for match in pattern.finditer(text):
                group = "secret" if "secret" in pattern.groupindex else 0
                if not _is_example(match[group]):
                    yield Secret(*match.span(group), kind)


def _is_example(secret: str) -> bool:
    """Whether a secret is an example from a manual: ``AKIA…EXAMPLE``, ``ghp_xxxx``."""
    body = secret.rpartition("_")[2]
    return "EXAMPLE" in secret or len(set(body)) <= 3  # noqa: PLR2004 - "xxxx", "0000"


def _in_urls(text: str) -> Iterator[Secret]:
    """Yield the passwords in ``scheme://user:password@host``."""
    at = text.find("://")
    while at >= 0:
        found = _CREDENTIALS.match(text, at + 3)
        if found and not _is_no_password(found["user"], found["secret"]):
            yield Secret(*found.span("secret"), "password")
        at = text.find("://", at + 3)


def _is_no_password(user: str, password: str) -> bool:
    return (
        _NO_PASSWORD.fullmatch(password) is not None
        or _ELSEWHERE.match(password) is not None
        or password.lower() == user.lower()
    )


def _private_keys(text: str) -> Iterator[Secret]:
    """Yield the lines of private keys, even of one whose first line is missing."""
    if "-----BEGIN " in text:
        for begin in _BEGIN.finditer(text):
            yield from _key_after(text, begin.end())
    if len(text) > _LONE_LINES * 64:
        yield from _lone_lines(text)


def _key_after(text: str, at: int) -> Iterator[Secret]:
    newline = text.find("\n", at, at + 20_000)
    end = text.find(_END, at, newline if newline >= 0 else at + 20_000)
    if end > at:
        yield Secret(at, end, "private-key")
        return
    for _ in range(_MOST_LINES):
        if newline < 0:
            return
        at = newline + 1
        newline = text.find("\n", at)
        line = text[at : newline if newline >= 0 else len(text)]
        if found := _BODY.match(line):
            yield Secret(at + found.start("secret"), at + found.end("secret"), "private-key")
        elif not _NO_BODY.match(line):
            return


def _lone_lines(text: str) -> Iterator[Secret]:
    """Yield lines of the width of a key's, where several follow each other."""
    group: list[re.Match[str]] = []
    for line in _LONE_LINE.finditer(text):
        if group and text.count("\n", group[-1].end(), line.start("secret")) != 1:
            yield from _as_key(text, group)
            group = []
        group.append(line)
    yield from _as_key(text, group)


def _as_key(text: str, lines: list[re.Match[str]]) -> Iterator[Secret]:
    if len(lines) < _LONE_LINES:
        return
    joined = "".join(line["secret"] for line in lines)
    mixed = any(c.isdigit() for c in joined) and joined.upper() != joined != joined.lower()
    before = text[max(0, lines[0].start() - 200) : lines[0].start()]
    if mixed and not _PUBLIC.search(before):
        for line in lines:
            yield Secret(*line.span("secret"), "private-key")


@cache
def _forms() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    data = (
        files("ipuaro_jupyter.agent.redaction").joinpath("forms.toml").read_text(encoding="utf-8")
    )
    return tuple(
        (form["kind"], tuple(form["has"]), re.compile(form["pattern"]))
        for form in tomllib.loads(data)["form"]
    )
