"""What the index takes out of the answer of a parser, beside passing the facts on."""

from dataclasses import dataclass

import msgspec

from ipuaro_jupyter.index.stored import Meta, Module, ModuleExport, ModuleImport
from ipuaro_jupyter.index.symbols import Declarations, Symbol, named_lines, symbols_of


class _Facts(Declarations, frozen=True, gc=False):
    """What the index takes out of the facts beside passing them on."""

    language: str
    imports: list["_Import"]
    exports: list["_Export"]
    todos: list["_Todo"]
    metrics: "_Metrics"


class _Name(msgspec.Struct, frozen=True, gc=False):
    imported: str
    local: str


class _Import(msgspec.Struct, frozen=True, gc=False):
    source: str
    line: int
    kind: str
    names: list[_Name] = []


class _Export(msgspec.Struct, frozen=True, gc=False):
    name: str
    line: int
    local: str | None = None
    source: str | None = None


class _Todo(msgspec.Struct, frozen=True, gc=False):
    line: int
    type: str
    text: str


class _Metrics(msgspec.Struct, frozen=True, gc=False):
    loc: int
    nesting_depth: int
    cyclomatic_complexity: int


class _Answer(msgspec.Struct, frozen=True, gc=False):
    """What `parse_file` returns."""

    facts: msgspec.Raw
    postings: bytes
    tokens: list[str]
    definitions: dict[str, list[int]]


_decode_answer = msgspec.msgpack.Decoder(_Answer).decode
_decode_facts = msgspec.msgpack.Decoder(_Facts).decode


@dataclass(frozen=True)
class ParsedFile:
    """What the index keeps of a parsed file; ``blob`` are the facts as the parser made them."""

    blob: bytes
    definitions: dict[str, list[int]]
    postings: bytes
    tokens: list[str]
    language: str
    module: Module
    meta: Meta
    symbols: list[Symbol]


def decoded(answer: bytes, data: bytes) -> ParsedFile:
    """Return what `parse_file` made of ``data``."""
    made = _decode_answer(answer)
    facts = _decode_facts(made.facts)
    return ParsedFile(
        blob=bytes(made.facts),
        definitions=made.definitions,
        postings=made.postings,
        tokens=made.tokens,
        language=facts.language,
        module=Module(
            [
                ModuleImport(i.source, i.kind, i.line, [(n.imported, n.local) for n in i.names])
                for i in facts.imports
            ],
            [ModuleExport(e.name, e.line, e.local, e.source) for e in facts.exports],
        ),
        meta=Meta(
            facts.metrics.loc,
            facts.metrics.nesting_depth,
            facts.metrics.cyclomatic_complexity,
            [(todo.line, todo.type, todo.text) for todo in facts.todos],
        ),
        symbols=list(named_lines(symbols_of(facts), made.definitions, data)),
    )


def symbols_in(blob: bytes) -> list[Symbol]:
    """Return the symbols in stored facts, with the lines where the declarations begin."""
    return list(symbols_of(_decode_facts(blob)))
