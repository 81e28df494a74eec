"""What a tool gave back: its shape, or why it failed.

A file in a folder that the environment variable IPUARO_VIEWS names, separated as in PATH, draws the
results of the tool whose name it has in place of their shape. It holds two functions of the output:
``text`` returns what a terminal shows, ``html`` the same as HTML without script, with everything
from the code escaped.
"""

from pathlib import Path
from types import ModuleType

from ipuaro_jupyter.added_modules import added_modules
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.views import shape
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = shape.STYLES
SEARCH_PATH = "IPUARO_VIEWS"


def text(result: ToolResult) -> str:
    """Return the result as a terminal shows it."""
    if result.error is not None:
        return "\n".join(visible(line) for line in _failure(result.tool, result.error))
    if result.output is None:
        return ""
    own = own_view(result.tool)
    return shape.text(result.output.shape()) if own is None else str(own.text(result.output))


def html(result: ToolResult) -> str:
    """Return the result as HTML without its styles."""
    if result.error is not None:
        first, *rest = _failure(result.tool, result.error)
        lines = "".join(element("div", escape(line)) for line in rest)
        return element(
            "div", element("strong", escape(first)), lines, class_="ipuaro-box ipuaro-bad"
        )
    if result.output is None:
        return ""
    own = own_view(result.tool)
    return shape.html(result.output.shape()) if own is None else str(own.html(result.output))


def own_view(tool: str) -> ModuleType | None:
    """Return the user's own view of a tool's results; None when they are drawn by their shape.

    Raises:
        SettingsError: Its file lacks one of the two functions.
    """
    found = None  # the last one wins
    for module in added_modules(SEARCH_PATH):
        if Path(str(module.__file__)).stem == tool:
            found = module
    for name in ("text", "html"):
        if found is not None and not callable(getattr(found, name, None)):
            raise SettingsError(f"{found.__file__} (from {SEARCH_PATH}) lacks the function {name}.")
    return found


def _failure(tool: str, error: ToolFailure) -> list[str]:
    lines = [f"{tool} failed ({error.type}): {error.message}"]
    if error.suggestion:
        lines.append(f"Suggestion: {error.suggestion}")
    return lines if error.recoverable else [*lines, "This cannot be tried again."]
