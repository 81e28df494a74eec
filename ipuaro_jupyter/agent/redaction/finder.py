"""The places of keys, tokens and passwords in a text."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.assigned import assigned
from ipuaro_jupyter.agent.redaction.dotenv import in_dotenv
from ipuaro_jupyter.agent.redaction.file_kinds import Style, TextRegion, regions
from ipuaro_jupyter.agent.redaction.kubernetes import in_kubernetes
from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.one_line import one_lines
from ipuaro_jupyter.agent.redaction.secret_values import (
    Secret,
    is_login,
    is_placeholder_value,
    is_secret,
)
from ipuaro_jupyter.agent.redaction.wording import is_random_text
from ipuaro_jupyter.records.key_forms import KeyForm, key_forms

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
_FIELD = r"(?:\\.|[^\s:\\#]){1,120}:"
_LINE = re.compile(
    rf"^(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,8}}(?:#[ \t]{{0,4}})?{_FIELD}(?:\d{{1,5}}|\*):"
    rf"{_FIELD}{_FIELD}(?P<secret>[^\r\n]{{1,512}})",
    re.MULTILINE,
)


def secrets_in(text: str, path: str = "") -> list[Secret]:
    """The secrets in a text in order; no two overlap, none contains a line end.

    A secret with a distinctive form takes precedence over one that its name reveals.

    Args:
        text: The text.
        path: The file that the text is from; "" when it is not known, or from several.
    """
    parts = regions(text, path)
    found = [*in_kubernetes(text)]  # whole values, whatever is in them
    found += [*_private_keys(text), *_known_forms(text), *_in_urls(text)]
    for line in one_lines(text):
        inner = (*_known_forms(line.text), *assigned(line.text))
        found += filter(None, map(line.origin, inner))
    for part in parts:
        if part.style == "env":
            found += in_dotenv(text, part.start, part.end)
        elif part.style == "pgpass":
            found += in_pgpass(text, part.start, part.end)
    found += _named(text, parts)
    return without_overlaps(found)


def without_overlaps(found: list[Secret]) -> list[Secret]:
    """Secrets in order; of those that overlap, the first in the list."""
    rank = {one: place for place, one in reversed(tuple(enumerate(found)))}
    kept: list[Secret] = []
    for one in sorted(rank, key=lambda one: (one.start, rank[one])):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif rank[one] < rank[kept[-1]]:
            kept[-1] = one
    return kept


def _named(text: str, parts: list[TextRegion]) -> Iterator[Secret]:
    """Yield secrets that names reveal; in user-visible texts, only those that cannot be text."""

    def style(at: int) -> Style:
        place = bisect_right(parts, at, key=lambda part: part.start) - 1
        return parts[place].style if place >= 0 and at < parts[place].end else "code"

    for found in assigned(text, lambda at: style(at) in {"data", "env", "pgpass"}):
        if style(found.start) != "texts" or is_random_text(text[found.start : found.end]):
            yield found


def _known_forms(text: str) -> Iterator[Secret]:
    for form in key_forms():
        if form.is_in(text):
            group = "secret" if "secret" in form.pattern.groupindex else 0
            for match in form.pattern.finditer(text):
                if _fits(match[group], form):
                    yield Secret(*match.span(group), form.kind)


def _fits(value: str, form: KeyForm) -> bool:
    match form.looks:
        case "secret":
            return is_secret(value, form.kind)
        case "login":
            return is_login(value)
        case "value":
            return not (is_placeholder_value(value) or _NO_PASSWORD.fullmatch(value))
        case _:
            return not _is_example(value)


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


def in_pgpass(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the passwords in a part of a text that is from a ``.pgpass`` file."""
    for line in _LINE.finditer(text, start, end):
        if not is_placeholder_value(line["secret"]):
            yield Secret(*line.span("secret"), "password")
