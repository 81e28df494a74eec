"""Secrets in quotes: beside their names, on the next line, in parentheses, in pieces."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NEXT_LINE, begins_line
from ipuaro_jupyter.agent.redaction.secret_values import (
    Secret,
    is_env_value,
    is_placeholder_value,
    is_secret,
)
from ipuaro_jupyter.agent.redaction.wording import is_passphrase

_QUOTED = {
    '"': re.compile(r'(?:[^"\\\n]|\\.){0,512}(?=")'),
    "'": re.compile(r"(?:[^'\\\n]|\\.){0,512}(?=')"),
    "`": re.compile(r"(?:[^`\\\n]|\\.){0,512}(?=`)"),
}
_ESCAPED_QUOTE = re.compile(r"[^\"'\\\n]{0,512}(?=\\)")
_ENDS = re.compile(r"\\?[\"'`][ \t]{0,8}[,;]?[ \t]{0,8}(?:(?:#|//).*)?\r?$", re.MULTILINE)
_MORE = re.compile(
    rf"(?:[ \t]{{0,8}}[+.\\])?(?:{NEXT_LINE}|[ \t]{{0,8}})(?:[+.][ \t]{{0,8}})?"
    r"[brfBRF]{0,2}(?=[\"'`])"
)
_JOINS = re.compile(r"[+.\\]")
_MOST_PIECES = 20
_LONG_TEXT = 2000  # characters between three quotes that are looked at
_SETS_VARIABLE = re.compile(
    r"(?:setdefault|getenv|setenv|putenv|environ\.get|env|define|setProperty)"
    r"\([ \t]{0,4}\\?[\"'`]\Z",
    re.IGNORECASE,
)


def quoted(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Iterator[Secret]:
    """Yield the secret in the quotes that an operator ends with, or its pieces.

    Args:
        text: The text.
        name: The place of the name that reveals it.
        operator: What is between the name and the value, with the groups "op", "apart" (what
            precedes the quote) and "quote".
        kind: The kind of secret that the name suggests.
    """
    is_argument = not operator["op"]
    if is_argument and not _is_first_argument(text, name[0]):
        return
    quote, at = operator["quote"], operator.end()
    if len(quote) == 1 and text.startswith(quote * 2, at):
        yield from _in_three(text, at + 2, quote * 3, kind)
        return
    places = _pieces(text, at, quote, in_parentheses="(" in (operator["apart"] or ""))
    if not places:
        return
    whole = "".join(text[start:end] for start, end in places)
    if is_argument and _SETS_VARIABLE.search(text, max(0, name[0] - 24), name[0]):
        fits = is_env_value(whole, kind) and not any(c.isspace() for c in whole)
    elif any(c.isspace() for c in whole) and "phrase" not in text[name[0] : name[1]].lower():
        sets = kind == "password" and operator["op"] in {":", "="} and begins_line(text, name[0])
        fits = sets and _ENDS.match(text, places[-1][1]) is not None and is_passphrase(whole)
        fits = fits and not is_placeholder_value(whole)
    else:
        fits = is_secret(whole, kind, phrase=True)
    if fits:
        yield from (Secret(start, end, kind) for start, end in places if end > start)


def _is_first_argument(text: str, name: int) -> bool:
    """Whether a quoted name is the first argument of a call."""
    quote = name - 1 if text[max(0, name - 1) : name] in {'"', "'", "`"} else -1
    quote -= text[max(0, quote - 1) : quote] == "\\"
    return quote > 0 and text[max(0, quote - 5) : quote].rstrip(" \t").endswith("(")


def _pieces(text: str, at: int, quote: str, *, in_parentheses: bool) -> list[tuple[int, int]]:
    """The places of the texts that make up one value; none when the first has no end."""
    found: list[tuple[int, int]] = []
    while len(found) < _MOST_PIECES:
        pattern = _ESCAPED_QUOTE if quote.startswith("\\") else _QUOTED[quote]
        value = pattern.match(text, at)
        if value is None:
            break
        found.append(value.span())
        more = _MORE.match(text, value.end() + len(quote))
        if more is None or len(quote) > 1:
            break
        if not (in_parentheses or _JOINS.search(more[0])):
            break
        quote, at = text[more.end()], more.end() + 1
    return found


def _in_three(text: str, at: int, quotes: str, kind: str) -> Iterator[Secret]:
    """Yield the only line between three quotes."""
    end = text.find(quotes, at, at + _LONG_TEXT)
    value = text[at:end].strip() if end >= 0 else ""
    lines = [line for line in value.splitlines() if line.strip()]
    if len(lines) == 1 and is_secret(value, kind):
        start = text.index(value, at)
        yield Secret(start, start + len(value), kind)
