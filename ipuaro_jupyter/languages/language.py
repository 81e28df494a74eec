"""One language, read from its folder.

A folder holds ``language.toml`` and, when the language is parsed, the queries it names. Nothing
here is about a particular language.

``reader`` in language.toml says how facts are made of the captures:

    declarations        functions, classes, imports and exports as in the families of JavaScript
                        and C: what is exported says so where it stands (the default)
    python              what stands directly in a class is a member, a name is declared by its
                        first binding, and ``__all__`` says what is exported
    keys                the top-level keys of a data file, without a grammar: ``keys`` says whether
                        they are found as in "json" or as in "yaml"
    cells               a notebook: its code cells are read as the language in the table ``cells``

``modules`` says how imports lead to files, and how names are looked up: "ecmascript" (the
default) or "python".

The captures that a query may use, and what the index makes of each (fields are looked up by the
tables of language.toml, so a query never captures the name of what it captures):

    comment             a comment: searched for markers, not counted as code
    identifier          an occurrence of a name, for references
    identifier.member   the same of a member, a key or a label
    identifier.type     the same of a type
    branch              deepens the control flow and is a decision (if, loops)
    branch.block        deepens the control flow only (switch, try)
    branch.chained      a branch that continues another (else if): a decision that does not deepen
    decision            a decision only (case, catch, ?:, &&)
    function            a declaration of a function, also without a body
    function.expression a function that may have a name of its own
    function.arrow      a function without a name of its own
    method              a method, accessor or constructor, of a class or of an object
    class, interface, enum, type, namespace
                        a declaration
    class.expression    a class that may have a name of its own
    class.broken        the name in the header of a class that has a syntax error
    extends, implements a type in a heritage clause
    property            a field of a class or interface
    member              the name of a member of an enum
    decorator           stands before what it decorates
    binding             gives a name to its value (assignment, pair)
    binding.maybe       the same, when its value is of a kind in the table ``bound_values``
                        and holds one of ``bound_signs``
    import, export      a statement
    import.source       the string that names a module, inside an import or export
    import.default, import.all, import.name, import.equals
                        what an import binds: the default, everything, one name, `= require()`
    import.alias        a name for another name
    export.all, export.name, export.value
                        everything of another module, one name, the value of the default
    error               a syntax error (added to every query)

The reader ``python`` knows these too:

    function.yields     makes a generator of the function around it
    class.keyword       a value among the bases of a class that is no base
    binding.target      the names that a statement gives values to, apart from assignments
    types.only          a block that is for type checkers only
    import.module       a module that is imported as a whole (fields ``name`` and ``alias``)
    import.star         everything that a module offers, each thing under its own name

Captures that begin with an underscore are for predicates.
"""

import importlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tree_sitter import Language as Grammar
from tree_sitter import Node as Node  # noqa: PLC0414 - the index names nodes through this door
from tree_sitter import Parser, Query

CAPTURES: Final = (
    *(
        "comment",
        "identifier",
        "identifier.member",
        "identifier.type",
        "branch",
        "branch.block",
        "branch.chained",
        "decision",
    ),
    *("function", "function.expression", "function.arrow", "method"),
    *("class", "class.expression", "class.broken", "interface", "enum", "type", "namespace"),
    *("extends", "implements", "property", "member", "decorator", "binding"),
    *("binding.maybe",),
    *("import", "import.source", "import.default", "import.all", "import.name", "import.equals"),
    *("import.alias", "export", "export.all", "export.name", "export.value", "error"),
    *("function.yields", "class.keyword", "binding.target", "types.only", "import.module"),
    "import.star",
)
READERS: Final = ("declarations", "python", "keys", "cells")
MODULES: Final = ("ecmascript", "python")
KEYS: Final = ("", "json", "yaml")
_FIELDS: Final = (
    *("name", "value", "parameters", "parameter", "body", "return_type", "type", "key", "alias"),
)
_MODIFIERS: Final = (
    *("async", "generator", "static", "readonly", "abstract", "getter", "setter", "optional"),
    *("default", "type_only", "constant"),
)


class LanguageError(ValueError):
    """A language's folder breaks the rules; the message names the folder and what is allowed."""


@dataclass(frozen=True)
class Parameter:
    """How a kind of node in a parameter list is read: the fields, and what the kind says.

    ``place`` is that of the name among the named children, where no field has it.
    """

    name: str | None = None
    type: str | None = None
    default: str | None = None
    optional: bool = False
    rest: bool = False
    place: int | None = None


@dataclass(frozen=True)
class Comments:
    """How comments and strings begin and end where no grammar says it.

    ``line`` and ``block`` are the signs; ``strings`` are pairs of quotes, longest first;
    ``after_blank`` is for languages in which a sign in the middle of a word is no comment.
    """

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()
    strings: tuple[tuple[str, str], ...] = ()
    after_blank: bool = False


@dataclass(frozen=True)
class Cells:
    """How the cells of a notebook are read.

    ``language`` is the one that the code is in, when the notebook's kernel says one of ``kernels``
    or nothing. A cell that begins with the magic of one of ``foreign`` is in another language.
    """

    language: str = ""
    kernels: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Tables:
    """What the index has to know of node kinds; see the language.toml of JavaScript."""

    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    modifiers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    parameter_properties: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
    pattern_leaves: frozenset[str] = frozenset()
    pattern_follow: Mapping[str, str] = field(default_factory=dict)
    transparent: Mapping[str, int] = field(default_factory=dict)
    calls: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    members: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    shorthands: frozenset[str] = frozenset()
    spreads: frozenset[str] = frozenset()
    loaders: Mapping[str, str] = field(default_factory=dict)
    variables: frozenset[str] = frozenset()
    statements: frozenset[str] = frozenset()
    declarators: frozenset[str] = frozenset()
    bound_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bound_signs: tuple[str, ...] = ()
    type_contexts: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    receivers: frozenset[str] = frozenset()
    dropped_names: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    export_objects: tuple[str, ...] = ()
    export_definers: tuple[str, ...] = ()
    export_copiers: tuple[str, ...] = ()
    unexported: frozenset[str] = frozenset()
    no_wrappers: frozenset[str] = frozenset()
    patches: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    kept: tuple[str, ...] = ()
    decorators: Mapping[str, str] = field(default_factory=dict)
    abstract_bases: frozenset[str] = frozenset()
    final_types: frozenset[str] = frozenset()
    shared_types: frozenset[str] = frozenset()
    alias_types: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    sequences: frozenset[str] = frozenset()
    export_lists: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    builtin_types: frozenset[str] = frozenset()

    @cached_property
    def markers(self) -> Mapping[str, str]:
        """The modifier that each kind of child stands for: `modifiers` the other way round."""
        return {kind: name for name, kinds in self.modifiers.items() for kind in kinds}

    @cached_property
    def export_heads(self) -> tuple[bytes, ...]:
        """What an assignment to something exported begins with."""
        return tuple(name.encode() for name in self.export_objects)

    @cached_property
    def export_target(self) -> re.Pattern[str]:
        """What an assignment to something exported is to, without blanks: ``name`` or ``text``."""
        objects = "|".join(re.escape(name) for name in self.export_objects)
        return re.compile(rf"(?:{objects})(?:\.(?P<name>[\w$]+)|\[(['\"])(?P<text>[^'\"]*)\2\])?")

    @cached_property
    def export_call(self) -> re.Pattern[bytes]:
        """The name of a function that exports what it is given: ``callee``, maybe a ``definer``."""
        definers = "|".join(re.escape(name) for name in self.export_definers)
        copiers = "|".join(re.escape(name) for name in self.export_copiers)
        objects = "|".join(re.escape(name) for name in self.export_objects)
        return re.compile(
            rf"(?P<callee>(?P<definer>{definers})(?=\s*+\(\s*+(?:{objects})\s*+,)"
            rf"|\b(?:{copiers})(?=\s*+\(\s*+require\b))".encode()
        )


@dataclass(frozen=True)
class Language:
    """A language of the index.

    ``grammar`` is None for a language of which only the comments are read. ``retry`` names the
    language whose grammar a file with syntax errors is tried with.
    """

    name: str
    folder: Path
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    grammar: str | None = None
    retry: str | None = None
    comments: Comments = Comments()
    tables: Tables = field(default_factory=Tables)
    queries: tuple[str, ...] = ()
    reader: str = "declarations"
    modules: str = "ecmascript"
    keys: str = ""
    cells: Cells = Cells()

    @property
    def is_parsed(self) -> bool:
        """Whether files of this language have more facts than the markers in their comments."""
        return self.grammar is not None or self.reader in {"cells", "keys"}

    @property
    def is_code(self) -> bool:
        """Whether files have functions and a complexity, which data files have not."""
        return self.is_parsed and self.reader != "keys"

    @cached_property
    def _grammar(self) -> Grammar:
        module, _, function = (self.grammar or "").partition(":")
        return Grammar(getattr(importlib.import_module(module), function)())

    @cached_property
    def heads(self) -> dict[tuple[int, bytes], frozenset[str]]:
        """The modifiers that were found in a kind of node, by the source before its name."""
        return {}

    @cached_property
    def parser(self) -> Parser:
        """A parser for the language; one thread at a time."""
        return Parser(self._grammar)

    @cached_property
    def query(self) -> Query:
        """The one query that is run over each file.

        Raises:
            LanguageError: A capture is not in the vocabulary.
        """
        text = "\n".join((self.folder / name).read_text("utf-8") for name in self.queries)
        text += "\n[(ERROR) (MISSING)] @error"
        query = Query(self._grammar, text)
        names = [query.capture_name(i) for i in range(query.capture_count)]
        unknown = sorted(n for n in names if n not in CAPTURES and not n.startswith("_"))
        if unknown:
            raise LanguageError(
                f"{self.folder}: unknown captures {', '.join(unknown)}. "
                f"Known: {', '.join(CAPTURES)}"
            )
        return query

    @cached_property
    def kept_kinds(self) -> frozenset[int]:
        """The grammar's numbers of the nodes that a repair of a broken file must not lose."""
        ids = (self._grammar.id_for_node_kind(kind, True) for kind in self.tables.kept)  # noqa: FBT003
        return frozenset(found for found in ids if found)

    @cached_property
    def field_ids(self) -> Mapping[str, tuple[int, Mapping[str, int]]]:
        """For each field the index asks for: its id, and the ids for kinds that call it otherwise.

        0 is the id of a field that the grammar does not have.
        """
        ids: dict[str, tuple[int, dict[str, int]]] = {}
        for name in _FIELDS:
            usual = self.tables.fields.get("default", {}).get(name, name)
            special = {
                kind: self._grammar.field_id_for_name(table[name]) or 0
                for kind, table in self.tables.fields.items()
                if kind != "default" and name in table
            }
            ids[name] = (self._grammar.field_id_for_name(usual) or 0, special)
        return ids


def load(folder: Path) -> Language:
    """Return the language that ``folder`` describes. The grammar is imported at its first use.

    Raises:
        LanguageError: language.toml is missing or has a key that nothing reads.
    """
    table = _read(folder)
    _check(folder, table)
    cells = table.get("cells", {})
    comments = table.get("comments", {})
    return Language(
        name=table["name"],
        folder=folder,
        extensions=tuple(table.get("extensions", ())),
        filenames=tuple(table.get("filenames", ())),
        grammar=table.get("grammar"),
        retry=table.get("retry"),
        queries=tuple(table.get("queries", ())),
        comments=Comments(
            line=tuple(comments.get("line", ())),
            block=tuple((start, end) for start, end in comments.get("block", ())),
            strings=tuple((start, end) for start, end in comments.get("strings", ())),
            after_blank=comments.get("after_blank", False),
        ),
        tables=_tables(folder, table.get("tables", {})),
        reader=table.get("reader", "declarations"),
        modules=table.get("modules", "ecmascript"),
        keys=table.get("keys", ""),
        cells=Cells(
            language=cells.get("language", ""),
            kernels=frozenset(cells.get("kernels", ())),
            foreign=frozenset(cells.get("foreign", ())),
        ),
    )


def _check(folder: Path, table: dict[str, Any]) -> None:
    """Refuse keys that nothing reads, and values that name nothing.

    Raises:
        LanguageError: There are some.
    """
    known = {
        *("name", "extensions", "filenames", "grammar", "retry", "queries", "comments", "tables"),
        *("reader", "modules", "keys", "cells"),
    }
    unknown = sorted(table.keys() - known)
    if unknown:
        raise LanguageError(
            f"{folder}: unknown keys {', '.join(unknown)}. Known: {', '.join(sorted(known))}"
        )
    for key, values in (("reader", READERS), ("modules", MODULES), ("keys", KEYS)):
        if table.get(key, values[0]) not in values:
            raise LanguageError(f"{folder}: {key} = {table[key]!r} is none of {', '.join(values)}")


def _read(folder: Path) -> dict[str, Any]:
    """Return language.toml over the tables of the language that it extends."""
    try:
        with (folder / "language.toml").open("rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError as error:
        raise LanguageError(f"{folder}: a language needs a language.toml") from error
    base = table.pop("extends", None)
    if base is not None:
        tables = _read((folder / base).resolve()).get("tables", {})
        table["tables"] = _merge(tables, table.get("tables", {}))
    return table


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Return ``below`` with ``above`` over it: tables are merged, lists are joined."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            merged[key] = [*old, *value]
        else:
            merged[key] = value
    return merged


def _tables(folder: Path, raw: dict[str, Any]) -> Tables:
    kinds = Tables.__dataclass_fields__
    unknown = sorted(raw.keys() - kinds.keys())
    modifiers = sorted(raw.get("modifiers", {}).keys() - set(_MODIFIERS))
    if unknown or modifiers:
        raise LanguageError(
            f"{folder}: unknown tables {', '.join([*unknown, *modifiers])}. "
            f"Known: {', '.join(kinds)}; modifiers: {', '.join(_MODIFIERS)}"
        )
    made: dict[str, Any] = dict(raw)
    for name, kind in kinds.items():
        if name in made and kind.type == frozenset[str]:
            made[name] = frozenset(made[name])
        elif name in made and kind.type == tuple[str, ...]:
            made[name] = tuple(made[name])
    made["patches"] = tuple(
        (pattern, sign, tuple(words[0]) if words else ())
        for pattern, sign, *words in made.get("patches", ())
    )
    made["parameters"] = {k: Parameter(**v) for k, v in made.get("parameters", {}).items()}
    return Tables(**made)
