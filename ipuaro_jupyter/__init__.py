"""A Jupyter-native assistant for your codebase, with a local model.

    with ipuaro_jupyter.start("path/to/project") as assistant:
        print(assistant.ask("How does login work?").text)

In a notebook: ``%load_ext ipuaro_jupyter``. Importing this package loads nothing heavy.
"""

from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.version import __version__

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant, parse_reply, start
    from ipuaro_jupyter.llm.scripted import ScriptedModel
    from ipuaro_jupyter.records.change import Decision, Proposal
    from ipuaro_jupyter.records.trouble import Remedy, Trouble

__all__ = [
    "Assistant",
    "Decision",
    "Proposal",
    "Remedy",
    "ScriptedModel",
    "Trouble",
    "__version__",
    "load_ipython_extension",
    "parse_reply",
    "start",
    "unload_ipython_extension",
]

_HOMES = {
    "Assistant": "ipuaro_jupyter.assistant",
    "start": "ipuaro_jupyter.assistant",
    "parse_reply": "ipuaro_jupyter.assistant",
    "ScriptedModel": "ipuaro_jupyter.llm.scripted",
    "Decision": "ipuaro_jupyter.records.change",
    "Proposal": "ipuaro_jupyter.records.change",
    "Remedy": "ipuaro_jupyter.records.trouble",
    "Trouble": "ipuaro_jupyter.records.trouble",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - loaded on first use, as all the rest

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


def load_ipython_extension(shell: Any) -> None:
    """Add the magics ``%ipuaro``, ``%%ask`` and ``%tool``; called by ``%load_ext``."""
    from ipuaro_jupyter.garbage import uncollected  # noqa: PLC0415 - only here

    with uncollected():  # imports make none, and looking takes a third of the time
        from ipuaro_jupyter.notebook.magics import load  # noqa: PLC0415 - the notebook room is heavy
    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Remove the magics and close the assistant; called by ``%unload_ext``."""
    from ipuaro_jupyter.notebook.magics import unload  # noqa: PLC0415 - the same

    unload(shell)
