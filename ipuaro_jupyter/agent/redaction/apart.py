"""Secrets separated from their names: below them, beside them, or within braces.

``password: >-`` has its text in the next lines, ``- name: DB_PASSWORD`` its ``value:`` in the next,
and ``db: {user: root, password: …}`` has no quotes, which in code would mean a variable.
"""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NUMBER, REST, begins_line, line_start
from ipuaro_jupyter.agent.redaction.secret_values import Secret, is_code, is_env_value, is_secret
from ipuaro_jupyter.agent.redaction.wording import is_passphrase

_BLOCK = re.compile(r"[\"']?:[ \t]{1,20}[|>][-+\d]{0,2}[ \t]{0,20}(?:#[^\n]{0,200})?\r?(?=\n)")
_MOST_LINES, _LONGEST_LINE = 20, 600
_NUMBER = re.compile(NUMBER)
_NAMED = re.compile(
    r"(?:^|[\s{,\"'(-])(?:name|key)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?\Z", re.IGNORECASE
)
_VALUE = re.compile(
    rf"[\"']?[ \t]{{0,8}},?[ \t]{{0,8}}(?:\r?\n(?:{NUMBER})?[+-]?[ \t]{{0,40}})?[\"']?value[\"']?"
    r"[ \t]{0,4}[:=][ \t]{0,4}(?:\"(?P<double>[^\"\\\n]{1,256})\"|'(?P<single>[^'\\\n]{1,256})'"
    r"|(?P<bare>[^\s\"'`,;<>(){}\[\]]{1,256})(?=[ \t]{0,20}(?:[,}]|#|\r?$)))",
    re.IGNORECASE | re.MULTILINE,
)
_FLOW_BEFORE = re.compile(
    rf"(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,40}}(?:- )?"
    r"(?:[\"']?[\w.-]{1,60}[\"']?:[ \t]{1,4})?\{(?:[^{}()\n]{0,160},)?[ \t]{0,8}[\"']?"
)
_FLOW_AFTER = re.compile(
    r"[\"']?:[ \t]{1,4}(?P<value>[^\s\"'`,;<>(){}\[\]]{1,256})"
    r"[ \t]{0,8}(?:,[^{}()\n]{0,200})?\}"
)


def apart(text: str, name: tuple[int, int], kind: str) -> Iterator[Secret]:
    """Yield the secrets of the name at a place; none contains a line end."""
    start, end = name
    if block := _BLOCK.match(text, end):
        if begins_line(text, start):
            yield from _in_block(text, start, block.end(), kind)
    elif _NAMED.search(text, max(0, start - 24), start):
        yield from _in_pair(text, name, kind)
    else:
        yield from _in_flow(text, name, kind)


def _in_block(text: str, name: int, at: int, kind: str) -> Iterator[Secret]:
    """Yield the lines below that are indented more than the line of the name."""
    start = line_start(text, name)
    own = text[start : text.find("\n", name)]
    for _ in range(_MOST_LINES):
        start = at + 1
        newline = text.find("\n", start, start + _LONGEST_LINE)
        at = newline if newline >= 0 else min(len(text), start + _LONGEST_LINE)
        line = text[start:at]
        value = line[_width(line, own) :].strip()
        if value:
            if _indent(line, own) <= _indent(own, line):
                return
            if _fits(value, kind):
                place = start + line.index(value, _width(line, own))
                yield Secret(place, place + len(value), kind)
        if newline < 0:
            return


def _fits(value: str, kind: str) -> bool:
    if kind == "password" and any(c.isspace() for c in value):
        return is_passphrase(value)
    return is_env_value(value, kind)


def _width(line: str, other: str) -> int:
    """The width of a line's prefix, its number and sign, if ``other`` has one too."""
    number = _NUMBER.match(line)
    beside = _NUMBER.match(other)
    width, there = (number.end(), beside.end()) if number and beside else (0, 0)
    sign = line[width : width + 1]
    return width + (sign in {"+", "-"} and other[there : there + 1] == sign)


def _indent(line: str, other: str) -> int:
    rest = line[_width(line, other) :]
    return len(rest) - len(rest.lstrip())


def _in_pair(text: str, name: tuple[int, int], kind: str) -> Iterator[Secret]:
    """Yield the value beside a name, as in a container's variables."""
    found = _VALUE.match(text, name[1])
    if found is None or found.lastgroup is None:
        return
    value = found[found.lastgroup]
    is_variable = text[name[0] : name[1]].isupper()
    if _fits(value, kind) if is_variable else is_secret(value, kind):
        yield Secret(*found.span(found.lastgroup), kind)


def _in_flow(text: str, name: tuple[int, int], kind: str) -> Iterator[Secret]:
    """Yield the value in a line of YAML that is ``key: {…}`` and nothing else."""
    after = _FLOW_AFTER.match(text, name[1])
    if after is None or not REST.match(text, after.end()):
        return
    start = line_start(text, name[0])
    if start < 0 or not _FLOW_BEFORE.fullmatch(text, start, name[0]):
        return
    value = after["value"]
    if is_secret(value, kind) and not is_code(value, lone=True):
        yield Secret(*after.span("value"), kind)
