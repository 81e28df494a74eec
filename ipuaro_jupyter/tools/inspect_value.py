"""Describe a value of the notebook's kernel."""

from ipuaro_jupyter.records.kernel import KernelValue
from ipuaro_jupyter.records.outputs import Code, Output
from ipuaro_jupyter.tools.notebook_kernel import opened
from ipuaro_jupyter.tools.tool import Project, tool


class InspectedValue(Output):
    """A value under a name: its type, its size, the types of its columns, and its beginning."""

    name: str
    described: KernelValue

    def text(self) -> str:
        """The type and the size, then the beginning."""
        read = self.described
        told = [f"{self.name}: {read.type}"]
        if read.shape is not None:
            told.append(f"shape {read.shape}")
        elif read.length is not None:
            told.append(f"length {read.length:,}")
        columns = [f"{one.name} {one.type}".strip() for one in read.dtypes]
        if columns:
            told.append(f"dtypes {', '.join(columns)}" if columns[1:] else f"dtype {columns[0]}")
        lines = [", ".join(told), *(f"  {line}" for line in read.head)]
        return "\n".join([*lines, *([f"  … {read.note}"] if read.note else [])])

    def shape(self) -> Code:
        """The text as lines."""
        title, *lines = self.text().split("\n")
        return Code(title=title, lines=tuple(lines))

    def value(self) -> dict[str, object]:
        """The name, and what was read of the value."""
        return {"name": self.name, **self.described.to_dict()}


@tool(in_order=True, in_notebook=True)
def inspect_value(project: Project, name: str) -> InspectedValue:
    """Describe a value of the user's notebook: type, shape, dtypes, length, head.

    Nothing is run: a value is read as it is stored.

    Args:
        name: A name, or a path of stored values such as order.items[0]["sku"].
    """
    kernel = opened(project.kernel, f"the value of {name[:100]}")
    return InspectedValue(name=name.strip(), described=kernel.value(name))
