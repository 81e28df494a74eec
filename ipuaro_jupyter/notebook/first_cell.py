"""The first cell of ours in a kernel: it loads the extension, and can ask like any other.

A lazily loaded magic comes too late: its cell has been read by then, and cannot await. So the
settings that the package brings load this module in each kernel, which takes one or two
milliseconds; all the rest loads with that cell.
"""

from typing import Any

from ipuaro_jupyter.notebook.awaiting import awaiting

_EXTENSION = "ipuaro_jupyter"
_MAGICS = (("line", "ipuaro"), ("line", "ask"), ("cell", "ask"), ("line", "tool"))


def load_ipython_extension(shell: Any) -> None:
    """Read the cells until one of them is ours; IPython calls it when it starts."""
    if not any(isinstance(one, FirstCell) for one in shell.input_transformers_cleanup):
        shell.input_transformers_cleanup.append(FirstCell(shell))


def unload_ipython_extension(shell: Any) -> None:
    """No longer load the extension with a cell."""
    kept = [one for one in shell.input_transformers_cleanup if not isinstance(one, FirstCell)]
    shell.input_transformers_cleanup[:] = kept


class FirstCell:
    """An input transformer that loads the extension before the first cell which needs it.

    Args:
        shell: IPython's.
    """

    has_side_effects = True  # so IPython leaves it out when it asks whether a cell is complete

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def __call__(self, lines: list[str]) -> list[str]:
        """The lines of a cell, as the extension's own transformer leaves them."""
        if awaiting(lines) == lines or not self._is_wanted():
            return lines
        transformers = self._shell.input_transformers_cleanup
        known = len(transformers)
        self._shell.extension_manager.load_extension(_EXTENSION)
        for transform in transformers[known:]:  # this cell is past them
            lines = transform(lines)
        return lines

    def _is_wanted(self) -> bool:
        """Whether the extension is not loaded, and its magics' names are not those of others."""
        magics = self._shell.magics_manager.magics
        is_taken = any(name in magics[kind] for kind, name in _MAGICS)
        return not is_taken and _EXTENSION not in self._shell.extension_manager.loaded
