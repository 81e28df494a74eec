"""The user's undos and redos between the messages, repeated."""

from collections.abc import Iterator

from ipuaro_jupyter.assistant import Assistant
from ipuaro_jupyter.records.undoing import UndoAction

_NAMES = {"undo": "undo", "turn": "undo --turn", "skip": "undo --skip", "redo": "redo"}


def repeated(action: UndoAction, assistant: Assistant) -> Iterator[str]:
    """Repeat an undo or redo; yield how it differs from the recorded one.

    An undo of other files than were recorded is left out.
    """
    place = f"After message {action.turns}, {_NAMES[action.act]}"
    if action.act in ("undo", "turn"):
        newest = next(iter(assistant.undoable()), None)
        paths = set() if newest is None else {file.path for file in newest.files}
        if not paths or not paths <= set(action.files):
            there = (
                f"the newest change is of {', '.join(sorted(paths))}" if paths else "there is none"
            )
            yield f"{place} took back a change of {', '.join(action.files)}; now {there}."
            return
    if action.act == "redo":
        now = assistant.redo().text()
    else:
        now = assistant.undo(turn=action.act == "turn", skip=action.act == "skip").text()
    if now != action.told:
        yield f"{place} said {action.told!r}; now it says {now!r}."
