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

``safe_bytes`` is the size up to which a text is parsed without any limit, 2048 by default: the
texts that were found to take longest take 0.25 s then, and eight times as long when twice the size.

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
    annotation          a place for a type, in which names may be in quotes
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
)

CAPTURES: Final = (
    *("comment", "identifier", "identifier.member", "identifier.type"),
    *("branch", "branch.block", "branch.chained", "decision"),
    *("function", "function.expression", "function.arrow", "method"),
    *("class", "class.expression", "class.broken", "interface", "enum", "type", "namespace"),
    *("extends", "implements", "property", "member", "decorator", "binding"),
    *("binding.maybe",),
    *("import", "import.source", "import.default", "import.all", "import.name", "import.equals"),
    *("import.alias", "export", "export.all", "export.name", "export.value"),
    *("function.yields", "class.keyword", "binding.target", "types.only", "import.module"),
    *("import.star", "annotation"),
    *("methods", "holder", "constant", "variable"),
    *("import.within", "import.file", "import.path"),
    *("exported", "static", "abstract", "readonly", "async", "import.package"),
)
READERS: Final = ("declarations", "python", "grammar", "keys", "cells", "component")
MODULES: Final = ("ecmascript", "python", "go", "rust", "java", "none")
KEYS: Final = ("", "json", "yaml")
_FIELDS: Final = (
    *("name", "value", "parameters", "parameter", "body", "return_type"),
    *("type", "key", "alias", "path"),
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
    safe_bytes: int = 2048
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
