"""Records drawn as text and as static HTML: one file per shape, no script, nothing remote."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipuaro_jupyter.records.record import MimeBundle


def install() -> None:
    """Give every `Drawn` record its rich form in Jupyter; the views are loaded on first drawing."""
    from ipuaro_jupyter.records.record import draw_with  # noqa: PLC0415 - not needed for --help

    draw_with(_draw, is_default=True)


def install_in_terminal() -> None:
    """The same for a front end that shows text alone."""
    from ipuaro_jupyter.records.record import draw_with  # noqa: PLC0415 - not needed for --help

    draw_with(_draw_in_terminal)


def _draw(value: Any) -> "MimeBundle":
    from ipuaro_jupyter.views.drawing import mimebundle  # noqa: PLC0415 - only when it is needed

    return mimebundle(value)


def _draw_in_terminal(value: Any) -> "MimeBundle":
    from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL  # noqa: PLC0415 - only when it is needed
    from ipuaro_jupyter.views.drawing import mimebundle  # noqa: PLC0415 - the same

    return mimebundle(value, limit=TERMINAL)
