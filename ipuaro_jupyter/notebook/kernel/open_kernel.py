"""The kernel as the tools see it."""

from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.kernel.brief import Brief, Hidden
from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.kernel.describing import at_path, described
from ipuaro_jupyter.notebook.kernel.stored_fields import class_name, derives, strings
from ipuaro_jupyter.records.kernel import KernelValue
from ipuaro_jupyter.tools.notebook_kernel import Kernel

_WORDS = 1000


def kernel_of(shell: Any, cells: RunCells, hidden: Hidden) -> Kernel:
    """The kernel of a shell; every text of it is without secrets.

    Args:
        shell: IPython's shell.
        cells: The cells that it has run.
        hidden: Removes secrets from a text.
    """
    cells.hide(hidden)
    return Kernel(
        failed=cells.failed,
        value=partial(_value, shell, hidden),
        names=partial(_names, shell),
        cells=cells.ran,
    )


def _value(shell: Any, hidden: Hidden, path: str) -> KernelValue:
    try:
        value = at_path(shell.user_ns, path)
        whole = path.rpartition("[")[0] if type(value) is str else ""
        with suppress(ToolError):  # the word before it may tell of a secret
            words = at_path(shell.user_ns, whole)
            if type(words) in (list, tuple) and Brief(hidden).command(words[:_WORDS]):
                value, path = words, whole
        return described(value, path.strip(), hidden)
    except ToolError:
        raise
    except Exception as error:
        raise ToolError(
            "validation",
            f"{path[:100]} could not be read: {class_name(type(error))}. It may have changed while "
            "it was read.",
            suggestion="Try again when the cells and threads of the notebook are idle.",
        ) from error


def _names(shell: Any) -> tuple[str, ...]:
    """The names that the user has assigned, without modules and what IPython has put there."""
    ours = dict(strings(shell.user_ns_hidden))
    return tuple(
        name
        for name, value in strings(shell.user_ns)
        if not name.startswith("_")
        and not (name in ours and ours[name] is value)
        and not derives(type(value), ModuleType)
    )
