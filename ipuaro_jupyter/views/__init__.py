"""Records drawn as text and as static HTML: one file per shape, no script, nothing remote."""

from typing import Any

from ipuaro_jupyter.records.record import MimeBundle, draw_with


def install() -> None:
    """Give every `Drawn` record its rich form in Jupyter; the views are loaded on first drawing."""
    draw_with(_draw)


def _draw(value: Any) -> MimeBundle:
    from ipuaro_jupyter.views.drawing import mimebundle  # noqa: PLC0415 - only when it is needed

    return mimebundle(value)
