"""Secrets recognized by the name of their variable or key: ``password = "…"``.

A name alone says little: ``token = getToken()``, ``password: string`` and ``"tokenType"`` are code.
So the value has to look like a secret too, given the kind of name and whether it is quoted.
Everything here looks at a few hundred characters around each name, so that the time is linear in
the text.
"""

import re
import string
from collections.abc import Callable, Iterator

from ipuaro_jupyter.agent.redaction.apart import apart
from ipuaro_jupyter.agent.redaction.lines import NEXT_LINE, REST, begins_line
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
    *("pass", "pwd", "secret", "token", "credential", "subscription-key", "functions-key"),
    *("api_key", "api-key", "apikey", "access_key", "accesskey", "access-key", "private_key"),
    *("privatekey", "private-key", "signing_key", "signingkey", "encryption_key", "encryptionkey"),
    *("auth_key", "authkey", "account_key", "accountkey", "service_key", "master_key"),
    *("app_key", "appkey", "application_key", "bindpw", "rootpw", "psk"),
    *("masterkey", "shared_key", "sharedkey", "deploy_key", "webhook_key", "_auth"),
)
_NAME = re.compile(r"[A-Za-z0-9_$.-]{1,64}")
_NAME_CHARACTER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-")
_LONGEST_NAME = 64
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_OPERATOR = re.compile(
    r"\\?[\"'`]?(?:\]|\))?[ \t]{0,20}"
    r"(?::[ \t]{0,4}(?:&(?:'\w{1,20} )?)?[A-Za-z_][\w.<>\[\]|]{0,40}[ \t]{0,4}(?==))?"
    r"(?P<op>:=|=>|!={1,2}|={1,3}|:|>|(?:\|\||\?\?)=?|or(?=[ \t]))(?P<blanks>[ \t]{0,20})"
    rf"(?P<apart>(?:\([ \t]{{0,8}})?(?:{NEXT_LINE})?(?=(?:[brfBRF]{{0,2}}|@)\\?[\"'`]))?"
    r"(?:(?:[brfBRF]{1,2}|@)(?=[\"']))?(?P<quote>\\?[\"'`])?"
)
_ARGUMENT = re.compile(
    r"(?P<end>\\?[\"'`])[ \t]{0,4},(?P<apart>[ \t]{0,4})(?P<op>)(?P<quote>\\?[\"'`])"
)
_HEADER = re.compile(r"(?P<value>[^\s\"'`,;<>(){}\[\]\\]{1,512})\\?(?P<quote>[\"'`])")
_HEADER_WORD = re.compile(r"(?P<value>[^\s\"'`,;<>(){}\[\]]{1,512})(?=[\s\"'`;]|$)")
_FLAG = re.compile(r"[ =][\"']?(?P<value>[^\s\"'<>|&;]{6,256})")
_BARE = re.compile(r"[^\s\"'`,;<>(){}\[\]]{1,512}")
_ELEMENT = re.compile(
    rf"(?:{NEXT_LINE}|[ \t]{{0,8}})(?:<!\[CDATA\[)?(?P<value>[^\s<>\]]{{1,512}})"
    rf"(?:\]\]>)?(?:{NEXT_LINE}|[ \t]{{0,8}})</"
)
_PART = re.compile(r"[^\s\"'`&;<>(){}\[\]]{1,512}")
_PAIR_BEFORE = re.compile(r"[A-Za-z][\w ]{0,30}=[^;=\n]{0,100};[ \t]?\Z")
_PAIR_AFTER = re.compile(r";[ \t]?[A-Za-z][\w ]{0,30}=[^;\s]")
_BEFORE_PAIR = {";", " ", '"', "'", "`", ""}
_DSN = re.compile(r"(?<![\w.])(?:host|hostaddr|dbname|user|port)=[^\s=,;()]{1,100}(?=[\s\"'`])")
_ENDS_IN_PASS = re.compile(r"(?:^|[._-])pass$")
_OPTIONS_BEFORE = re.compile(
    r"(?:^|[\s\"'])user(?:name)?=[^\s()\"'=,]{1,80},(?:[^\s()\"',]{1,80},){0,8}\Z"
)
_WORD_ENDS = re.compile(r"(?=[\s\"'`;]|$)")
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


def assigned(text: str, is_plain: Callable[[int], bool] = lambda _: False) -> Iterator[Secret]:
    """Yield the secrets that their names reveal, in no order.

    Args:
        text: The text.
        is_plain: Whether a place is in a file of settings, where a bare word is a value.
    """
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
                yield from _of(text, (start, end), is_plain=is_plain(start))
            at = lower.find(hint, max(end, at + 1))


def _name_around(text: str, at: int) -> tuple[int, int]:
    start, least = at, max(0, at - _LONGEST_NAME)
    while start > least and text[start - 1] in _NAME_CHARACTER:
        start -= 1
    found = _NAME.match(text, at)
    return start, found.end() if found else at + 1


def _of(text: str, name: tuple[int, int], *, is_plain: bool) -> Iterator[Secret]:
    """Yield the secrets that are the value of the name at a place."""
    named = text[name[0] : name[1]]
    if kind := kind_of(named) or (is_plain and _ENDS_IN_PASS.search(named) and "password") or "":
        found = tuple(_value_of(text, name, kind, is_plain=is_plain))
        yield from found or apart(text, name, kind, is_plain=is_plain)


def _value_of(text: str, name: tuple[int, int], kind: str, *, is_plain: bool) -> Iterator[Secret]:
    """Yield the secret that directly follows a name, or its pieces."""
    start, end = name
    if text.startswith("--", start):
        flag = _FLAG.match(text, end)
        if flag and is_secret(flag["value"], kind) and not _is_name(flag["value"]):
            yield Secret(*flag.span("value"), kind)
        return
    operator = _OPERATOR.match(text, end) or _ARGUMENT.match(text, end)
    if operator is None or (operator["op"] == ">") != (text[max(0, start - 1) : start] == "<"):
        return
    if operator["op"] == ">":
        element = _ELEMENT.match(text, operator.end())
        if element and is_secret(element["value"], kind):
            yield Secret(*element.span("value"), kind)
    elif operator["quote"]:
        yield from quoted(text, name, operator, kind)
    elif operator["op"] in {":", "="}:
        in_header = operator["op"] == ":" and _header_value(text, name, operator, kind)
        found = in_header or _one_of_words(text, name, operator, kind)
        found = found or _bare_value(text, name, operator, kind, is_plain=is_plain)
        if found:
            yield found


def _is_name(value: str) -> bool:
    """Whether a word after an option is a name: in a command, others with a digit are none."""
    return is_code(value) and ("." in value or not any(c.isdigit() for c in value))


def _bare_value(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str, *, is_plain: bool
) -> Secret | None:
    """The secret in a line of ``.env``, YAML or a properties file, or of a URL."""
    at, op = operator.end(), operator["op"]
    before = text[max(0, name[0] - 1) : name[0]]
    if op == "=" and (part := _PART.match(text, at)):
        is_pair = before == ";" or text[part.end() : part.end() + 1] == ";"
        if is_pair and before in _BEFORE_PAIR and _is_listed(text, name[0], part.end()):
            return Secret(*part.span(), kind) if is_env_value(part[0], kind) else None
        if before in {"?", "&", ";"}:
            return Secret(*part.span(), kind) if is_secret(part[0], kind) else None
    value = _BARE.match(text, at)
    if value is None:
        return None
    is_tight = op == "=" and not operator["blanks"]
    is_variable = text[name[0] : name[1]].isupper() and (is_tight or op == ":")
    leads, ends = begins_line(text, name[0]), REST.match(text, value.end()) is not None
    if not (leads and ends):
        in_command = is_variable and is_tight and (leads or before in {" ", "\t", '"', "'", "="})
        if not in_command and is_tight and before == " " and _is_dsn(text, *name):
            ends = _WORD_ENDS.match(text, value.end()) is not None
            return Secret(*value.span(), kind) if ends and is_env_value(value[0], kind) else None
        if not in_command or not _WORD_ENDS.match(text, value.end()):
            return None
    if (is_variable and leads) or (is_plain and leads and kind == "password"):
        fits = is_env_value(value[0], kind)
    else:
        is_value = is_plain if leads else is_variable
        lone = op == ":" or is_tight
        fits = is_secret(value[0], kind) and (is_value or not is_code(value[0], lone=lone))
    return Secret(*value.span(), kind) if fits else None


def _one_of_words(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Secret | None:
    """The password among others of a command or an inventory, or of mount's options."""
    before = text[max(0, name[0] - 1) : name[0]]
    value = _BARE.match(text, operator.end())
    if value is None or kind != "password" or operator["op"] != "=" or operator["blanks"]:
        return None
    if before == "," and _OPTIONS_BEFORE.search(text, max(0, name[0] - 400), name[0]):
        return Secret(*value.span(), kind) if is_env_value(value[0], kind) else None
    is_word = before in {" ", "\t"} and _WORD_ENDS.match(text, value.end()) is not None
    fits = is_word and is_secret(value[0], kind) and not _is_name(value[0])
    return Secret(*value.span(), kind) if fits else None


def _header_value(
    text: str, name: tuple[int, int], operator: re.Match[str], kind: str
) -> Secret | None:
    """The secret of a header: ``-H 'X-Api-Key: …'`` in quotes, or ``X-Api-Key:…`` without."""
    before = text[max(0, name[0] - 1) : name[0]]
    found = None
    if before in {'"', "'", "`"}:
        found = _HEADER.match(text, operator.end())
        found = found if found and found["quote"] == before else None
    elif before in {" ", "\t"} and "-" in text[name[0] : name[1]] and not operator["blanks"]:
        found = _HEADER_WORD.match(text, operator.end())
    if found is None or not is_secret(found["value"], kind) or is_code(found["value"], lone=True):
        return None
    return Secret(*found.span("value"), kind)


def _is_listed(text: str, start: int, end: int) -> bool:
    """Whether a setting is one of several in a line, as in ``Server=db;Password=…;``."""
    return _PAIR_BEFORE.search(text, max(0, start - 120), start) is not None or (
        _PAIR_AFTER.match(text, end) is not None
    )


def _is_dsn(text: str, start: int, end: int) -> bool:
    """Whether a setting is one of those of a database: ``host=db password=…``."""
    return (
        _DSN.search(text, max(0, start - 120), start) is not None
        or _DSN.search(text, end, end + 400) is not None
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
