"""Values of Kubernetes' Secrets: all of them, whatever their names, plain or in base64."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.secret_values import Secret

_LEAD = rf"(?>(?P<number>{NUMBER})?)(?P<indent>[+-]?[ \t]*+(?>(?:-[ \t]++)*))"
_KIND = re.compile(
    rf"^{_LEAD}[\"']?kind[\"']?:[ \t]++[\"']?Secret[\"']?[ \t]*+,?[ \t]*+(?:#.*)?\r?$", re.MULTILINE
)
_JSON_KIND = re.compile(r"\"kind\"[ \t]{0,4}:[ \t]{0,4}\"Secret\"")
_NEXT_DOCUMENT = re.compile(rf"^(?>(?:{NUMBER})?)[+-]?---", re.MULTILINE)
_FAR = 20_000  # characters between a section and its kind
_SECTION = re.compile(
    rf"^{_LEAD}[\"']?(?:stringData|data)[\"']?[ \t]*+:[ \t]*+(?>(?:[&!]\S*+[ \t]*+)*)"
    r"(?:(?P<flow>\{)|(?:#.*)?\r?$)",
    re.MULTILINE,
)
_INDENT = re.compile(r"[+-]?[ \t]*+(?>(?:-[ \t]++)*)")
_NUMBERED = re.compile(NUMBER)
_KEY = re.compile(r"(?:#[ \t]*+)?(?:\"[^\"]*+\"|'[^']*+'|[\w./-]++)[ \t]*+:(?:[ \t]++|$)")
_BLOCK_MARK = re.compile(r"(?>(?:[!&]\S*+[ \t]++)*)[|>][-+\d]{0,2}[ \t]*+(?:#.*)?")
_JSON_SECTION = re.compile(r"\"(?:stringData|data)\"[ \t]{0,4}:\s{0,40}\{")
_ESCAPED_SECTION = re.compile(
    r"\\\"(?:stringData|data)\\\":\{(?P<data>(?>(?:\\\"[\w./-]*+\\\":\\\"[^\\\"\n]*+\\\",?)*))"
)
_ESCAPED_VALUE = re.compile(r":\\\"(?P<secret>[^\\\"\n]++)")
_TOKEN = re.compile(
    r"\s*+(?:(?P<mark>(?!\[redacted:)[{}\[\],:])|(?P<word>\[redacted:[^\]\n]*+\]"
    r"|\"(?>(?:[^\"\\\n]|\\.)*)\"?|'(?>(?:[^'\n]|'')*)'?|[^\s\"'{}\[\],:](?>(?:[^\n{}\[\],:]|:(?=\S))*)))"
)
_NO_VALUE = re.compile(
    r"\$\{[^{}]*\}|\$\w+|\{\{.*\}\}|<[^<>]*>|\[redacted:[^\]]*\]|change[-_ ]?(?:me|this)|(.)\1*",
    re.IGNORECASE,
)
_SHORTEST = 4


def in_kubernetes(text: str) -> Iterator[Secret]:
    """Yield the values of the Secrets in a text."""
    if "Secret" not in text or "ata" not in text:
        return
    if kinds := [kind.start() for kind in _KIND.finditer(text)]:
        yield from _in_yaml(text, kinds)
    if _JSON_KIND.search(text):
        done = 0
        for section in _JSON_SECTION.finditer(text):
            if section.start() >= done:
                found, done = _flow(text, section.end(), len(text))
                yield from found
    for section in _ESCAPED_SECTION.finditer(text):  # in an annotation
        for value in _ESCAPED_VALUE.finditer(text, *section.span("data")):
            yield from _hidden(text, *value.span("secret"))


def _in_yaml(text: str, kinds: list[int]) -> Iterator[Secret]:
    """Yield the values of the sections that have their kind near them, in the same document."""
    borders = [0, *(mark.start() for mark in _NEXT_DOCUMENT.finditer(text)), len(text)]
    done = 0
    for section in _SECTION.finditer(text):
        start = section.start()
        if start < done:
            continue
        at = bisect_right(borders, start, hi=len(borders) - 1)
        first, last = borders[at - 1], borders[at]
        if section["flow"]:
            found, done = _flow(text, section.end(), last)
        else:
            found, done = _block(text, section, last)
        nearest = bisect_left(kinds, max(first, start - _FAR))
        if nearest < len(kinds) and kinds[nearest] < min(last, done + _FAR):
            yield from found


def _block(text: str, section: re.Match[str], last: int) -> tuple[list[Secret], int]:
    """The values in the lines below that are indented deeper than a section, and their end."""
    found: list[Secret] = []
    at, names = section.end(), -1
    while at < last:
        start = at + 1
        newline = text.find("\n", start, last)
        end = newline if newline >= 0 else last
        number = _NUMBERED.match(text, start, end) if section["number"] is not None else None
        start = number.end() if number else start
        line = text[start:end].rstrip()
        indent = _INDENT.match(line)
        width = indent.end() if indent else 0
        is_comment = line.startswith("#", width)
        if line[width:] and width <= len(section["indent"]) and not is_comment:
            break
        if line[width:] and names < 0 and not is_comment:
            names = width
        value = _value_start(line, width, is_deep=0 <= names < width, is_comment=is_comment)
        found += _hidden(text, start + value, start + len(line))
        at = end
    return found, at


def _value_start(line: str, width: int, *, is_deep: bool, is_comment: bool) -> int:
    """Where the value of a line begins; the whole line is one where it is deeper than names."""
    if is_deep:
        return width
    if key := _KEY.match(line, width):
        return len(line) if _BLOCK_MARK.fullmatch(line, key.end()) else key.end()
    return len(line) if is_comment else width


def _flow(text: str, at: int, last: int) -> tuple[list[Secret], int]:
    """The values within braces, and their end."""
    found: list[Secret] = []
    depth, is_value = 1, False
    while depth and (token := _TOKEN.match(text, at, last)):
        at = token.end()
        if token["word"] is None:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token["mark"], 0)
            is_value = token["mark"] == ":" or depth > 1
        elif is_value:
            start, end = token.span("word")
            quote = text[start] if text[start] in {'"', "'"} else ""
            end -= end - start > 1 and quote != "" and text[end - 1] == quote
            found += _hidden(text, start + len(quote), end)
    return found, at


def _hidden(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield what is at a place, unless it only stands for a value."""
    value = text[start:end].rstrip()
    bare = value[1:-1] if value[:1] in {'"', "'"} and value[-1:] == value[:1] else value
    if len(value) >= _SHORTEST and not _NO_VALUE.fullmatch(bare):
        yield Secret(start, start + len(value), "secret")
