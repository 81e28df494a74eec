"""Read one class."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import Class, FileFacts
from ipuaro_jupyter.records.outputs import Code, Output
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools.declaring_files import not_in_file
from ipuaro_jupyter.tools.source_lines import (
    Section,
    as_code,
    numbered,
    section,
    source_parts,
    where,
)
from ipuaro_jupyter.tools.tool import Project, tool


class Method(Record):
    """A method, accessor, constructor or abstract signature."""

    name: str
    is_static: bool
    is_async: bool
    params: tuple[str, ...]


class Field(Record):
    """Any other member."""

    name: str
    is_static: bool
    is_readonly: bool


class ClassSource(Output):
    """A class's source and members. ``code`` has line numbers; the range is 1-based, inclusive.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines.
    """

    path: str
    name: str
    code: str
    cell: int | None = None
    line_start: int
    line_end: int
    methods: tuple[Method, ...]
    properties: tuple[Field, ...]
    is_abstract: bool
    extends: str | None = None
    implements: tuple[str, ...] = ()
    is_exported: bool

    def text(self) -> str:
        """A heading with the heritage, the members, then the numbered source."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The heading with the members, and the lines."""
        head = f"{where(self.path, f'{self.line_start}-{self.line_end}', self.cell)} "
        head += ("abstract " if self.is_abstract else "") + f"class {self.name}"
        bases = "({})" if is_open(self.path) else " extends {}"
        head += bases.format(self.extends) if self.extends else ""
        head += f" implements {', '.join(self.implements)}" if self.implements else ""
        head += " [exported]" if self.is_exported else ""
        methods = ", ".join(f"{m.name}({', '.join(m.params)})" for m in self.methods)
        fields = ", ".join(p.name for p in self.properties)
        head += f"\nMethods: {methods or 'none'}\nProperties: {fields or 'none'}"
        start, cell = self.line_start, self.cell
        return source_parts(head, self.code, path=self.path, start=start, cell=cell)

    def shape(self) -> Code:
        """The source as code."""
        return as_code(self.path, self.name, code=self.code, start=self.line_start)


@tool(
    aliases=("read_class", "show_class", "class_source"), names={"path": "file", "name": "symbol"}
)
def get_class(project: Project, path: str, name: str) -> ClassSource:
    """Read one class with its methods, properties and heritage.

    Args:
        path: File, relative to the project's root.
        name: Name of the class.
    """
    path = project.workspace.relative(path, kind="file")
    file = project.workspace.read(path)
    facts = project.index.facts(path)
    if facts is None:
        raise ToolError(
            "parse",
            f"{path} is in a language that is not indexed.",
            suggestion="Read it with get_lines.",
        )
    found = next((c for c in facts.classes if name in {c.qualified, c.name}), None)
    if found is None:
        raise _not_found(facts, name)
    project.workspace.note_shown(path, file.hash)
    return _describe(path, found, section(file, found.line_start, found.line_end))


def _describe(path: str, found: Class, shown: Section) -> ClassSource:
    return ClassSource(
        path=path,
        name=found.name,
        code=numbered(shown.lines, shown.start),
        cell=shown.cell,
        line_start=shown.start,
        line_end=shown.end,
        methods=tuple(
            Method(
                name=method.name,
                is_static=method.is_static,
                is_async=method.is_async,
                params=tuple(param.name for param in method.params),
            )
            for method in found.methods
        ),
        properties=tuple(
            Field(name=field.name, is_static=field.is_static, is_readonly=field.is_readonly)
            for field in found.properties
        ),
        is_abstract=found.is_abstract,
        extends=found.extends,
        implements=found.implements,
        is_exported=found.is_exported,
    )


def _not_found(facts: FileFacts, name: str) -> ToolError:
    known = [c.qualified for c in facts.classes]
    others = [("an interface", one.line_start) for one in facts.interfaces if one.name == name]
    others += [("a type alias", one.line_start) for one in facts.types if one.name == name]
    if others:
        kind, line = others[0]
        hint = f"{name} is {kind}: read it with get_lines from line {line}."
    else:
        near = closest(name, known)
        listed = [*near, *(k for k in known if k not in near)]
        hint = f"Available classes: {', '.join(listed[:40]) or 'none'}"
    return not_in_file(facts, "class", name, hint=hint)
