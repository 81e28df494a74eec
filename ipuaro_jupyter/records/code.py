"""The facts of a file, as the index has them.

Lines are 1-based and ranges include their last line. Names are as written in the source. Parsing
workers build plain dicts of these shapes (snake_case keys, tuples as lists), which are stored as
MessagePack; records are only made of what is returned.
"""

from typing import Literal

import msgspec
from pydantic import Field

from ipuaro_jupyter.records.record import Record

ImportKind = Literal[
    "import",  # import a, { b } from "x"
    "type",  # import type { T } from "x"
    "side-effect",  # import "x"
    "re-export",  # export { a } from "x", export * from "x"
    "dynamic",  # import("x")
    "require",  # require("x")
    "import-equals",  # import x = require("x")
    "type-query",  # let v: import("x").T
]
SymbolKind = Literal[
    "function",
    "class",
    "interface",
    "type",
    "enum",
    "namespace",
    "const",
    "variable",
    "property",
]
FileType = Literal["source", "test", "config", "types", "unknown"]
TodoType = Literal["TODO", "FIXME", "HACK", "XXX", "BUG", "NOTE"]


class ImportedName(Record):
    """One binding of an import: ``imported`` is the name in the module, "default" or "*"."""

    imported: str
    local: str


class Import(Record):
    """A module specifier that a file names, in the order of the source."""

    source: str
    line: int
    kind: ImportKind
    names: tuple[ImportedName, ...] = ()


class Export(Record):
    """A name that a file exports.

    ``name`` is the exported name, "default", or "*" for ``export * from``. ``local`` is the name
    inside this file, or inside ``source`` for a re-export ("*" for a whole namespace); None for an
    anonymous default. ``source`` is the module specifier of a re-export, else None.
    """

    name: str
    line: int
    local: str | None = None
    source: str | None = None


class Param(Record):
    """A parameter: the name (without ``...``) or the text of a destructuring pattern."""

    name: str
    type: str | None = None
    is_optional: bool = False
    is_rest: bool = False


class Function(Record):
    """A function, method, accessor, constructor, or a function bound to a name.

    ``qualified`` is the dotted path to it from the top of the file, for example "Outer.inner" or
    "ParcelStore.findByCode"; `name` is its last part. An overload or abstract signature has
    ``has_body`` False. ``cyclomatic`` counts this function without the functions nested in it.
    """

    name: str
    qualified: str
    kind: Literal["function", "arrow", "method", "constructor", "getter", "setter"] = "function"
    line_start: int
    line_end: int
    params: tuple[Param, ...] = ()
    return_type: str | None = None
    is_async: bool = False
    is_generator: bool = False
    is_exported: bool = False
    is_static: bool = False
    is_abstract: bool = False
    has_body: bool = True
    cyclomatic: int = 1
    nesting: int = 0


class Property(Record):
    """A field of a class or interface; ``function`` is set when it holds a function."""

    name: str
    line_start: int
    line_end: int
    type: str | None = None
    is_static: bool = False
    is_readonly: bool = False
    function: Function | None = None


class Class(Record):
    """A class; ``extends`` and ``implements`` are the source's text with type arguments."""

    name: str
    qualified: str
    line_start: int
    line_end: int
    extends: str | None = None
    implements: tuple[str, ...] = ()
    is_abstract: bool = False
    is_exported: bool = False
    methods: tuple[Function, ...] = ()
    properties: tuple[Property, ...] = ()


class Interface(Record):
    """An interface; method signatures are in ``methods``."""

    name: str
    qualified: str
    line_start: int
    line_end: int
    extends: tuple[str, ...] = ()
    is_exported: bool = False
    fields: tuple[Property, ...] = ()
    methods: tuple[Function, ...] = ()


class TypeAlias(Record):
    """A type alias; ``text`` is the right-hand side.

    ``fields`` and ``methods`` are those of the object types that it is made of, as in an interface.
    """

    name: str
    qualified: str
    line_start: int
    line_end: int
    text: str
    is_exported: bool = False
    fields: tuple[Property, ...] = ()
    methods: tuple[Function, ...] = ()


class Enum(Record):
    """An enum with the names of its members."""

    name: str
    qualified: str
    line_start: int
    line_end: int
    members: tuple[str, ...] = ()
    is_exported: bool = False


class Namespace(Record):
    """A namespace or module block."""

    name: str
    qualified: str
    line_start: int
    line_end: int
    is_exported: bool = False


class Variable(Record):
    """A name bound at the top of the file or of a namespace, but not to a function or class."""

    name: str
    qualified: str
    line_start: int
    line_end: int
    kind: Literal["const", "variable", "key"]
    is_exported: bool = False


class Todo(Record):
    """A marker in a comment; ``text`` is without the marker and the comment's own signs."""

    line: int
    type: TodoType
    text: str


class Metrics(Record):
    """Complexity of a file.

    ``loc`` counts lines with a code token, ``nesting_depth`` is the deepest control flow
    (functions do not count), ``cyclomatic_complexity`` is 1 plus the decisions.
    """

    loc: int = 0
    nesting_depth: int = 0
    cyclomatic_complexity: int = 1

    @property
    def raw_score(self) -> float:
        """The score before it is clamped, used for sorting files."""
        return self.loc * 0.4 + self.nesting_depth * 15 + self.cyclomatic_complexity * 10

    @property
    def score(self) -> float:
        """``loc*0.4 + nestingDepth*15 + cyclomaticComplexity*10``, at most 100."""
        return min(100.0, self.raw_score)


class FileFacts(Record):
    """All facts of one file.

    ``hash`` is the BLAKE2b-16 of the bytes in hex, ``size`` is in bytes, ``lines`` counts lines
    as an editor does (a final newline adds none). ``parse_error`` is one sentence when the syntax
    tree has errors or the file was not parsed ("larger than …", "minified"), else None.
    """

    path: str
    language: str
    hash: str
    size: int
    lines: int = 0
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    types: tuple[TypeAlias, ...] = ()
    enums: tuple[Enum, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    variables: tuple[Variable, ...] = ()
    todos: tuple[Todo, ...] = ()
    metrics: Metrics = Field(default_factory=Metrics)
    parse_error: str | None = None


class SymbolLocation(Record):
    """The place where a symbol is declared; ``qualified`` is "Class.method" for members."""

    name: str
    qualified: str
    path: str
    line: int
    kind: SymbolKind


class Reference(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A use of a name: ``line`` and ``column`` are 1-based, the column counts characters.

    ``resolved`` says that imports lead from here to the definition in question; False is a match by
    name only. ``declared_in`` is the file with that definition, and ``declared_as`` its qualified
    name there; None for a match by name only.
    """

    path: str
    line: int
    column: int
    is_definition: bool
    resolved: bool
    declared_in: str | None = None
    declared_as: str | None = None


class Dependency(Record):
    """A file as a node of the import graph; ``exists`` is False for a dangling import."""

    path: str
    exists: bool
    is_hub: bool
    is_entry_point: bool
    file_type: FileType
    dependents: int
    complexity_score: float
