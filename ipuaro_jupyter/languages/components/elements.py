"""The elements that are open while a template is read, and the names that are known in them."""

from collections import Counter
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
        self._names = Counter[bytes]()

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
            self._add(opened)

    def push(self, name: bytes, at: int, bound: Iterable[tuple[str, int]] = ()) -> None:
        """Open a block."""
        self._add(OpenElement(name, at, list(bound)))

    def leave(self, name: bytes, end: int) -> None:
        """Close the innermost element or block with a name, and those in it."""
        is_left = not self._names[name]
        while not is_left:
            is_left = self._close_top(end) == name

    def finish(self, end: int) -> None:
        """Close whatever is still open."""
        while self._open:
            self._close_top(end)

    def _add(self, opened: OpenElement) -> None:
        self._open.append(opened)
        self._names[opened.name] += 1

    def _close_top(self, end: int) -> bytes:
        opened = self._open.pop()
        self._names[opened.name] -= 1
        self._close(opened, end)
        return opened.name

    def _close(self, opened: OpenElement, end: int) -> None:
        for name, at in opened.bound:
            self._painting.bind(name, at, opened.at, end)
