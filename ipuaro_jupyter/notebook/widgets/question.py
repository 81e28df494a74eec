"""The common part of all question widgets: the place, and the lasting record."""

from typing import Any, NamedTuple
from uuid import uuid4

import ipywidgets
import traitlets

from ipuaro_jupyter.records.record import MimeBundle

# No npm package can have this name: front ends without our extension, which fetch the scripts of
# widgets that they do not know from there, find none that somebody else has made.
_MODULE = "_ipuaro"
_VERSION = "^1.0.0"


class AskingCell(NamedTuple):
    """The asking cell, as the front end knows it; empty where the front end does not say."""

    request: str = ""
    """The id of the message by which the cell was sent."""
    cell: str = ""
    number: int | None = None
    """Its execution count."""


NOWHERE = AskingCell()


class QuestionWidget(ipywidgets.DOMWidget):  # type: ignore[misc] # it is without types
    """A question that a page finds again after a reload, and that knows when it is decided.

    Its state is data. What draws it is part of the extension of the front end, so that a notebook
    that is opened brings no script.
    """

    _model_name = traitlets.Unicode("QuestionModel").tag(sync=True)
    _model_module = traitlets.Unicode(_MODULE).tag(sync=True)
    _model_module_version = traitlets.Unicode(_VERSION).tag(sync=True)
    _view_module = traitlets.Unicode(_MODULE).tag(sync=True)
    _view_module_version = traitlets.Unicode(_VERSION).tag(sync=True)

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
