"""The common part of all question widgets: the place, and the lasting record."""

from importlib.resources import files
from typing import Any, NamedTuple
from uuid import uuid4

import anywidget
import traitlets

from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views.markup import css

_STATIC = files("ipuaro_jupyter.notebook.widgets") / "static"


class AskingCell(NamedTuple):
    """The asking cell, as the front end knows it; empty where the front end does not say."""

    request: str = ""
    """The id of the message by which the cell was sent."""
    cell: str = ""
    number: int | None = None
    """Its execution count."""


NOWHERE = AskingCell()


def script(*names: str) -> str:
    """The JavaScript module of a question, made of several files, with the shared part first."""
    return "\n".join((_STATIC / file).read_text("utf-8") for file in ("following.js", *names))


def style() -> str:
    """The style sheet of the questions."""
    own = [(_STATIC / name).read_text("utf-8") for name in ("controls.css", "proposal.css")]
    return "\n".join([css("base"), *own])


class QuestionWidget(anywidget.AnyWidget):
    """A question that a page finds again after a reload, and that knows when it is decided."""

    title = traitlets.Unicode().tag(sync=True)
    detail = traitlets.Unicode().tag(sync=True)
    place = traitlets.Dict().tag(sync=True)
    record = traitlets.Any(None).tag(sync=True)
    """The record shown in the question's place once it is decided; None before."""

    def __init__(self, place: AskingCell, **state: Any) -> None:
        key = uuid4().hex
        super().__init__(model_id=key, place={**place._asdict(), "id": key}, **state)

    def __repr__(self) -> str:
        """The text of a question where widgets are not drawn."""
        return f"Waiting for a decision: {self.title}"

    def settle(self, record: MimeBundle) -> None:
        """Set the record; a page that was saved earlier shows it in the question's place."""
        with self.hold_sync():
            self.detail = ""
            self.record = dict(record)
