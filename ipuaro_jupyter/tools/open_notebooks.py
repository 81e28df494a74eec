"""The notebooks that are open in the user's front end, as tools see them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

T = TypeVar("T")


class OpenCell(NamedTuple):
    """A cell as the front end has it, saved or not."""

    id: str
    kind: str
    source: str
    has_outputs: bool = False


@dataclass(frozen=True)
class CellChange:
    """What becomes of the cells of a notebook; all numbers are 1-based.

    Attributes:
        action: What is done.
        number: The cell; the number that a new one gets.
        above: Where a cell is moved: the cell above it, as numbered before; 0 for the beginning.
        kind: Of a new cell: "code", "markdown" or "raw".
    """

    action: Literal["edit", "insert", "delete", "move"]
    number: int
    above: int = 0
    kind: str = ""

    def applied(self, items: Sequence[T], new: T) -> list[T]:
        """A list with an item for each cell, after the change; ``new`` is for a new text."""
        before, rest = [*items[: self.number - 1]], [*items[self.number :]]
        if self.action == "edit":
            return [*before, new, *rest]
        if self.action == "insert":
            return [*before, new, *items[self.number - 1 :]]
        if self.action == "delete":
            return [*before, *rest]
        others = [*before, *rest]
        at = self.above if self.above < self.number else self.above - 1
        return [*others[:at], items[self.number - 1], *others[at:]]


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook that is open in the front end.

    Attributes:
        cells: Its cells as they are there.
        is_shared: Whether it is a collaborative document, which others may have open, too.
        asking: The id of the cell that asks; "" where it is in another notebook.
        change: Makes a change with this source, if the cells are still those; returns the cells
            after it, and whether the front end has saved them. Raises ToolError when it cannot.
    """

    cells: tuple[OpenCell, ...]
    is_shared: bool
    asking: str
    change: Callable[[CellChange, str], "ChangedCells"]


class ChangedCells(NamedTuple):
    """The cells after a change in the front end, and whether they are saved.

    ``problem`` says why they could not be; "" where that was not tried, or is done.
    """

    cells: tuple[OpenCell, ...]
    is_saved: bool
    problem: str = ""


@dataclass(frozen=True)
class OpenNotebooks:
    """Leads to the notebooks that are open in the front end.

    Attributes:
        find: Returns the notebook of a file, or None when the front end says that it is not open.
            Raises ToolError when it does not say.
    """

    find: Callable[[Path], OpenNotebook | None]
