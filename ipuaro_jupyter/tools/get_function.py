"""Read one function."""

from collections.abc import Iterator

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import FileFacts, Function
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.outputs import Code, Output
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools.declaring_files import not_in_file
from ipuaro_jupyter.tools.source_lines import as_code, numbered, section, source_parts, where
from ipuaro_jupyter.tools.tool import Project, tool

_LISTED = 40


class FunctionSource(Output):
    """A function's source. ``code`` has line numbers; the range is 1-based and inclusive.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines.
    """

    path: str
    name: str
    code: str
    cell: int | None = None
    line_start: int
    line_end: int
    params: tuple[str, ...] = ()
    is_async: bool = False
    is_exported: bool = False
    return_type: str | None = None
    note: str | None = None

    def text(self) -> str:
        """A heading with the signature, then the numbered source."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The heading and the lines."""
        words = [w for w, on in (("exported", self.is_exported), ("async", self.is_async)) if on]
        returns = f"{_returns(self.path)}{self.return_type}" if self.return_type else ""
        head = f"{where(self.path, f'{self.line_start}-{self.line_end}', self.cell)} "
        head += f"{self.name}({', '.join(self.params)}){returns}"
        head += f" [{', '.join(words)}]" if words else ""
        head = f"{self.note}\n{head}" if self.note else head
        start, cell = self.line_start, self.cell
        return source_parts(head, self.code, path=self.path, start=start, cell=cell)

    def shape(self) -> Code:
        """The source as code."""
        return as_code(self.path, self.name, code=self.code, start=self.line_start)


@tool(
    aliases=("read_function", "show_function", "function_source"),
    names={"path": "file", "name": "symbol"},
)
def get_function(project: Project, path: str, name: str) -> FunctionSource:
    """Read one function.

    Args:
        path: Project-relative path.
        name: Name, Class.method, or outer.inner for a nested one.
    """
    path = project.workspace.relative(path, kind="file")
    file = project.workspace.read(path)
    facts = project.index.facts(path)
    if facts is None:
        project.workspace.note_shown(path, file.hash)
        return FunctionSource(
            path=path,
            name=name,
            code=numbered(file.lines, 1),
            line_start=1,
            line_end=len(file.lines),
            note=f"{path} is in a language that is not indexed: this is the whole file.",
        )
    found = _find(facts, name)
    if found is None:
        raise _not_found(facts, name)
    project.workspace.note_shown(path, file.hash)
    shown = section(file, found.line_start, found.line_end)
    return FunctionSource(
        path=path,
        name=found.name,
        code=numbered(shown.lines, shown.start),
        cell=shown.cell,
        line_start=shown.start,
        line_end=shown.end,
        params=tuple(param.name for param in found.params),
        is_async=found.is_async,
        is_exported=found.is_exported,
        return_type=found.return_type,
    )


def _returns(path: str) -> str:
    """What stands before the type of a result in the language of a file."""
    if is_open(path) or path.endswith(".rs"):
        return " -> "
    return " " if path.endswith(".go") else ": "


def _functions(facts: FileFacts) -> Iterator[Function]:
    """Yield the functions of a file, then the methods and function fields of its classes."""
    yield from facts.functions
    for holder in facts.classes:
        yield from holder.methods
        yield from (p.function for p in holder.properties if p.function is not None)
    for interface in facts.interfaces:
        yield from interface.methods
    for alias in facts.types:
        yield from alias.methods


def _find(facts: FileFacts, name: str) -> Function | None:
    """The function meant by ``name``: qualified before bare, with a body before without."""
    candidates = list(_functions(facts))
    for matches in (
        [f for f in candidates if f.qualified == name],
        [f for f in candidates if f.name == name],
        [f for f in candidates if f.qualified.endswith(f".{name}")],
    ):
        if matches:
            return next((f for f in matches if f.has_body), matches[0])
    return None


def _not_found(facts: FileFacts, name: str) -> ToolError:
    known = list(dict.fromkeys(f.qualified for f in _functions(facts)))
    near = closest(name, known)
    listed = [*near, *(k for k in known if k not in near)]
    hint = f"Available functions: {named(listed, _LISTED) or 'none'}"
    return not_in_file(facts, "function", name, hint=hint)
