"""A language, read from its folder.

A folder holds ``language.toml`` and, when the language is parsed, the queries it names. Nothing
here is about a particular language.

``reader`` in language.toml says how facts are made from the captures:

    declarations        functions, classes, imports and exports as in the families of JavaScript
                        and C: a keyword beside a declaration exports it (the default)
    python              a declaration directly in a class is a member, a name is declared by its
                        first binding, and ``__all__`` lists the exports
    grammar             what the query captures is declared, and belongs to the declaration around
                        it: for a language that needs no reader of its own
    keys                the top-level keys of a data file, without a grammar: ``keys`` says whether
                        they are found as in "json" or as in "yaml"
    component           script blocks and a template in one file: as the table ``component`` says
    cells               a notebook: its code cells are read as the language in the table ``cells``

``modules`` says how imports are resolved, and how names are looked up: "ecmascript" (the default),
"python", "go", "rust", "java", or "none": all modules are external.

``extra`` is the extra of this package that installs the grammar, where it is an option.

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
    decorator           precedes the declaration it decorates
    binding             gives a name to its value (assignment, pair)
    binding.maybe       the same, when its value is of a kind in the table ``bound_values``
                        and contains one of ``bound_signs``
    import, export      a statement
    import.source       the string that names a module, inside an import or export
    import.default, import.all, import.name, import.equals
                        the binding of an import: the default, everything, one name, `= require()`
    import.alias        a name for another name
    export.all, export.name, export.value
                        everything of another module, one name, the value of the default

The queries named in ``details`` are for the inside of imports and exports. In a file without syntax
errors, they are run only over those statements whose text is not simple.

The reader ``python`` knows these too:

    function.yields     makes the enclosing function a generator
    class.keyword       a keyword argument among the bases of a class
    binding.target      the targets of a statement other than an assignment
    types.only          a block that is for type checkers only
    import.module       a module that is imported as a whole (fields ``name`` and ``alias``)
    import.star         everything that a module exports, each under its own name

The reader ``grammar`` knows the captures of control flow, those of names, ``class``,
``class.expression`` (without a name), ``interface``, ``enum``, ``type``, ``namespace``,
``function``, ``function.arrow`` (its control flow is that of the function around it), ``property``,
``member``, ``extends``, ``implements``, ``import``, ``import.source``, ``import.name``,
``import.star``, ``import.module`` and:

    methods             a block with methods of a type that is declared elsewhere
    holder              the name of that type, inside the block or before the name of a method
    constant, variable  a declaration of names, which are fields in a type
    exported, static, abstract, readonly, async
                        a word in the head of the declaration that it says this of
    import.package      the name of the package of the file, whose types need no import
    import.within       a list of imports below the path in its field ``path``
    import.file         the string that names the file of the module declared behind it
    import.path         the beginning of a path in the code, which may lead to another file

Captures that begin with an underscore are for predicates.
"""

import importlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tree_sitter import Language as Grammar
from tree_sitter import Node as Node  # noqa: PLC0414 - the index names nodes through this door
from tree_sitter import Parser, Query

from ipuaro_jupyter.languages.tables import (
    Cells,
    Comments,
    Component,
    LanguageError,
    Tables,
    tables_of,
)

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
    *("import.alias", "export", "export.all", "export.name", "export.value"),
    *("function.yields", "class.keyword", "binding.target", "types.only", "import.module"),
    "import.star",
    *("methods", "holder", "constant", "variable"),
    *("import.within", "import.file", "import.path"),
    *("exported", "static", "abstract", "readonly", "async", "import.package"),
)
READERS: Final = ("declarations", "python", "grammar", "keys", "cells", "component")
MODULES: Final = ("ecmascript", "python", "go", "rust", "java", "none")
KEYS: Final = ("", "json", "yaml")
_FIELDS: Final = (
    *(
        "name",
        "value",
        "parameters",
        "parameter",
        "body",
        "return_type",
        "type",
        "key",
        "alias",
        "path",
    ),
)


@dataclass(frozen=True)
class Language:
    """A language of the index.

    ``grammar`` is None for a language of which only the comments are read; ``install`` is
    the command that installs the grammar when it is wanting. ``retry`` names the
    language whose grammar is tried on a file with syntax errors. In a file where one of the
    patterns ``foreseen`` matches, the patches with ``inside`` are tried before it is parsed:
    parsing it with errors first would take much longer.
    """

    name: str
    folder: Path
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    grammar: str | None = None
    retry: str | None = None
    comments: Comments = field(default_factory=Comments)
    tables: Tables = field(default_factory=Tables)
    queries: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    foreseen: tuple[str, ...] = ()
    reader: str = "declarations"
    modules: str = "ecmascript"
    keys: str = ""
    cells: Cells = field(default_factory=Cells)
    extra: str = ""
    install: str = ""
    component: Component = field(default_factory=Component)

    @property
    def is_parsed(self) -> bool:
        """Whether files of this language have facts beyond the markers in their comments."""
        return self.grammar is not None or self.reader in {"cells", "component", "keys"}

    @property
    def is_code(self) -> bool:
        """Whether files have functions and a complexity, unlike data files."""
        return self.is_parsed and self.reader != "keys"

    @cached_property
    def _grammar(self) -> Grammar:
        module, _, function = (self.grammar or "").partition(":")
        return Grammar(getattr(importlib.import_module(module), function)())

    @cached_property
    def heads(self) -> dict[tuple[int, bytes], frozenset[str]]:
        """A cache of the modifiers found in a kind of node, by the source before its name."""
        return {}

    @cached_property
    def parameters(self) -> dict[bytes, list[dict[str, Any]]]:
        """A cache of parameters, by the source of their list or of a single one."""
        return {}

    @cached_property
    def types(self) -> dict[bytes, str | None]:
        """A cache of types without the sign before them, by their source with it."""
        return {}

    @cached_property
    def parser(self) -> Parser:
        """A parser for the language; one thread at a time."""
        return Parser(self._grammar)

    @cached_property
    def query(self) -> Query:
        """The single query that is run over each file.

        Raises:
            LanguageError: A capture is not in the vocabulary.
        """
        return self._compiled(self.queries)

    @cached_property
    def details_query(self) -> Query | None:
        """The query that is run over some statements; None when `query` includes it.

        Raises:
            LanguageError: A capture is not in the vocabulary.
        """
        return self._compiled(self.details) if self.details else None

    @cached_property
    def whole_query(self) -> Query:
        """`query` and `details_query` in one, for broken files.

        Raises:
            LanguageError: A capture is not in the vocabulary.
        """
        return self._compiled((*self.queries, *self.details)) if self.details else self.query

    def _compiled(self, names: Sequence[str]) -> Query:
        text = "\n".join((self.folder / name).read_text("utf-8") for name in names)
        query = Query(self._grammar, text)
        captures = [query.capture_name(i) for i in range(query.capture_count)]
        unknown = sorted(n for n in captures if n not in CAPTURES and not n.startswith("_"))
        if unknown:
            raise LanguageError(
                f"{self.folder}: unknown captures {', '.join(unknown)}. "
                f"Known: {', '.join(CAPTURES)}"
            )
        return query

    def kind_id(self, kind: str) -> int:
        """The grammar's id of a kind of named nodes; 0 when it has none."""
        return self._grammar.id_for_node_kind(kind, True) or 0  # noqa: FBT003

    def kind_ids(self, kinds: Iterable[str]) -> frozenset[int]:
        """The grammar's ids of those kinds of nodes that it has."""
        return frozenset(filter(None, map(self.kind_id, kinds)))

    @cached_property
    def kept_kinds(self) -> frozenset[int]:
        """The kinds of nodes that a repair of a broken file must not lose."""
        return self.kind_ids(self.tables.kept)

    @cached_property
    def variable_kinds(self) -> frozenset[int]:
        """The kinds of variable declarations."""
        return self.kind_ids(self.tables.variables)

    @cached_property
    def statement_kinds(self) -> frozenset[int]:
        """The kinds of statements in which variables are still at the top."""
        return self.kind_ids(self.tables.statements)

    @cached_property
    def path_kinds(self) -> frozenset[int]:
        """The kinds of nodes that are a path of names."""
        return self.kind_ids(self.tables.paths)

    @cached_property
    def wrapper_kinds(self) -> frozenset[int]:
        """The kinds of nodes that wrap their value: parentheses, casts, calls."""
        return self.kind_ids((*self.tables.transparent, *self.tables.calls))

    @cached_property
    def bound_kinds(self) -> Mapping[int, tuple[int, frozenset[int]]]:
        """For each kind captured by ``binding.maybe``: the field and the kinds of its value."""
        usual, special = self.field_ids["value"]
        return {
            (own := self.kind_id(kind)): (special.get(own, usual), self.kind_ids(kinds))
            for kind, kinds in self.tables.bound_values.items()
        }

    @cached_property
    def field_ids(self) -> Mapping[str, tuple[int, Mapping[int, int]]]:
        """For each field the index uses: its id, and other ids for kinds that name it differently.

        Kinds are the grammar's ids. 0 is the id of a field that the grammar does not have.
        """
        ids: dict[str, tuple[int, dict[int, int]]] = {}
        for name in _FIELDS:
            usual = self.tables.fields.get("default", {}).get(name, name)
            special = {
                self.kind_id(kind): self._grammar.field_id_for_name(table[name]) or 0
                for kind, table in self.tables.fields.items()
                if kind != "default" and name in table
            }
            ids[name] = (self._grammar.field_id_for_name(usual) or 0, special)
        return ids


def load(folder: Path) -> Language:
    """The language that ``folder`` describes. The grammar is imported on first use.

    Raises:
        LanguageError: language.toml is missing, is not TOML, or has an unknown key.
    """
    table = _read(folder)
    _check(folder, table)
    grammar, install = table.get("grammar"), ""
    if grammar is not None and find_spec(grammar.partition(":")[0]) is None:
        grammar, install = None, _install(table)
    cells = table.get("cells", {})
    comments = table.get("comments", {})
    return Language(
        name=table["name"],
        folder=folder,
        extensions=tuple(table.get("extensions", ())),
        filenames=tuple(table.get("filenames", ())),
        grammar=grammar,
        retry=table.get("retry"),
        queries=tuple(table.get("queries", ())),
        details=tuple(table.get("details", ())),
        foreseen=tuple(table.get("foreseen", ())),
        comments=Comments(
            line=tuple(comments.get("line", ())),
            block=tuple((start, end) for start, end in comments.get("block", ())),
            strings=tuple((start, end) for start, end in comments.get("strings", ())),
            after_blank=comments.get("after_blank", False),
        ),
        tables=tables_of(folder, table.get("tables", {})),
        reader=table.get("reader", "declarations"),
        modules=table.get("modules", "ecmascript"),
        keys=table.get("keys", ""),
        component=Component(**table.get("component", {})),
        cells=Cells(
            language=cells.get("language", ""),
            kernels=frozenset(cells.get("kernels", ())),
            foreign=frozenset(cells.get("foreign", ())),
        ),
        extra=table.get("extra", ""),
        install=install,
    )


def _install(table: dict[str, Any]) -> str:
    """The command that installs the grammar."""
    package = table["grammar"].partition(":")[0].replace("_", "-")
    wanted = f"'ipuaro_jupyter[{table['extra']}]'" if "extra" in table else package
    return f"pip install {wanted}"


def _check(folder: Path, table: dict[str, Any]) -> None:
    """Raise LanguageError for keys and values that are not known, and a missing name.

    Raises:
        LanguageError: There are some.
    """
    known = {
        *("name", "extensions", "filenames", "grammar", "retry", "queries", "details", "comments"),
        *("tables", "reader", "modules", "keys", "cells", "component", "foreseen", "extra"),
    }
    unknown = sorted(table.keys() - known)
    if unknown:
        raise LanguageError(
            f"{folder}: unknown keys {', '.join(unknown)}. Known: {', '.join(sorted(known))}"
        )
    if not isinstance(table.get("name"), str):
        raise LanguageError(f'{folder}: name is missing, such as name = "{folder.name}"')
    for key, values in (("reader", READERS), ("modules", MODULES), ("keys", KEYS)):
        if table.get(key, values[0]) not in values:
            raise LanguageError(f"{folder}: {key} = {table[key]!r} is none of {', '.join(values)}")


def _read(folder: Path) -> dict[str, Any]:
    """language.toml merged over the tables of the language that it extends."""
    try:
        with (folder / "language.toml").open("rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError as error:
        raise LanguageError(f"{folder}: a language needs a language.toml") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LanguageError(f"{folder / 'language.toml'} is not valid TOML: {error}") from error
    base = table.pop("extends", None)
    if base is not None:
        tables = _read((folder / base).resolve()).get("tables", {})
        table["tables"] = _merge(tables, table.get("tables", {}))
    return table


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """``below`` with ``above`` merged over it: tables are merged, lists are joined."""
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
