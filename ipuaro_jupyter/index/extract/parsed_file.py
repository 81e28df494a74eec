"""The index entry of a file, made where the file is parsed.

The process that owns the index only passes it on.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ipuaro_jupyter.index.extract.facts_format import pack_facts
from ipuaro_jupyter.index.extract.symbols import SymbolRow, symbol_rows

NOT_ANALYSED = "Not analysed: "
"""The beginning of ``parse_error`` for a file of which only the lines are known."""

BROKEN = "Syntax error"
"""The beginning of ``parse_error``, and of ``unread``, for a file of which parts may be missing."""

_encode = msgspec.msgpack.encode


class ParsedFile(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A file's rows.

    Attributes:
        language: Its name.
        hash: As in `records.code.FileFacts`.
        facts: See `facts_format`.
        meta: A `stored.Meta`, as MessagePack.
        module: A `stored.Module`, as MessagePack.
        definitions: Byte offsets of the declared names, by qualified name, as MessagePack.
        postings: See `postings`; empty for a file without a syntax tree.
        symbols: The number of symbols it declares.
        problem: Why only the lines of the file are known; "" when the facts are.
        unread: What is not read although the facts are known; "" when all is.
        words: See `file_words`; empty where only one file is read.
    """

    language: str
    hash: str
    facts: bytes
    meta: bytes
    module: bytes
    definitions: bytes
    postings: bytes
    symbols: int
    problem: str
    unread: str = ""
    words: bytes = b""


ReadRows = tuple[int, ParsedFile, list[SymbolRow]]
"""The number of a file in the index, its rows, and its symbols."""


def make_parsed_file(
    facts: dict[str, Any],
    definitions: Mapping[str, list[int]],
    postings: bytes,
    data: bytes,
    *,
    unread: str = "",
) -> tuple[ParsedFile, list[SymbolRow]]:
    """The index entry of a file, and its symbols.

    Args:
        facts: Named as in `records.code.FileFacts`.
        definitions: Byte offsets of the declared names, by qualified name.
        postings: The blob of the file.
        data: The file.
        unread: See `ParsedFile`.
    """
    metrics, problem = facts["metrics"], facts["parse_error"] or ""
    meta = (
        *(metrics["loc"], metrics["nesting_depth"], metrics["cyclomatic_complexity"]),
        [(todo["line"], todo["type"], todo["text"]) for todo in facts["todos"]],
    )
    imports = [
        (i["source"], i["kind"], i["line"], [(n["imported"], n["local"]) for n in i["names"]])
        for i in facts["imports"]
    ]
    exports = [(e["name"], e["line"], e["local"], e["source"]) for e in facts["exports"]]
    symbols = symbol_rows(facts, definitions, data)
    answer = ParsedFile(
        language=facts["language"],
        hash=facts["hash"],
        facts=pack_facts(facts),
        meta=_encode(meta),
        module=_encode((imports, exports)),
        definitions=_encode(definitions),
        postings=postings,
        symbols=len(symbols),
        problem=problem if problem.startswith(NOT_ANALYSED) else "",
        unread=unread,
    )
    return answer, symbols
