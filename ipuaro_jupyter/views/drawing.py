"""The rich form of a value: text and HTML with the same content."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from ipuaro_jupyter.errors import ProjectError
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.checked_answers import CheckedAnswers
from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.records.fitted import FitReport
from ipuaro_jupyter.records.outputs import Shape, Table, ToolResult
from ipuaro_jupyter.records.record import Drawn, MimeBundle
from ipuaro_jupyter.records.replayed import ReplayReport
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.views import (
    answer,
    evaluation,
    fitted,
    labelled_lines,
    replayed,
    shape,
    tool_result,
    transcript,
)
from ipuaro_jupyter.views.diffs.diff_cut import BESIDE_HTML, TERMINAL, DiffLimit
from ipuaro_jupyter.views.live_data import live_data
from ipuaro_jupyter.views.markup import block
from ipuaro_jupyter.views.receipts import checked_answers, evidence

if TYPE_CHECKING:
    import pandas as pd

_VIEWS: tuple[tuple[type, ModuleType], ...] = (
    (ToolResult, tool_result),
    (Answer, answer),
    (Transcript, transcript),
    (Evaluation, evaluation),
    (Evidence, evidence),
    (FitReport, fitted),
    (ReplayReport, replayed),
    (CheckedAnswers, checked_answers),
    *((kind, shape) for kind in get_args(Shape)),
)
_WITH_DIFFS = (tool_result, answer, transcript, shape)


def mimebundle(value: object, *, limit: DiffLimit = BESIDE_HTML) -> MimeBundle:
    """``text/plain`` and ``text/html`` of a result, an answer, a shape or a record.

    Of a long diff the text has only the ends, because a saved notebook holds both forms; ``limit``
    is for front ends that show text alone.

    Graphs and long tables have a JSON type too, see `live_data`. There is deliberately no
    ``text/markdown``: JupyterLab and nbconvert prefer ``text/html``, so only front ends that run
    HTML inside Markdown and load its images would show it, and a model may write both.
    """
    if isinstance(value, Shown):
        value = value.value
    view = next((view for kind, view in _VIEWS if isinstance(value, kind)), labelled_lines)
    text = view.text(value, limit=limit) if view in _WITH_DIFFS else view.text(value)
    return bundle(text, view.html(value), *view.STYLES) | _live(value)


def _live(value: object) -> dict[str, Any]:
    """The data for a live drawing of a shape, or of a result drawn as its shape."""
    if not isinstance(value, ToolResult):
        return live_data(value)
    if value.output is None or not tool_result.is_drawn_by_shape(value):
        return {}
    return live_data(value.output.shape(), root=value.root)


def bundle(text: str, html: str, *styles: str, class_: str = "") -> MimeBundle:
    """One output of a text and of HTML with the named style sheets."""
    return {"text/plain": text, "text/html": block(html, *styles, class_=class_)}


class Shown(Drawn):
    """A shape, or any record, that draws itself when a cell returns it."""

    def __init__(self, value: object) -> None:
        self.value = value

    def to_pandas(self) -> "pd.DataFrame":
        """A table as a DataFrame.

        Raises:
            ProjectError: It is not a table, or pandas is not installed.
        """
        if not isinstance(self.value, Table):
            raise ProjectError("This is no table, so there is no DataFrame of it.")
        return self.value.to_pandas()

    def to_markdown(self) -> str:
        """A table as a GitHub Markdown table.

        Raises:
            ProjectError: It is not a table.
        """
        if not isinstance(self.value, Table):
            raise ProjectError("This is no table, so there is no Markdown of it.")
        return self.value.to_markdown()

    def __str__(self) -> str:
        return str(mimebundle(self.value, limit=TERMINAL)["text/plain"])

    def __repr__(self) -> str:
        return str(self)
