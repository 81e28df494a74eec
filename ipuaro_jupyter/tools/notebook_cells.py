"""List the cells that were run in the notebook."""

from ipuaro_jupyter.records.kernel import RanCell
from ipuaro_jupyter.records.outputs import Output, Table
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.notebook_kernel import opened
from ipuaro_jupyter.tools.tool import Project, tool


class NotebookCells(Output):
    """The cells that were run, in the order in which they ran, with their outputs as text."""

    cells: tuple[RanCell, ...]

    def text(self) -> str:
        """Each cell with its output."""
        return self.parts().text()

    def parts(self) -> Parts:
        """Each cell, the latest first where there is no room for all."""
        if not self.cells:
            return Parts(head="No cell was run, except for those of the assistant.")
        return Parts(
            head="Cells that were run, the latest first; those of the assistant are left out:",
            entries=tuple(_told(cell) for cell in reversed(self.cells)),
            note="{left} earlier cells",
        )

    def shape(self) -> Table:
        """A row per cell."""
        return Table(
            title="Cells that were run",
            columns=("cell", "source", "output", "error"),
            rows=tuple((one.number, one.source, one.output, one.error) for one in self.cells),
        )


@tool(in_order=True, in_notebook=True)
def notebook_cells(project: Project) -> NotebookCells:
    """List the cells that were run in the user's notebook, with their outputs as text."""
    kernel = opened(project.kernel, "the cells that were run, with their outputs")
    return NotebookCells(cells=kernel.cells())


def _told(cell: RanCell) -> str:
    parts = [f"[{cell.number}]", cell.source]
    if cell.output:
        parts += ["output:", cell.output]
    if not cell.is_whole:
        parts.append("(IPython does not keep all that this cell printed)")
    if cell.error:
        parts += ["ended in:", cell.error]
    return "\n".join(parts)
