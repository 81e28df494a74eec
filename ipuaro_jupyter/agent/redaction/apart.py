"""Secrets separated from their names: below them, beside them, or within braces.

``password: >-`` has its text in the next lines, ``- name: DB_PASSWORD`` its ``value:`` in the next,
and ``db: {user: root, password: …}`` has no quotes, which in code would mean a variable.
"""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import (
    NEXT_LINE,
    NUMBER,
    REST,
    begins_line,
    lead_width,
    line_start,
)
from ipuaro_jupyter.agent.redaction.secret_values import Secret, is_code, is_env_value, is_secret
from ipuaro_jupyter.agent.redaction.wording import is_passphrase

_TAG = r"(?:[ \t]{1,20}[!&][^\s,{}\[\]]{0,80}){0,2}"
_BLOCK = re.compile(
    rf"[\"']?:{_TAG}[ \t]{{1,20}}[|>][-+\d]{{0,2}}[ \t]{{0,20}}(?:#[^\n]{{0,200}})?\r?(?=\n)"
)
_BELOW = re.compile(rf"[\"']?(?:[ \t]{{0,8}}=|:{_TAG})[ \t]{{0,20}}(?:#[^\n]{{0,200}})?\r?(?=\n)")
_TAGGED = re.compile(
    r"[\"']?:(?:[ \t]{1,20}[!&][^\s,{}\[\]]{1,80}){1,2}[ \t]{1,20}[\"']?"
    r"(?P<value>[^\s\"',;<>(){}\[\]]{1,256})"
)
_MOST_LINES, _LONGEST_LINE = 20, 600
_BARE = re.compile(r"[^\s\"'`,;<>(){}\[\]]{1,256}")
_PREFIX = r"(?:(?:parameter|option|variable|setting|env)_?)?"
_NAMED = re.compile(
    rf"(?:^|[\s{{,\"'(-]){_PREFIX}(?:name|key)[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}[\"']?\Z",
    re.IGNORECASE,
)
_VALUE_BEFORE = re.compile(
    r"value[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<value>[^\s\"'`,;<>(){}\[\]]{1,256})[\"']?"
    r"[ \t]{0,8},?"
    rf"(?:{NEXT_LINE}|[ \t]{{0,8}})[\"']?(?:name|key)[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}[\"']?\Z",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"\"[ \t]{0,4}\{[^}]{0,300}?[\s{]default[ \t]{0,20}=[ \t]{0,4}\"(?P<value>[^\"\s]{1,256})\""
)
_SET_BEFORE = re.compile(
    rf"(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,40}}"
    r"(?:ENV|setenv|set[ \t]{1,4}-[A-Za-z]{1,4}(?:[ \t]{1,4}-[A-Za-z]{1,4})?|#[ \t]{0,4}define)"
    r"[ \t]{1,8}"
)
_SET_AFTER = re.compile(
    r"[ \t]{1,20}[\"']?(?P<value>[^\s\"'`;()]{1,256})[\"']?(?=[ \t]{0,20}\r?$)", re.MULTILINE
)
_QUOTED_AFTER = re.compile(r"[ \t]{1,8}(?P<quote>[\"'])(?P<value>[^\"'\s]{1,256})(?P=quote)")
_WORD_AFTER = re.compile(
    r"[ \t]{1,20}(?P<value>[^\s\"'`;,<>(){}\[\]=:]{1,256})(?=[ \t]{0,20}\r?$)", re.MULTILINE
)
_HEREDOC = re.compile(
    r"(?:[\"']?[ \t]{0,20}=[ \t]{0,8}(?:\$\(cat[ \t]{1,4})?|(?P<reads>[ \t]{1,8}))<<[-~]?[ \t]{0,4}"
    r"[\"']?(?P<word>\w{1,40})[\"']?\r?(?=\n)"
)
_READ_BEFORE = re.compile(r"(?:^|[\s;&|(])read(?:[ \t]{1,8}[-\w]{1,40}){0,6}[ \t]{1,8}\Z")
_LONGEST_HEREDOC = 64_000
_LINE_LEAD = re.compile(rf"(?:{NUMBER})?[+-]?")
_OPENS = re.compile(r"[\"']?[ \t]{0,4}[:=](?:[ \t]{0,4}\{)?")
# What may stand between a name and its value: blanks, comments, and other plain fields of the pair.
# All of it is read one way only, so that the time is linear.
_GAP = rf"(?>[ \t]{{0,20}}+(?:#[^\n]{{0,120}}+)?\r?\n(?:{NUMBER})?[+-]?[ \t]{{0,40}}+)"
_BREAK = rf"[ \t]{{0,20}}+(?:,[ \t]{{0,8}}+{_GAP}{{0,3}}+|{_GAP}{{1,3}}+)"
_FIELD = (
    rf"(?>[\"']?(?!{_PREFIX}(?:value|name|key)\b)"
    r"[A-Za-z][\w-]{0,30}[\"']?[ \t]{0,4}:[ \t]{0,4}"
    r"(?:\"[^\"\\\n]{0,120}\"|'[^'\\\n]{0,120}'|[^\s\"'`,;<>(){}\[\]#|&*!-]"
    rf"(?:[^\n\"'`,<>(){{}}\[\]#]{{0,118}}[^\s\"'`,<>(){{}}\[\]#])?){_BREAK})"
)
_VALUE = re.compile(
    rf"[\"']?(?:{_BREAK}(?:{_FIELD}){{0,4}}+|[ \t]{{0,8}})[\"']?"
    rf"{_PREFIX}value[\"']?[ \t]{{0,4}}[:=]{_TAG}[ \t]{{0,4}}"
    r"(?:\"(?P<double>(?:[^\"\\\n]|\\.){1,256})\"|'(?P<single>(?:[^'\\\n]|\\.|''){1,256})'"
    r"|(?P<bare>[^\s\"'`,;<>(){}\[\]|]{1,256})(?=[ \t]{0,20}(?:[,}]|#|\r?$))"
    r"|(?P<block>[|>][-+\d]{0,2}[ \t]{0,20}\r?(?=\n)))",
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


def apart(text: str, name: tuple[int, int], kind: str, *, is_plain: bool) -> Iterator[Secret]:
    """Yield the secrets of the name at a place; none contains a line end.

    Args:
        text: The text.
        name: The place of the name.
        kind: The kind of secret that it suggests.
        is_plain: Whether the text is from a file of settings, where a bare word is a value.
    """
    start, end = name
    if block := _BLOCK.match(text, end):
        if begins_line(text, start):
            yield from _in_block(text, start, block.end(), kind)
    elif below := _BELOW.match(text, end):
        if begins_line(text, start):
            yield from _on_next_line(text, start, below.end(), kind, is_plain=is_plain)
            yield from _within(text, name, kind)
    elif heredoc := _HEREDOC.match(text, end):
        if heredoc["reads"] is None or _READ_BEFORE.search(text, max(0, start - 200), start):
            yield from _in_heredoc(text, heredoc, kind)
    elif _NAMED.search(text, max(0, start - 32), start):
        yield from _in_pair(text, name, kind)
    else:
        yield from _in_flow(text, name, kind)
        yield from _within(text, name, kind)
        yield from _after_blank(text, name, kind, is_plain=is_plain)
        if is_plain and kind == "password":
            yield from _after_word(text, name)


def _on_next_line(text: str, name: int, at: int, kind: str, *, is_plain: bool) -> Iterator[Secret]:
    """Yield the lone word of the next line, if it is indented more than the name."""
    start = line_start(text, name)
    own = text[start : text.find("\n", name)]
    end = text.find("\n", at + 1, at + _LONGEST_LINE)
    line = text[at + 1 : end if end >= 0 else min(len(text), at + _LONGEST_LINE)]
    value = line[lead_width(line, own) :].strip()
    if _indent(line, own) <= _indent(own, line) or any(c.isspace() for c in value):
        return
    bare = value[1:-1] if value[:1] in {'"', "'"} and value[-1:] == value[:1] else value
    if not is_secret(bare, kind) or not _BARE.fullmatch(bare):
        return
    if is_plain or bare != value or not is_code(bare, lone=True):
        place = at + 1 + line.index(bare, lead_width(line, own))
        yield Secret(place, place + len(bare), kind)


def _after_blank(
    text: str, name: tuple[int, int], kind: str, *, is_plain: bool
) -> Iterator[Secret]:
    """Yield the value that a blank, a YAML tag or the default of a variable precedes."""
    start, end = name
    if tagged := _TAGGED.match(text, end):
        is_value = is_plain or not is_code(tagged["value"], lone=True)
        if is_value and is_secret(tagged["value"], kind) and begins_line(text, start):
            yield Secret(*tagged.span("value"), kind)
    elif default := _DEFAULT.match(text, end):
        if text[max(0, start - 1) : start] == '"' and is_env_value(default["value"], kind):
            yield Secret(*default.span("value"), kind)
    elif stated := _QUOTED_AFTER.match(text, end):
        if kind == "password" and is_secret(stated["value"], kind):
            yield Secret(*stated.span("value"), kind)
    elif given := _SET_AFTER.match(text, end):
        line = line_start(text, start)
        if line >= 0 and _SET_BEFORE.fullmatch(text, line, start) and _fits(given["value"], kind):
            yield Secret(*given.span("value"), kind)


def _after_word(text: str, name: tuple[int, int]) -> Iterator[Secret]:
    """Yield the password that stands alone behind a name in a file of settings."""
    word = _WORD_AFTER.match(text, name[1])
    if word and begins_line(text, name[0]) and is_secret(word["value"], "password"):
        yield Secret(*word.span("value"), "password")


def _in_heredoc(text: str, mark: re.Match[str], kind: str) -> Iterator[Secret]:
    """Yield the lines of a here-document, up to the word that ends it, or to the next one."""
    at, last = mark.end(), min(len(text), mark.end() + _LONGEST_HEREDOC)
    while at < last:
        start = at + 1
        newline = text.find("\n", start, last)
        at = newline if newline >= 0 else last
        line = _LINE_LEAD.sub("", text[start:at], count=1)
        if line.strip() == mark["word"] or _HEREDOC.search(text, start, at + 1):
            return
        if line.strip() and _fits(line.strip(), kind):
            place = at - len(line.lstrip())
            yield Secret(place, place + len(line.strip()), kind)


def _in_block(text: str, name: int, at: int, kind: str) -> Iterator[Secret]:
    """Yield the lines below that are indented more than the line of the name."""
    start = line_start(text, name)
    own = text[start : text.find("\n", name)]
    for _ in range(_MOST_LINES):
        start = at + 1
        newline = text.find("\n", start, start + _LONGEST_LINE)
        at = newline if newline >= 0 else min(len(text), start + _LONGEST_LINE)
        line = text[start:at]
        value = line[lead_width(line, own) :].strip()
        if value:
            if _indent(line, own) <= _indent(own, line):
                return
            if _fits(value, kind):
                place = start + line.index(value, lead_width(line, own))
                yield Secret(place, place + len(value), kind)
        if newline < 0:
            return


def _fits(value: str, kind: str) -> bool:
    if kind == "password" and any(c.isspace() for c in value):
        return is_passphrase(value)
    return is_env_value(value, kind)


def _indent(line: str, other: str) -> int:
    rest = line[lead_width(line, other) :]
    return len(rest) - len(rest.lstrip())


def _in_pair(text: str, name: tuple[int, int], kind: str) -> Iterator[Secret]:
    """Yield the value beside a name, as in a container's variables."""
    before = _VALUE_BEFORE.search(text, max(0, name[0] - 400), name[0])
    yield from _beside(text, name, kind, before or _VALUE.match(text, name[1]))


def _within(text: str, name: tuple[int, int], kind: str) -> Iterator[Secret]:
    """Yield the value among the fields of a name: ``"db_password": {"value": …}``."""
    if opens := _OPENS.match(text, name[1]):
        yield from _beside(text, name, kind, _VALUE.match(text, opens.end()))


def _beside(
    text: str, name: tuple[int, int], kind: str, found: re.Match[str] | None
) -> Iterator[Secret]:
    """Yield a value that was found beside a name."""
    if found is None or found.lastgroup is None:
        return
    if found.lastgroup == "block":
        yield from _in_block(text, found.start("block"), found.end(), kind)
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
