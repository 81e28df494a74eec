"""Imports and re-exports that a syntax error hides, or whose form the grammar does not know.

Flow's ``import typeof A from "x"`` and ``import { type B, typeof C } from "x"`` are such.
https://flow.org/en/docs/types/modules/
"""

import re
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from typing import Any

from ipuaro_jupyter.languages.language import Node

Facts = dict[str, Any]

_FROM = re.compile(rb"(?<![\w$.])from\s*+(?:'([^'\"`\\\s]++)'|\"([^'\"`\\\s]++)\")")
_BEGIN = re.compile(rb"^[ \t]*+(?P<word>import|export)\b", re.MULTILINE)
_CLAUSE = re.compile(rb"[\w$\s,{}*]*")
_KIND = re.compile(r"\A(?:type|typeof)\s+(?!,|from\b|as\b)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_BINDING = itemgetter("imported", "local")
_LONGEST = 4000
_MOST = 250  # finding a node is slow in an error with thousands of children
_TEXTS = frozenset({"comment", "string", "template_string", "jsx_text"})


def add_lost_imports(facts: Facts, data: bytes, root: Node) -> None:
    """Read import statements from the text, and re-exports that the syntax tree has not.

    Where a statement is broken, the tree may take names of it for those of the next one.

    Args:
        facts: The facts of a file with a syntax error.
        data: The file.
        root: The root of its syntax tree.
    """
    whole = {
        (
            one["line"],
            one["kind"],
            one["source"],
            *((n["imported"], n["local"]) for n in one["names"]),
        )
        for one in facts["imports"]
    }
    missing = (found for found in _statements(data) if found[1] not in whole)
    statements = [one for at, one in islice(missing, _MOST) if not _is_text(root, at)]
    read = {line for line, kind, *_ in statements if kind != "re-export"}
    facts["imports"] = [
        item
        for item in facts["imports"]
        if item["line"] not in read or item["kind"] not in {"import", "type"}
    ]
    known = {name["local"] for item in facts["imports"] for name in item["names"]}
    known |= {(item["source"], item["line"]) for item in facts["imports"]}
    for line, kind, source, *bindings in statements:
        pairs = [pair for pair in bindings if pair[1] not in known or kind == "re-export"]
        if (source, line) in known or not pairs:
            continue
        names = [{"imported": imported, "local": local} for imported, local in pairs]
        facts["imports"].append({"source": source, "line": line, "kind": kind, "names": names})
        if kind == "re-export":
            facts["exports"] += [
                {"name": local, "line": line, "local": imported, "source": source}
                for imported, local in pairs
            ]
    facts["imports"].sort(key=lambda item: int(item["line"]))


def _is_text(root: Node, at: int) -> bool:
    """Whether an offset is in a comment, a string or the text of an element."""
    node = root.descendant_for_byte_range(at, at + 1)
    while node is not None and node.type not in _TEXTS:
        node = node.parent
    return node is not None


def _statements(data: bytes) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the offset of each statement, and its line, kind, module and bindings."""
    last, counted, line = 0, 0, 1
    for found in _FROM.finditer(data):
        window = max(last, found.start() - _LONGEST)
        last = found.end()
        begin = None
        for begin in _BEGIN.finditer(data, window, found.start()):  # noqa: B007 - the last one
            pass
        if begin is None or not _CLAUSE.fullmatch(data, begin.end(), found.start()):
            continue
        at, clause = begin.start("word"), data[begin.end() : found.start()].decode().strip()
        line, counted = line + data.count(b"\n", counted, at), at
        kind = "type" if _KIND.match(clause) else "import"
        kind = "re-export" if begin["word"] == b"export" else kind
        source = (found[1] or found[2]).decode(errors="replace")
        yield at, (line, kind, source, *_pairs(clause))


def _pairs(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the outer and the inner name of each binding; ("*", "*") for ``export *``."""
    head, _, rest = _KIND.sub("", clause, count=1).partition("{")
    outer = (f"default as {one}" for one in head.split(",") if _NAME.fullmatch(one.strip()))
    for item in (*outer, *rest.strip("} \n").split(",")):
        words = _KIND.sub("", item.strip(), count=1).split()
        if words and all(word == "*" or _NAME.fullmatch(word) for word in words):
            yield words[0], words[-1]
    if head.strip().startswith("*"):
        yield "*", head.split()[-1]
