"""Values of Kubernetes' Secrets: all of them, whatever their names, plain or in base64."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.secret_values import Secret, is_placeholder_value

_LEAD = rf"(?>(?:{NUMBER})?)[+-]?"  # not to be taken for an indent
_KIND = re.compile(
    rf"^{_LEAD}[ \t]{{0,8}}kind:[ \t]{{1,4}}[\"']?Secret[\"']?[ \t]{{0,8}}\r?$", re.MULTILINE
)
_NEXT_DOCUMENT = re.compile(rf"^{_LEAD}---", re.MULTILINE)
_LONGEST = 20_000  # characters of one before and after its kind that are looked at
_DATA = re.compile(
    rf"^{_LEAD}(?P<indent>[ \t]{{0,8}})(?:stringData|data):[ \t]{{0,8}}\r?\n"
    rf"(?P<lines>(?:{_LEAD}(?:(?P=indent)[ \t][^\n]{{0,8000}}|[ \t]{{0,20}}\r?)(?:\n|\Z))"
    r"{1,400})",
    re.MULTILINE,
)
_VALUE = re.compile(
    rf"^{_LEAD}[ \t]{{1,40}}(?>(?:[\"']?[\w.-]{{1,200}}[\"']?:[ \t]{{1,8}})?)(?P<quote>[\"']?)"
    r"(?P<secret>[^\s\"'#|>&!][^\n\"']{0,8000}?)(?P=quote)[ \t]{0,20}\r?$",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.-]{1,200}:")
_JSON_KIND = re.compile(r"\"kind\"[ \t]{0,4}:[ \t]{0,4}\"Secret\"")
_JSON_DATA = re.compile(r"\"(?:stringData|data)\"[ \t]{0,4}:\s{0,40}\{(?P<data>[^{}]{0,20000})\}")
_JSON_VALUE = re.compile(r":[ \t]{0,4}\"(?P<secret>(?:[^\"\\\n]|\\.){1,8000})\"")


def in_kubernetes(text: str) -> Iterator[Secret]:
    """Yield the values of the Secrets in a text."""
    if "Secret" not in text or "ata" not in text:
        return
    done = 0
    for kind in _KIND.finditer(text):
        if kind.start() < done:
            continue  # of the same document
        start, end = _document(text, kind.start(), kind.end())
        start, done = max(start, done), end
        for data in _DATA.finditer(text, start, end):
            for value in _VALUE.finditer(text, data.start("lines"), data.end("lines")):
                if not _NAME.fullmatch(value["secret"]):
                    yield from _hidden(value)
    if _JSON_KIND.search(text):
        for data in _JSON_DATA.finditer(text):
            for value in _JSON_VALUE.finditer(text, *data.span("data")):
                yield from _hidden(value)


def _document(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the document around a line begins and ends."""
    first = max(0, start - _LONGEST)
    for mark in _NEXT_DOCUMENT.finditer(text, first, start):
        first = mark.end()
    after = _NEXT_DOCUMENT.search(text, end, end + _LONGEST)
    return first, after.start() if after else min(len(text), end + _LONGEST)


def _hidden(value: re.Match[str]) -> Iterator[Secret]:
    if not is_placeholder_value(value["secret"]):
        yield Secret(*value.span("secret"), "secret")
