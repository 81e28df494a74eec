"""What a project's settings cost: bounds for a file that the user has not approved."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

_MODEL = "llm.model"
_COSTLY = {
    "llm.contextWindow": "tokens, for which the model's server takes memory",
    "llm.loadTimeout": "ms without a word of the model",
    "llm.timeout": "ms between two words of the model",
    "project.workers": "processes",
    "project.inlineBytes": "bytes parsed without workers",
    "project.parsedBytes": "bytes parsed for an answer",
    "context.maxRounds": "requests to the model in a turn",
    "context.maxRepairs": "unusable replies in a turn",
    "context.maxRepeats": "equal calls in a turn",
    "context.maxRetries": "retries in a turn",
    "context.turnTimeoutS": "s for a turn",
    "context.summaryTimeoutS": "s for a summary",
    "context.parallelCalls": "calls at once",
    "context.replyTokens": "tokens for a reply",
    "context.guideTokens": "tokens of guides",
    "context.systemPromptTokens": "tokens before each question",
    "tools.timeoutS": "s for a call",
    "checks.timeoutS": "s for a check",
}
"""Numbers of which more costs time, memory or money, and what they count."""
_TIMES = 4
"""Up to this many times the user's own number needs no approval, but is told."""


def too_costly(values: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys that need approval, as they cost far more than the user's own settings.

    Args:
        values: The project's settings, as flat keys.
        own: The user's, with the defaults, as flat keys.
    """
    return tuple(
        key
        for key in _COSTLY.keys() & values.keys()
        if values[key] is not None and values[key] > _bound(key, own[key])
    )


def costs(values: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, ...]:
    """What costs more than the user's own settings, or answers in their place, a phrase each."""
    told = [
        f"{key} is {values[key]:,} {counted} (yours: {_shown(own[key])})"
        for key, counted in _COSTLY.items()
        if values.get(key) is not None and values[key] > _own(key, own[key])
    ]
    if _MODEL in values and values[_MODEL] != own[_MODEL]:
        told.insert(0, f"{_MODEL} is {values[_MODEL]!r} (yours: {own[_MODEL]!r})")
    return tuple(told)


def without(values: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Nested settings without the flat ``keys``."""
    kept = dict(values)
    for key in keys:
        group, _, name = key.partition(".")
        kept[group] = {inner: value for inner, value in kept[group].items() if inner != name}
    return kept


def _own(key: str, own: float | None) -> float:
    if key == "project.workers" and own is None:
        return os.cpu_count() or 1
    return 0 if own is None else own


def _bound(key: str, own: float | None) -> float:
    if key == "project.workers":
        return _own(key, own)
    return _TIMES * own if own else float("inf")


def _shown(own: float | None) -> str:
    return "chosen for you" if own is None else f"{own:,}"
