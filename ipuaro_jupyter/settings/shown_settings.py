"""Settings for display in a notebook and for storing there: without passwords."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ipuaro_jupyter.workspace.processes.environment import looks_secret, starts_code

_HIDDEN = "***"
_VARIABLE = re.compile(r"\$\{(\w+)(:-[^}]*)?\}")
_URL = re.compile(r"[A-Za-z][\w+.-]*://\S+")
_NO_CODE = re.compile(r"[\w.+=~-]*")
"""Values that cannot name a file or be a command."""
_HEADER = re.compile(r"([\w-]+):\s*(.+)", re.DOTALL)


def without_secrets(settings: Mapping[str, Any], *, to_judge: bool = False) -> dict[str, Any]:
    """Nested settings with secrets replaced by ``***``.

    Args:
        settings: As they are written.
        to_judge: They are shown for approval: values that may decide which code runs then stay,
            under any name, and so does each host.
    """
    shown = dict(settings)
    for group, key in (("redis", "url"), ("llm", "host"), ("llm", "apiKeyHost")):
        inner = shown.get(group)
        if isinstance(inner, Mapping) and isinstance(inner.get(key), str):
            shown[group] = {**inner, key: _url(inner[key])}
    servers = shown.get("mcpServers")
    if isinstance(servers, Mapping):
        shown["mcpServers"] = {
            name: _server(server, to_judge=to_judge) for name, server in servers.items()
        }
    return shown


def shown_value(value: object) -> str:
    """A wrong value in the form an error may show; of a possible secret, only its type."""
    match value:
        case None | bool() | int() | float():
            return json.dumps(value)
        case str():
            return f"a text of {len(value):,} character{'s' * (len(value) != 1)}"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"of the type {type(value).__name__}"


def _server(server: Mapping[str, Any], *, to_judge: bool) -> dict[str, Any]:
    shown = dict(server)
    if shown.get("url"):
        shown["url"] = _url(shown["url"])
    if shown.get("headers"):
        shown["headers"] = {name: _value(text) for name, text in shown["headers"].items()}
    if shown.get("env"):
        shown["env"] = {
            name: text if to_judge and not _is_secret(name, text) else _value(text)
            for name, text in shown["env"].items()
        }
    if shown.get("args"):
        shown["args"] = _arguments(shown["args"], to_judge=to_judge)
    return shown


def _value(text: str) -> str:
    """The masked form of a value: all of it may be secret, except the variables it names."""
    shown, end = "", 0
    for found in _VARIABLE.finditer(text):
        shown += _HIDDEN if found.start() > end else ""
        shown += f"${{{found[1]}:-{_HIDDEN}}}" if found[2] else found[0]
        end = found.end()
    return shown + (_HIDDEN if end < len(text) else "")


def _is_secret(name: str, text: str) -> bool:
    """Whether a value looks secret and cannot be anything that runs."""
    is_code = starts_code(name) or not _NO_CODE.fullmatch(text)
    return looks_secret(name, text) and not is_code


def _arguments(arguments: Sequence[str], *, to_judge: bool) -> list[str]:
    shown: list[str] = []
    flag = ""
    for argument in arguments:
        is_flag = argument.startswith("-") and "=" not in argument
        if flag and not is_flag and (not to_judge or _NO_CODE.fullmatch(argument)):
            shown.append(_value(argument))
        else:
            shown.append(_argument(argument, to_judge=to_judge))
        flag = argument if is_flag and looks_secret(_name(argument), "") else ""
    return shown


def _argument(argument: str, *, to_judge: bool) -> str:
    """A masked argument that follows no flag: a value with its name, a header, or a URL."""
    if _URL.fullmatch(argument):
        return _url(argument)
    flag, sign, text = argument.partition("=")
    header = _HEADER.fullmatch(argument)
    if sign and looks_secret(_name(flag), "") and (not to_judge or _NO_CODE.fullmatch(text)):
        return f"{flag}={_value(text)}"
    if sign and _URL.fullmatch(text):
        return f"{flag}={_url(text)}"
    if to_judge:
        return argument
    if header and (looks_secret(_name(header[1]), "") or header[1].lower() == "authorization"):
        return f"{header[1]}: {_value(header[2])}"
    return _HIDDEN if looks_secret("", argument) else argument


def _name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _url(url: str) -> str:
    """A URL without its password, but with its host."""
    try:
        parts = urlsplit(url)
    except ValueError:  # it cannot lead anywhere
        return _HIDDEN
    if parts.scheme.startswith("redis") and "@" in parts.path:
        return f"{parts.scheme}://{_HIDDEN}"  # such a URL is refused: its password is not encoded
    place, mark, query = url.partition("?")
    login, at, host = parts.netloc.rpartition("@")
    if at:
        user, colon, password = login.partition(":")
        named = f"{user}:{_value(password)}@{host}" if colon else f"{_value(login)}@{host}"
        place = place.replace(parts.netloc, named, 1)
    return place + mark + re.sub(r"([^=&#]+)=([^&#]*)", _option, query)


def _option(found: re.Match[str]) -> str:
    name, text = found.groups()
    return f"{name}={_value(text)}" if looks_secret(_name(name), "") else found[0]
