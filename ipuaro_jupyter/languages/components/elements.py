"""The elements that are open while a template is read, and the names that are known in them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ipuaro_jupyter.languages.components.markup import VOID, MarkupTag
from ipuaro_jupyter.languages.components.painting import Painting


@dataclass
class OpenElement:
    """An open element or block, and the names it binds with their offsets."""

    name: bytes
    at: int
    bound: list[tuple[str, int]] = field(default_factory=list)


class Elements:
    """The open elements and blocks of a template.

    Args:
        painting: Receives the names when their element is closed.
    """

    def __init__(self, painting: Painting) -> None:
        self._painting = painting
        self._open: list[OpenElement] = []

    @property
    def depth(self) -> int:
        """The number of open elements and blocks."""
        return len(self._open)

    @property
    def top(self) -> OpenElement | None:
        """The innermost open element or block."""
        return self._open[-1] if self._open else None

    def enter(self, tag: MarkupTag, bound: Iterable[tuple[str, int]] = ()) -> None:
        """Open an element, or read an empty one, with the names it binds."""
        opened = OpenElement(tag.name, tag.at, list(bound))
        if tag.is_empty or tag.name.lower() in VOID:
            self._close(opened, tag.end)
        else:
            self._open.append(opened)

    def push(self, name: bytes, at: int, bound: Iterable[tuple[str, int]] = ()) -> None:
        """Open a block."""
        self._open.append(OpenElement(name, at, list(bound)))

    def leave(self, name: bytes, end: int) -> None:
        """Close the innermost element or block with a name, and those in it."""
        if all(opened.name != name for opened in self._open):
            return
        while self._open:
            opened = self._open.pop()
            self._close(opened, end)
            if opened.name == name:
                return

    def finish(self, end: int) -> None:
        """Close whatever is still open."""
        while self._open:
            self._close(self._open.pop(), end)

    def _close(self, opened: OpenElement, end: int) -> None:
        for name, at in opened.bound:
            self._painting.bind(name, at, opened.at, end)
