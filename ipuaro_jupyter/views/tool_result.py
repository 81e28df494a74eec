"""The result of a tool: its shape, or the reason why it failed.

A file in a folder that the environment variable IPUARO_VIEWS names (folders are separated as in
PATH) replaces the shape for the results of the tool with the file's name. It defines two functions
of the output: ``text`` returns the terminal form, ``html`` the same as HTML without script, with
everything from the code escaped. When it cannot be used, the shape is drawn with a line that says
why.
"""

from typing import Literal, NamedTuple

from ipuaro_jupyter.added_modules import added_module, is_added
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.outputs import (
    Output,
    RestoredOutput,
    TextOutput,
    ToolFailure,
    ToolResult,
)
from ipuaro_jupyter.views import shape
from ipuaro_jupyter.views.diffs import problems
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, DiffLimit
from ipuaro_jupyter.views.markup import element, escape, folded, visible

STYLES = shape.STYLES
SEARCH_PATH = "IPUARO_VIEWS"
_NOT_WRITTEN = "Your edited lines, which were not written"
_REJECTED = "\u2013"


def text(result: ToolResult, *, limit: DiffLimit = TERMINAL) -> str:
    """The result as a terminal shows it; of a long diff, what the limit allows."""
    doubts = (visible(f"Note: {doubt}") for doubt in result.doubts)
    against = problems.lines(_problems(result))
    return "\n".join(filter(None, (*doubts, *against, _text(result, limit))))


def _text(result: ToolResult, limit: DiffLimit) -> str:
    if result.error is not None and result.error.rejected:
        return f"{_REJECTED} {visible(result.error.message)}"
    if result.error is not None:
        lines = [visible(line) for line in _failure(result.tool, result.error)]
        if typed := result.error.typed:
            lines += [
                f"{_NOT_WRITTEN}:",
                *(visible(line) for line in typed.removesuffix("\n").split("\n")),
            ]
        return "\n".join(lines)
    if result.output is None:
        return ""
    drawn, problem = _own(result.tool, result.output, "text")
    if drawn is not None:
        return drawn
    told = shape.text(result.output.shape(), limit=limit)
    return f"{told}\n{visible(problem)}" if problem else told


def html(result: ToolResult) -> str:
    """The result as HTML without its styles."""
    doubts = (
        element("p", escape(f"Note: {doubt}"), class_="ipuaro-note") for doubt in result.doubts
    )
    return "".join((*doubts, problems.html(_problems(result)), _html(result)))


def _problems(result: ToolResult) -> tuple[str, ...]:
    """What speaks against what the tool has written."""
    return result.output.problems if isinstance(result.output, TextOutput) else ()


def _html(result: ToolResult) -> str:
    if result.error is not None and result.error.rejected:
        sign = element("span", _REJECTED, class_="ipuaro-note", aria_hidden="true")
        return element("div", f"{sign} {escape(result.error.message)}")
    if result.error is not None:
        first, *rest = _failure(result.tool, result.error)
        lines = "".join(element("div", escape(line)) for line in rest)
        typed = result.error.typed
        kept = folded(_NOT_WRITTEN, element("pre", escape(typed))) if typed else ""
        return element(
            "div", element("strong", escape(first)), lines, kept, class_="ipuaro-box ipuaro-bad"
        )
    if result.output is None:
        return ""
    drawn, problem = _own(result.tool, result.output, "html")
    if drawn is not None:
        return drawn
    note = element("p", escape(problem), class_="ipuaro-note") if problem else ""
    return shape.html(result.output.shape()) + note


def is_drawn_by_shape(result: ToolResult) -> bool:
    """Whether only the shape of an output is drawn: no custom view, and no problem."""
    try:
        return isinstance(result.output, RestoredOutput) or not is_added(SEARCH_PATH, result.tool)
    except SettingsError:
        return False


class _Own(NamedTuple):
    """The result of a custom view for an output, if any, or the reason why there is none."""

    drawn: str | None
    problem: str = ""


def _own(tool: str, output: Output, form: Literal["text", "html"]) -> _Own:
    """Draw an output with its custom view, unless there is none or the output has other fields."""
    if isinstance(output, RestoredOutput):
        return _Own(None)
    try:
        module = added_module(SEARCH_PATH, tool)
        if module is None:
            return _Own(None)
        for name in ("text", "html"):
            if not callable(getattr(module, name, None)):
                told = f"{module.__file__} (from {SEARCH_PATH}) lacks the function {name}."
                return _Own(None, told)
        return _Own(str(getattr(module, form)(output)))
    except SettingsError as error:
        told = str(error)
    except Exception as error:  # noqa: BLE001 - an answer is not lost for how it is drawn
        told = f"The view {tool}.py (from {SEARCH_PATH}) failed: {type(error).__name__}: {error}"
    return _Own(None, " ".join(told.split()))


def _failure(tool: str, error: ToolFailure) -> list[str]:
    lines = [f"{tool} failed ({error.type}): {error.message}"]
    if error.suggestion:
        lines.append(f"Suggestion: {error.suggestion}")
    return lines
