"""The settings of the system's administrator, which count over all others.

They are in ``/etc/ipuaro/settings.json``, or in the folder that IPUARO_SYSTEM_SETTINGS names where
there is no such file. What is set there is locked: ``approve`` to what is looser, every other key
to any other value, and ``mcpServers`` as a whole. A user who runs programs of their own can do
without this package, so it is a house rule, not a barrier.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.project_file import flat
from ipuaro_jupyter.settings.tightening import SERVERS, STRICT_FIRST

SYSTEM_VARIABLE = "IPUARO_SYSTEM_SETTINGS"
_FILE = Path("/etc/ipuaro/settings.json")
_APPROVE = "approve"


class Locked(NamedTuple):
    """Settings with those of the system over them.

    Attributes:
        values: Nested, as they are written.
        sources: For each key that the system has changed or set, its file.
        notices: What was set otherwise, for the user.
    """

    values: dict[str, Any]
    sources: dict[str, str]
    notices: tuple[str, ...]


def system_file() -> Path:
    """The system's settings, which may not exist, unless the environment variable names them.

    Raises:
        SettingsError: The variable names a folder without them.
    """
    folder = os.environ.get(SYSTEM_VARIABLE)
    if not folder or _is_there(_FILE):
        return _FILE
    named = Path(folder) / _FILE.name
    if not _is_there(named):
        raise SettingsError(
            f"{SYSTEM_VARIABLE} names {folder!r}, which has no {_FILE.name}: put one there ({{}} "
            "locks nothing), or take the variable away."
        )
    return named


def locked(merged: Mapping[str, Any], system: Mapping[str, Any]) -> Locked:
    """All settings, with the system's over them.

    Args:
        merged: The settings of the user, the project and the call, nested.
        system: Those of the system.
    """
    file = str(system_file())
    values = dict(merged)
    for group, value in system.items():
        old = values.get(group)
        is_group = isinstance(value, Mapping) and isinstance(old, Mapping) and group != SERVERS
        values[group] = {**old, **value} if is_group else value  # type: ignore[dict-item] # both are
    sources = dict.fromkeys(flat(system), file)
    if _APPROVE in system and not _is_looser(merged.get(_APPROVE, "ask"), system[_APPROVE]):
        values[_APPROVE] = merged.get(_APPROVE, "ask")
        del sources[_APPROVE]
    before, after = flat(merged), flat(values)
    changed = [key for key in before if key in sources and before[key] != after.get(key)]
    if SERVERS in system:
        changed += [
            f"{SERVERS}.{name}" for name in merged.get(SERVERS, {}) if name not in values[SERVERS]
        ]
    notices = (
        (f"{file} overrides these settings of yours: {', '.join(sorted(changed))}.",)
        if changed
        else ()
    )
    return Locked(values, sources, notices)


def names_key(system: Mapping[str, Any]) -> bool:
    """Whether the system says which key the model's server gets; else it is the user's own."""
    return not {"apiKeyEnv", "apiKeyHost"}.isdisjoint(system.get("llm", {}))


def is_approve_allowed(approve: str, system: Mapping[str, Any]) -> bool:
    """Whether the system lets a user approve so much."""
    return _APPROVE not in system or not _is_looser(approve, system[_APPROVE])


def check_approve(approve: str, system: Mapping[str, Any]) -> None:
    """Raise an error when the system does not let a user approve so much.

    Raises:
        SettingsError: It does not; the message says what it allows.
    """
    if not is_approve_allowed(approve, system):
        raise SettingsError(
            f'"approve": "{approve}" is not allowed here: {system_file()} allows '
            f'"{system[_APPROVE]}" and what is stricter.'
        )


def check_model(name: str, system: Mapping[str, Any]) -> None:
    """Raise an error when the system has another model.

    Raises:
        SettingsError: It has; the message names it.
    """
    only = system.get("llm", {}).get("model")
    if only is not None and name != only:
        raise SettingsError(f"The model cannot be {name} here: {system_file()} sets {only}.")


def _is_there(file: Path) -> bool:
    """Whether there is such a file, or it cannot be told, which is for the reader to say."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_looser(approve: str, limit: str) -> bool:
    return STRICT_FIRST.index(approve) > STRICT_FIRST.index(limit)
