"""Passwords in ``.pgpass``, PostgreSQL's file of passwords: the last field of every line."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.secret_values import Secret, is_placeholder_value

_FIELD = r"(?:\\.|[^\s:\\#]){1,120}:"
_LINE = re.compile(
    rf"^(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,8}}(?:#[ \t]{{0,4}})?{_FIELD}(?:\d{{1,5}}|\*):"
    rf"{_FIELD}{_FIELD}(?P<secret>[^\r\n]{{1,512}})",
    re.MULTILINE,
)


def in_pgpass(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the passwords in a part of a text that is from a ``.pgpass`` file."""
    for line in _LINE.finditer(text, start, end):
        if not is_placeholder_value(line["secret"]):
            yield Secret(*line.span("secret"), "password")
