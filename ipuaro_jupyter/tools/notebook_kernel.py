"""The kernel of a notebook, as tools see it."""

from collections.abc import Callable
from dataclasses import dataclass

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.kernel import FailedCell, KernelValue, RanCell


@dataclass(frozen=True)
class Kernel:
    """What a notebook's kernel tells; nothing of it runs code of the user.

    Attributes:
        failed: Returns a cell that failed and was not repeated since, by its number, or the latest
            for None; None without one.
        value: Returns the value of a name, or of a path such as ``order.items[0]``; raises
            ToolError when there is none.
        names: Returns the user's names, in the order in which they were first assigned.
        cells: Returns the cells that were run, in their order.
    """

    failed: Callable[[int | None], FailedCell | None]
    value: Callable[[str], KernelValue]
    names: Callable[[], tuple[str, ...]]
    cells: Callable[[], tuple[RanCell, ...]]


@dataclass(frozen=True)
class KernelAccess:
    """The kernel, of which the model is given something only after `allow`.

    Attributes:
        kernel: The kernel.
        allow: Asks the user where that is due, with what the model is to be given, in words; raises
            ToolError when the user does not allow it, and Cancelled when stop was pressed instead.
    """

    kernel: Kernel
    allow: Callable[[str], None]


def opened(access: KernelAccess | None, wanted: str) -> Kernel:
    """The kernel of the notebook, for the model.

    Args:
        access: Leads to it; None outside a notebook.
        wanted: What the model is to be given, in words.

    Raises:
        ToolError: "validation" outside a notebook; "cancelled" when the user does not allow it.
    """
    if access is None:
        raise not_here()
    access.allow(wanted)
    return access.kernel


def not_here() -> ToolError:
    """The error outside a notebook."""
    return ToolError(
        "validation",
        "This reads the kernel of a notebook, and there is none here: it works in the notebook "
        "that the user asks from, not in a terminal, a script or an MCP client.",
        suggestion="Ask the user for the error or the value.",
    )
