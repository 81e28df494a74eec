"""The lines around the places of a kept answer, made when somebody looks at them."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import overload

import msgspec

AROUND = 1
"""How many lines before and after a place are kept with it: those that are shown."""


class KeptLines:
    """The lines of a file that are near to places.

    Args:
        read: Returns them by their 1-based numbers.
    """

    def __init__(self, read: Callable[[], dict[int, str]]) -> None:
        self._read = read

    @cached_property
    def _lines(self) -> dict[int, str]:
        return self._read()

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """The lines from ``first`` to ``last``, 1-based, as far as they exist."""
        lines = self._lines
        return tuple(lines[line] for line in range(first, last + 1) if line in lines)


class LinesAround(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The lines around a place, read when they are looked at; equal to a tuple of them.

    Attributes:
        lines: Those of its file.
        line: The place's, 1-based.
    """

    lines: KeptLines
    line: int

    def _read(self) -> tuple[str, ...]:
        return self.lines.between(self.line - AROUND, self.line + AROUND)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        return self._read()[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __eq__(self, other: object) -> bool:
        return self._read() == (other._read() if isinstance(other, LinesAround) else other)

    def __hash__(self) -> int:
        return hash(self._read())

    def __repr__(self) -> str:
        return repr(self._read())
