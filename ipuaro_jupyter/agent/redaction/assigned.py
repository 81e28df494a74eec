"""Secrets recognized by the name of their variable or key: ``password = "…"``.

A name alone says little: ``token = getToken()``, ``password: string`` and ``"tokenType"`` are code.
So the value has to look like a secret too, given the kind of name and whether it is quoted.
Everything here looks at a few hundred characters around each name, so that the time is linear in
the text.
"""

import re
import string
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.apart import apart
from ipuaro_jupyter.agent.redaction.lines import REST, begins_line
from ipuaro_jupyter.agent.redaction.secret_values import (
    Secret,
    is_code,
    is_env_value,
    is_placeholder_value,
    is_secret,
    kind_of,
)
from ipuaro_jupyter.agent.redaction.wording import is_passphrase

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
_ENDS = re.compile(r"\\?[\"'`][ \t]{0,8}[,;]?[ \t]{0,8}(?:(?:#|//).*)?\r?$", re.MULTILINE)
_WORD_ENDS = re.compile(r"(?=[\s\"'`;]|$)")


def assigned(text: str) -> Iterator[Secret]:
    """Yield the secrets that their names reveal, in no order."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter has become two, which would shift the places
        lower = text.translate(_LOWER)
    seen: set[int] = set()
    for hint in _HINTS:
        at = lower.find(hint)
        while at >= 0:
            start, end = _name_around(text, at)
            if start not in seen:
                seen.add(start)
                yield from _of(text, (start, end))
            at = lower.find(hint, max(end, at + 1))


def _name_around(text: str, at: int) -> tuple[int, int]:
    at += text[at] == ":"
    start, least = at, max(0, at - _LONGEST_NAME)
    while start > least and text[start - 1] in _NAME_CHARACTER:
        start -= 1
    found = _NAME.match(text, at)
    return start, found.end() if found else at + 1


def _of(text: str, name: tuple[int, int]) -> Iterator[Secret]:
    """Yield the secrets that are the value of the name at a place."""
    if kind := kind_of(text[name[0] : name[1]]):
        if found := _value_of(text, name, kind):
            yield found
        else:
            yield from apart(text, name, kind)


def _value_of(text: str, name: tuple[int, int], kind: str) -> Secret | None:
    """The secret that directly follows a name."""
    start, end = name
    if text.startswith("--", start):
        flag = _FLAG.match(text, end)
        fits = flag and is_secret(flag["value"], kind) and not is_code(flag["value"])
        return Secret(*flag.span("value"), kind) if flag and fits else None
    operator = _OPERATOR.match(text, end)
    if operator is None or (operator["op"] == ">") != (text[max(0, start - 1) : start] == "<"):
        return None
    if operator["op"] == ">":
        element = _ELEMENT.match(text, operator.end())
        return Secret(*element.span(), kind) if element and is_secret(element[0], kind) else None
    if operator["quote"]:
        return _quoted_value(text, name, operator, kind)
    return _bare_value(text, name, operator, kind)


def _quoted_value(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Secret | None:
    """The secret in quotes; one with blanks only where a line sets a password."""
    quote = operator["quote"]
    pattern = _ESCAPED_QUOTE if quote.startswith("\\") else _QUOTED[quote]
    value = pattern.match(text, operator.end())
    if value is None:
        return None
    if any(c.isspace() for c in value[0]) and "phrase" not in text[name[0] : name[1]].lower():
        sets = kind == "password" and operator["op"] in {":", "="} and begins_line(text, name[0])
        fits = sets and _ENDS.match(text, value.end()) is not None and is_passphrase(value[0])
        fits = fits and not is_placeholder_value(value[0])
    else:
        fits = is_secret(value[0], kind, phrase=True)
    return Secret(*value.span(), kind) if fits else None


def _bare_value(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Secret | None:
    """The secret in a line of ``.env``, YAML or a properties file, or of a URL."""
    at, op = operator.end(), operator["op"]
    if op not in {":", "="}:
        return None
    if text[max(0, name[0] - 1) : name[0]] in {"?", "&", ";"}:
        part = _PART.match(text, at)
        return Secret(*part.span(), kind) if part and is_secret(part[0], kind) else None
    value = _BARE.match(text, at)
    if value is None:
        return None
    is_tight = op == "=" and not operator["blanks"]
    is_variable = text[name[0] : name[1]].isupper() and (is_tight or op == ":")
    leads, ends = begins_line(text, name[0]), REST.match(text, value.end()) is not None
    if not (leads and ends):
        before = text[max(0, name[0] - 1) : name[0]]
        in_command = is_variable and is_tight and (leads or before in {" ", "\t", '"', "'"})
        if not in_command or not _WORD_ENDS.match(text, value.end()):
            return None
    if is_variable and leads:
        fits = is_env_value(value[0], kind)
    else:
        fits = is_secret(value[0], kind) and not is_code(value[0], lone=op == ":" or is_tight)
    return Secret(*value.span(), kind) if fits else None
