"""What a tool gave back: its shape, or why it failed."""

from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.views import shape
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = shape.STYLES


def text(result: ToolResult) -> str:
    """Return the result as a terminal shows it."""
    if result.error is not None:
        return "\n".join(visible(line) for line in _failure(result.tool, result.error))
    return "" if result.output is None else shape.text(result.output.shape())


def html(result: ToolResult) -> str:
    """Return the result as HTML without its styles."""
    if result.error is not None:
        first, *rest = _failure(result.tool, result.error)
        lines = "".join(element("div", escape(line)) for line in rest)
        return element(
            "div", element("strong", escape(first)), lines, class_="ipuaro-box ipuaro-bad"
        )
    return "" if result.output is None else shape.html(result.output.shape())


def _failure(tool: str, error: ToolFailure) -> list[str]:
    lines = [f"{tool} failed ({error.type}): {error.message}"]
    if error.suggestion:
        lines.append(f"Suggestion: {error.suggestion}")
    return lines if error.recoverable else [*lines, "This cannot be tried again."]
