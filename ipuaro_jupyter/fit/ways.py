"""The ways to ask a model that are worth trying, and their settings."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings, Model
from ipuaro_jupyter.llm.wishes import takes
from ipuaro_jupyter.records.fitted import CallForm, Way
from ipuaro_jupyter.settings.settings import Settings

_MOST_S = 300.0  # for a task; a small model may repeat itself without end
OpenModel = Callable[[LlmSettings], Model]


def all_ways(
    llm: LlmSettings,
    opened: OpenModel,
    *,
    forms: Sequence[CallForm],
    profiles: Sequence[str],
    windows: Sequence[int],
    cancel: CancelToken,
) -> tuple[list[Way], list[str]]:
    """The ways that the model can be asked in, and remarks about those that it cannot.

    Those with one window follow each other: a server loads the model anew for another one.

    Raises:
        ModelError: The model cannot be reached.
        Cancelled: ``cancel`` was set.
    """
    ways: list[Way] = []
    notices: list[str] = []
    for window in sorted(windows):
        asked = {"context_window": window, "use_native_tools": None}
        with closing(opened(llm.model_copy(update=asked))) as model:
            model.check()
            model.prepare(cancel)
            if model.context_tokens != window:
                notices.append(f"Its window has {model.context_tokens:,} tokens, not {window:,}.")
            can = {"native": model.native_tools, "constrained": takes(model, "schema")}
            if not can["native"] and "native" in forms:
                notices.append("It does not take the schemas of tools.")
            if not can["constrained"] and "constrained" in forms:
                notices.append("Its replies cannot be constrained.")
            possible = [form for form in forms if can.get(form, True)]
            ways += [
                Way(form=form, profile=profile, window=model.context_tokens)
                for profile in profiles
                for form in possible
            ]
    return list(dict.fromkeys(ways)), list(dict.fromkeys(notices))


def settings_for(way: Way, settings: Settings) -> dict[str, Any]:
    """The settings that ask in this way; nothing is ever approved, and no other server asked."""
    values = settings.model_dump(by_alias=True)
    values["llm"] |= {
        "contextWindow": way.window,
        "useNativeTools": way.form == "native",
        "constrainCalls": "always" if way.form == "constrained" else "repair",
    }
    values["tools"] |= {"enabled": None, "profile": way.profile}
    values["mcpServers"] = {name: {"disabled": True} for name in values["mcpServers"]}
    values["watchdog"] |= {"enabled": False}
    values["context"] |= {"maxRepairs": 1, "turnTimeoutS": _MOST_S}
    return values | {"approve": "never"}
