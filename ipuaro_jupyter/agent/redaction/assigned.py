"""Secrets that are told by the name of what they are assigned to: ``password = "…"``.

A name alone says little: ``token = getToken()``, ``password: string`` and ``"tokenType"`` are code.
So the value has to look like a secret too: for its kind of name, and for whether it is quoted.
Everything here looks at a few hundred characters around each name, so that the time grows with the
text only.
"""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.agent.redaction.values import is_code, is_env_value, is_secret, kind_of


class Found(NamedTuple):
    """A secret in a text: where it stands, end not included, and what it is."""

    start: int
    end: int
    kind: str


_HINTS = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "credential"),
    *("api_key", "api-key", "apikey", "access_key", "accesskey", "access-key", "private_key"),
    *("privatekey", "private-key", "signing_key", "signingkey", "encryption_key", "encryptionkey"),
    *("auth_key", "authkey", "account_key", "accountkey", "service_key", "master_key", "_pass"),
    *("masterkey", "shared_key", "sharedkey", "deploy_key", "webhook_key", ":_auth", "pass_"),
)
_NAME = re.compile(r"[A-Za-z0-9_$.-]{1,64}")
_NAME_CHARACTER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-")
_LONGEST_NAME = 64
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_OPERATOR = re.compile(
    r"\\?[\"'`]?\]?[ \t]{0,20}"
    r"(?::[ \t]{0,4}[A-Za-z_][\w.<>\[\]|]{0,40}[ \t]{0,4}(?==))?"
    r"(?P<op>:=|=>|!={1,2}|={1,3}|:|>)(?P<blanks>[ \t]{0,20})"
    r"(?:[brfBRF]{1,2}(?=[\"']))?(?P<quote>\\?[\"'`])?"
)
_FLAG = re.compile(r"[ =][\"']?(?P<value>[^\s\"'<>|&;]{6,256})")
_QUOTED = {
    '"': re.compile(r'(?:[^"\\\n]|\\.){0,512}(?=")'),
    "'": re.compile(r"(?:[^'\\\n]|\\.){0,512}(?=')"),
    "`": re.compile(r"(?:[^`\\\n]|\\.){0,512}(?=`)"),
}
_ESCAPED_QUOTE = re.compile(r"[^\"'\\\n]{0,512}(?=\\)")
_BARE = re.compile(r"[^\s\"'`,;<>(){}\[\]]{1,512}")
_ELEMENT = re.compile(r"[^\s<>]{1,512}(?=</)")
_PART = re.compile(r"[^\s\"'`&;<>(){}\[\]]{1,512}")
_LONGEST_LEAD = 200
_REST = re.compile(r"[ \t]*(?:#.*|\\)?\r?$", re.MULTILINE)
_LINE_START = re.compile(
    r"[ \t]{0,40}(?:\d{1,7}[\t:|-])?[+-]?[ \t]{0,40}(?:-[ \t])?(?:(?:export|set|ENV|env)[ \t])?"
    r"(?://[A-Za-z0-9./-]{1,80}:)?[\"']?"
)


def assigned(text: str) -> Iterator[Found]:
    """Yield the secrets that a name of theirs gives away, in no order."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter has become two, and places would be shifted
        lower = text.translate(_LOWER)
    seen: set[int] = set()
    for hint in _HINTS:
        at = lower.find(hint)
        while at >= 0:
            start, end = _name_around(text, at)
            if start not in seen:
                seen.add(start)
                if found := _value_of(text, start, end):
                    yield found
            at = lower.find(hint, max(end, at + 1))


def _name_around(text: str, at: int) -> tuple[int, int]:
    at += text[at] == ":"
    start, least = at, max(0, at - _LONGEST_NAME)
    while start > least and text[start - 1] in _NAME_CHARACTER:
        start -= 1
    found = _NAME.match(text, at)
    return start, found.end() if found else at + 1


def _value_of(text: str, start: int, end: int) -> Found | None:
    """Return the secret that the name at a place of the text has as its value."""
    kind = kind_of(text[start:end])
    if not kind:
        return None
    if text.startswith("--", start):
        flag = _FLAG.match(text, end)
        fits = flag and is_secret(flag["value"], kind) and not is_code(flag["value"])
        return Found(*flag.span("value"), kind) if flag and fits else None
    operator = _OPERATOR.match(text, end)
    if operator is None or (operator["op"] == ">") != (text[max(0, start - 1) : start] == "<"):
        return None
    if operator["op"] == ">":
        element = _ELEMENT.match(text, operator.end())
        return Found(*element.span(), kind) if element and is_secret(element[0], kind) else None
    if quote := operator["quote"]:
        pattern = _ESCAPED_QUOTE if quote.startswith("\\") else _QUOTED[quote]
        value = pattern.match(text, operator.end())
        is_phrase = "phrase" in text[start:end].lower()
        fits = value is not None and is_secret(value[0], kind, phrase=is_phrase)
        return Found(*value.span(), kind) if value and fits else None
    return _bare_value(text, (start, end), operator, kind)


def _bare_value(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Found | None:
    """Return the secret of a line as in ``.env``, YAML or a properties file, or of a URL."""
    at, op = operator.end(), operator["op"]
    if op not in {":", "="}:
        return None
    if text[max(0, name[0] - 1) : name[0]] in {"?", "&", ";"}:
        part = _PART.match(text, at)
        return Found(*part.span(), kind) if part and is_secret(part[0], kind) else None
    value = _BARE.match(text, at) if _begins_line(text, name[0]) else None
    if value is None or not _REST.match(text, value.end()):
        return None
    is_tight = op == "=" and not operator["blanks"]
    if text[name[0] : name[1]].isupper() and (is_tight or op == ":"):
        fits = is_env_value(value[0], kind)
    else:
        fits = is_secret(value[0], kind) and not is_code(value[0], lone=op == ":" or is_tight)
    return Found(*value.span(), kind) if fits else None


def _begins_line(text: str, at: int) -> bool:
    """Return whether only what leads a line stands before: a line number, "export", "-"."""
    line = text.rfind("\n", max(0, at - _LONGEST_LEAD), at)
    if line < 0 and at > _LONGEST_LEAD:
        return False
    return _LINE_START.fullmatch(text, line + 1, at) is not None
