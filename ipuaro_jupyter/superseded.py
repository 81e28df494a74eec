"""Settings of ipuaro for the terminal that are called otherwise here, or are needed no more.

A file with them is read all the same: what says the same in another way counts as that, and the
user is told of each what stands in its place.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv6Address
from typing import Any, NamedTuple
from urllib.parse import quote

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.text_distance import closest

_ADDRESS = "counts as part of redis.url, which names a server of your own"
_TAB = "Tab completes from the index and the folders, as far as Jupyter's settings let it"

SUPERSEDED: Mapping[str, str] = {
    "redis.host": _ADDRESS,
    "redis.port": _ADDRESS,
    "redis.db": _ADDRESS,
    "redis.password": _ADDRESS,
    "redis.keyPrefix": "every key begins with ipuaro: and the version of its form",
    "project.binaryExtensions": "binary files are known by what is in them, too",
    "project.maxFileSize": "files over 1 MB keep their lines and are not analysed",
    "project.supportedExtensions": "a language is a folder, see IPUARO_LANGUAGES in the guide",
    "edit.autoApply": 'true counts as "approve": "edits"',
    "edit.syntaxHighlight": "code is highlighted always",
    "input.multiline": "a cell has as many lines as you like",
    "display.showStats": "each answer ends with its tokens and its time",
    "display.showToolCalls": "each call is one line that opens",
    "display.theme": "the notebook's own theme counts",
    "display.bellOnComplete": "there is no bell",
    "display.progressBar": "it is shown while something takes long",
    "session.persistIndefinitely": "sessions stay until they are deleted, on the embedded server "
    "for redis.unusedDays",
    "session.maxHistoryMessages": "all are kept; how much the model is sent says context",
    "session.saveInputHistory": "the last 500 questions of a project are kept; those of a session "
    "go when it is deleted",
    "context.includeSignatures": "context.mapShare is how much of the project's map is sent",
    "context.includeDepsGraph": "context.mapShare is how much of the project's map is sent",
    "autocomplete.enabled": _TAB,
    "autocomplete.source": _TAB,
    "autocomplete.maxSuggestions": _TAB,
    "commands.timeout": "each call says its own timeout, else it is 30 seconds",
}
"""What stands in the place of each."""
_GROUPS = ("edit", "input", "session", "autocomplete")
"""What has no other keys than those."""
_ADDRESS_PARTS = ("host", "port", "db", "password")
_NAME = re.compile(r"[\w.-]+")


class Current(NamedTuple):
    """Settings without superseded keys, and the notices about those that were there."""

    values: dict[str, Any]
    notices: list[str]


def brought_up_to_date(values: Mapping[str, Any], source: str) -> Current:
    """Return the settings of a file with what counts today in the place of superseded keys.

    Args:
        values: What is in the file.
        source: Its name, for the notices.

    Raises:
        SettingsError: A group that had only superseded keys has another one, or a value is wrong.
    """
    kept: dict[str, Any] = {}
    old: dict[str, Any] = {}
    for group, inner in values.items():
        if not isinstance(inner, Mapping):
            kept[group] = inner
            continue
        rest = {key: value for key, value in inner.items() if f"{group}.{key}" not in SUPERSEDED}
        if group in _GROUPS and rest:
            raise SettingsError(_unknown(f"{group}.{next(iter(rest))}", source))
        old |= {f"{group}.{key}": value for key, value in inner.items() if key not in rest}
        if rest or (not inner and group not in _GROUPS):
            kept[group] = rest
    _carry_over(kept, old, source)
    return Current(kept, [f"In {source}: {key!r} is superseded: {SUPERSEDED[key]}." for key in old])


def told_value(value: object) -> str:
    """Return a wrong value as an error may say it: of what may be a secret, only what it is."""
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


def _carry_over(kept: dict[str, Any], old: Mapping[str, Any], source: str) -> None:
    """Let old values count that say something that can be said today."""
    applied = old.get("edit.autoApply", False)
    if not isinstance(applied, bool):
        raise SettingsError(
            f"In {source}: 'edit.autoApply' is {told_value(applied)}: it is true or false."
        )
    if applied:
        kept.setdefault("approve", "edits")
    parts = {part: old.get(f"redis.{part}") for part in _ADDRESS_PARTS}
    if any(value is not None for value in parts.values()):
        kept["redis"] = {"url": _url(parts, source), **kept.get("redis", {})}


def _url(parts: Mapping[str, Any], source: str) -> str:
    password = parts["password"]
    login = "" if password is None else f":{quote(str(password), safe='')}@"
    host = _host(parts["host"], source)
    port = _whole(parts, "port", source, default=6379, allowed=range(1, 65_536))
    database = _whole(parts, "db", source, default=0, allowed=range(2**31))
    return f"redis://{login}{host}:{port}/{database}"


def _host(host: object, source: str) -> str:
    """Return a server's name or address as it stands in a URL."""
    if host is None or host == "":
        return "localhost"
    if isinstance(host, str):
        with suppress(ValueError):
            return f"[{quote(str(IPv6Address(host.strip('[]'))), safe=':')}]"
        if _NAME.fullmatch(host):
            return host
    raise SettingsError(
        f"In {source}: 'redis.host' is {told_value(host)}: it is the name or the address of a "
        "server alone."
    )


def _whole(
    parts: Mapping[str, Any], part: str, source: str, *, default: int, allowed: range
) -> int:
    value = default if parts[part] is None else parts[part]
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        raise SettingsError(
            f"In {source}: 'redis.{part}' is {told_value(value)}: it is a whole number from "
            f"{allowed[0]} to {allowed[-1]}."
        )
    return value


def _unknown(key: str, source: str) -> str:
    group = key.partition(".")[0]
    known = [name for name in SUPERSEDED if name.startswith(f"{group}.")]
    near = closest(key, known, limit=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"In {source}: {key!r} is unknown.{hint} Known: {', '.join(known)}."
