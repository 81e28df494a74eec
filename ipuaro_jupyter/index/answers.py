"""What a parsing worker answers: everything of a file as the index stores it.

The worker has made all of it, so that the process that owns the index only passes it on.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ipuaro_jupyter.index.facts_format import pack_facts
from ipuaro_jupyter.index.symbols import symbol_rows

NOT_ANALYSED = "Not analysed: "
"""What the ``parse_error`` of a file begins with of which only the lines are known."""

_encode = msgspec.msgpack.encode


class Answer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A file's rows.

    Attributes:
        language: Its name.
        hash: As in `records.code.FileFacts`.
        facts: See `facts_format`.
        meta: A `stored.Meta`, as MessagePack.
        module: A `stored.Module`, as MessagePack.
        definitions: Qualified names with the offsets in bytes of where they are declared, as
            MessagePack.
        postings: See `postings`; empty for a file without a syntax tree.
        symbols: See `symbols.symbol_rows`.
        problem: Why only the lines of the file are known; "" when more is.
    """

    language: str
    hash: str
    facts: bytes
    meta: bytes
    module: bytes
    definitions: bytes
    postings: bytes
    symbols: list[tuple[int, str, str, list[str]]]
    problem: str


decode_answer = msgspec.msgpack.Decoder(Answer).decode


def pack_answer(
    facts: dict[str, Any], definitions: Mapping[str, list[int]], postings: bytes, data: bytes
) -> bytes:
    """Return an `Answer` as MessagePack.

    Args:
        facts: Named as in `records.code.FileFacts`.
        definitions: Where names are declared, in bytes, by qualified name.
        postings: The blob of the file.
        data: The file.
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
    return _encode(
        (
            facts["language"],
            facts["hash"],
            pack_facts(facts),
            _encode(meta),
            _encode((imports, exports)),
            _encode(definitions),
            postings,
            symbol_rows(facts, definitions, data),
            problem if problem.startswith(NOT_ANALYSED) else "",
        )
    )
