"""The key for a model's server: named by the user's own settings, and sent to the user's host."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipuaro_jupyter.llm.hosts import is_ollamas_cloud

_OLLAMA_KEY = "OLLAMA_API_KEY"
_LLM, _HOST = "llm", "host"
_VARIABLE, _KEY_HOST = "apiKeyEnv", "apiKeyHost"


def without_key(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A project's settings without those of the key, and which these were.

    A project could otherwise have any variable of the environment sent to any host.
    """
    model = values.get(_LLM, {})
    named = [f"{_LLM}.{key}" for key in (_VARIABLE, _KEY_HOST) if key in model]
    left = {key: value for key, value in model.items() if key not in (_VARIABLE, _KEY_HOST)}
    return ({**values, _LLM: left} if named else dict(values)), named


def ignored_notice(named: list[str], user: Path) -> str:
    """The remark that a project's settings of the key do not count."""
    return (
        f"{', '.join(named)} of a project's file never counts, approved or not: only your own "
        f"settings, such as {user}, say where a key is and who gets it."
    )


def bound_to_host(
    merged: dict[str, Any], own: Mapping[str, Any], user: Path
) -> tuple[dict[str, Any], str | None]:
    """The settings with the key bound to the user's own host, and a remark if it stays away.

    Args:
        merged: All settings.
        own: Those that do not come from the project's file.
        user: The user's settings file, for the remark.
    """
    model, mine = merged.get(_LLM, {}), own.get(_LLM, {})
    variable = model.get(_VARIABLE)
    if not variable and model.get(_HOST) == mine.get(_HOST):
        return merged, None  # OLLAMA_API_KEY needs no setting
    key_host = mine.get(_KEY_HOST)
    if key_host is None:
        key_host = mine.get(_HOST) or ""
    bound = {**merged, _LLM: {**model, _KEY_HOST: key_host}}
    host = model.get(_HOST)
    if not variable and _OLLAMA_KEY in os.environ and not is_ollamas_cloud(host or ""):
        variable = _OLLAMA_KEY
    if not variable or not host or _is_one_server(host, key_host):
        return bound, None
    return bound, (
        f"The key in {variable} is not sent to {_named(host)}, because your own settings "
        f"do not name that server. To send it there, set llm.apiKeyHost in {user} to its address."
    )


def _is_one_server(host: str, other: str) -> bool:
    from ipuaro_jupyter.llm.openai import is_one_server  # noqa: PLC0415 - rarely needed

    return is_one_server(host, other)


def _named(host: str) -> str:
    """The host as it may be shown: without a password."""
    from ipuaro_jupyter.settings.shown_settings import without_secrets  # noqa: PLC0415 - the same

    return str(without_secrets({_LLM: {_HOST: host}})[_LLM][_HOST])
