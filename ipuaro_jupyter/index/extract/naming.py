"""Set the name, the path and the lines of a declaration."""

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Frame
from ipuaro_jupyter.languages.language import Node

DEFAULT = "default"
"""The name of a default export."""


def binding_of(top: Frame, start: int) -> Frame | None:
    """The frame that names the value at ``start``; None when it is not the one on top."""
    return top if top.target == start and not top.claimed else None


def name_declaration(extraction: Extraction, frame: Frame, around: Frame, own: Node | None) -> None:
    """Name a declaration by its own name, and export it when it stands in an export statement."""
    if own is not None and extraction.source.is_missing_token(own):  # export default function (): T
        own = None
    extend(extraction, frame, own)
    set_lines(frame, around)
    if around.kind == "export" and around.level == 0 and not around.path:
        local = frame.name if own is not None else None
        outermost = frame.name.partition(".")[0]  # namespace A.B
        name = around.name or (outermost if own is not None else DEFAULT)
        extraction.export(name, frame.line, local=local)


def name_value(extraction: Extraction, frame: Frame, bound: Frame | None, own: Node | None) -> bool:
    """Name a function or class that is a value; return False when it stays nameless.

    Args:
        extraction: The facts so far.
        frame: The frame of the value.
        bound: The frame of its binding, if any.
        own: Its own name, if any. It counts where the binding gives no name.
    """
    if bound is None:
        if own is not None:
            extend(extraction, frame, own)
            set_lines(frame, None)
        return own is not None
    if own is not None and bound.name in {"", DEFAULT}:
        frame.path = bound.outer
        extend(extraction, frame, own)
    else:
        frame.name, frame.path = bound.name or DEFAULT, bound.path or DEFAULT
        frame.name_at = bound.name_at
    frame.line, frame.last_line = bound.line, bound.last_line
    bound.claimed, bound.given = True, frame.path
    extraction.claimed.add(bound.start)
    return True


def extend(extraction: Extraction, frame: Frame, name: Node | None) -> None:
    """Name the declaration of a frame and extend the path around it."""
    text = extraction.source.name(name) if name is not None else DEFAULT
    frame.name = text
    frame.path = f"{frame.path}.{text}" if frame.path else text
    if name is not None:
        frame.name_at = name.start_byte


def set_lines(frame: Frame, around: Frame | None) -> None:
    """Set the lines of a declaration: from ``export`` or from its decorators on."""
    frame.line = frame.node.start_point.row + 1
    frame.last_line = frame.node.end_point.row + 1
    if around is not None and around.kind == "export":
        frame.line = around.line
        frame.last_line = max(frame.last_line, around.last_line)
    elif around is not None and around.decorated:
        frame.line = around.decorated
        around.decorated = 0
