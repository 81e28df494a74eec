"""What a project's settings cost: bounds for a file that the user has not approved."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

_MODEL, _WARM, _KEPT, _WINDOW = "llm.model", "llm.warm", "llm.keepAlive", "llm.contextWindow"
_WORKERS = "project.workers"
_CHOICES = (_MODEL, "llm.think", "context.profile")
_COSTLY = {
    _WINDOW: "tokens, for which the model's server takes memory",
    _KEPT: "for the model in memory",
    "llm.connectTimeout": "ms to reach the server",
    "llm.loadTimeout": "ms without a word of the model",
    "llm.timeout": "ms between two words of the model",
    _WORKERS: "processes",
    "project.inlineBytes": "bytes parsed without workers",
    "project.parsedBytes": "bytes parsed for an answer",
    "context.maxRounds": "requests to the model in a turn",
    "context.maxRepairs": "unusable replies in a turn",
    "context.maxRefusals": "denied calls in a turn",
    "context.maxRepeats": "equal calls in a turn",
    "context.maxRetries": "retries in a turn",
    "context.turnTimeoutS": "s for a turn",
    "context.summaryTimeoutS": "s for a summary",
    "context.parallelCalls": "calls at once",
    "context.replyTokens": "tokens for a reply",
    "context.mapShare": "of the window for the map",
    "context.resultShare": "of the window for a result",
    "context.guideTokens": "tokens of guides",
    "context.systemPromptTokens": "tokens before each question",
    "tools.timeoutS": "s for a call",
    "checks.timeoutS": "s for a check",
}
"""Numbers of which more costs time, memory or money, and what they count."""
_CHEAPER = {
    "context.autoCompressAt": "of the window until the model sums up",
    "context.maxContextUsage": "of the window that is used before it sums up",
    "watchdog.pollMs": "ms between polls of all files",
}
"""Numbers of which less costs more."""
_COUNTED = {**_COSTLY, **_CHEAPER}
_TIMES = 4
"""Up to this many times the user's own number needs no approval, but is told."""
_CHOSEN = {"context.systemPromptTokens": 3000}  # about, in a window of 32k tokens
_KEPT_BY_SERVER_S = 300.0
_UNITS_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(?P<n>\d+(?:\.\d*)?|\.\d+)(?P<unit>ns|us|µs|ms|s|m|h)")
_DURATION = re.compile(rf"(?:{_PART.pattern.replace('?P<n>', '?:').replace('?P<unit>', '?:')})+")


def too_costly(values: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys that need approval, as they cost far more than the user's own settings.

    Args:
        values: The project's settings, as flat keys.
        own: The user's, with the defaults, as flat keys.
    """
    found = [
        key for key in _COUNTED.keys() & values.keys() if _cost(key, values[key]) > _bound(key, own)
    ]
    if values.get(_WARM) and not own[_WARM]:
        found.append(_WARM)
    return tuple(found)


def costs(values: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, ...]:
    """What costs more than the user's own settings, or answers in their place, a phrase each."""
    told = [
        f"{key} is {_shown(values[key])} {counted} (yours: {_shown(own[key])})"
        for key, counted in _COUNTED.items()
        if key in values and _cost(key, values[key]) > _cost(key, own[key])
    ]
    chosen = [
        f"{key} is {values[key]!r} (yours: {own[key]!r})"
        for key in _CHOICES
        if key in values and values[key] != own[key]
    ]
    return (*chosen, *told)


def loads_otherwise(values: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    """Whether another model is loaded than the user's own settings load, or a larger one."""
    return any(
        key in values and values[key] != own[key] and _cost(key, values[key]) > _cost(key, own[key])
        for key in (_WINDOW, _KEPT)
    ) or (_MODEL in values and values[_MODEL] != own[_MODEL])


def without(values: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Nested settings without the flat ``keys``."""
    kept = dict(values)
    for key in keys:
        group, _, name = key.partition(".")
        kept[group] = {inner: value for inner, value in kept[group].items() if inner != name}
    return kept


def _cost(key: str, value: float | str | None) -> float:
    """What a value costs, in the unit of its key; null is what is chosen then."""
    if key == _KEPT:
        return _seconds(value)
    if value is None:
        return (os.cpu_count() or 1) if key == _WORKERS else _CHOSEN.get(key, 0)
    return 1 / float(value) if key in _CHEAPER else float(value)


def _bound(key: str, own: Mapping[str, Any]) -> float:
    """The most that needs no approval. A user's own 0 means none, and so do four times it."""
    return _cost(key, own[key]) * (1 if key == _WORKERS else _TIMES)


def _seconds(duration: object) -> float:
    """How long a model is kept, for Ollama: seconds, "1h30m", or negative for ever.

    What cannot be read counts as for ever.
    """
    if duration is None:
        return _KEPT_BY_SERVER_S
    text = str(duration).strip()
    with suppress(ValueError):
        seconds = float(text)
        return seconds if seconds >= 0 else math.inf
    if not _DURATION.fullmatch(text):
        return math.inf
    return sum(float(part["n"]) * _UNITS_S[part["unit"]] for part in _PART.finditer(text))


def _shown(value: float | str | None) -> str:
    match value:
        case None:
            return "chosen for you"
        case str():
            return repr(value)
        case _:
            return f"{value:,}"
