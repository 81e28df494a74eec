"""What every question to the user has in common as a widget: its place, and what is left of it."""

from importlib.resources import files
from typing import Any, NamedTuple
from uuid import uuid4

import anywidget
import traitlets

from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views.markup import css

_STATIC = files("ipuaro_jupyter.notebook.widgets") / "static"


class AskingCell(NamedTuple):
    """The cell that asks, as the front end knows it; empty where it does not say."""

    request: str = ""
    """The id of the message by which the cell was sent."""
    cell: str = ""
    number: int | None = None
    """Its execution count."""


NOWHERE = AskingCell()


def script(name: str) -> str:
    """Return the module of a question; what it shares with the others comes first."""
    return "\n".join((_STATIC / file).read_text("utf-8") for file in ("following.js", name))


def style() -> str:
    """Return the style sheet of the questions."""
    own = [(_STATIC / name).read_text("utf-8") for name in ("controls.css", "proposal.css")]
    return "\n".join([css("base"), *own])


class QuestionWidget(anywidget.AnyWidget):
    """A question that a page finds again after a reload, and that knows when it is decided."""

    title = traitlets.Unicode().tag(sync=True)
    detail = traitlets.Unicode().tag(sync=True)
    place = traitlets.Dict().tag(sync=True)
    record = traitlets.Any(None).tag(sync=True)
    """What is shown in the question's place when it has been decided; None before."""

    def __init__(self, place: AskingCell, **state: Any) -> None:
        key = uuid4().hex
        super().__init__(model_id=key, place={**place._asdict(), "id": key}, **state)

    def __repr__(self) -> str:
        """Return what is left of a question where no widget is drawn."""
        return f"Waiting for a decision: {self.title}"

    def settle(self, record: MimeBundle) -> None:
        """Take what was decided; a page that was saved before shows it in the question's place."""
        with self.hold_sync():
            self.detail = ""
            self.record = dict(record)
