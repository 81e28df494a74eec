"""Imports and re-exports that a syntax error hides, or whose form the grammar does not know.

Flow's ``import typeof A from "x"`` and ``import { type B, typeof C } from "x"`` are such.
https://flow.org/en/docs/types/modules/
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ipuaro_jupyter.languages.language import Node

Facts = dict[str, Any]

_FROM = re.compile(rb"(?<![\w$.])from\s*+(?:'([^'\"`\\\s]++)'|\"([^'\"`\\\s]++)\")")
_BEGIN = re.compile(rb"^[ \t]*+(?P<word>import|export)\b", re.MULTILINE)
_CLAUSE = re.compile(rb"[\w$\s,{}*]*")
_KIND = re.compile(r"\A(?:type|typeof)\s+(?!,|from\b|as\b)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
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
    statements = [
        (data.count(b"\n", 0, at) + 1, word, clause, source)
        for at, word, clause, source in islice(_statements(data), _MOST)
        if not _is_text(root, at)
    ]
    read = {line for line, word, *_ in statements if word == "import"}
    facts["imports"] = [
        item
        for item in facts["imports"]
        if item["line"] not in read or item["kind"] not in {"import", "type"}
    ]
    known = {name["local"] for item in facts["imports"] for name in item["names"]}
    known |= {(item["source"], item["line"]) for item in facts["imports"]}
    for line, word, clause, source in statements:
        pairs = [pair for pair in _pairs(clause) if pair[1] not in known or word == "export"]
        if (source, line) in known or not pairs:
            continue
        is_type = word == "import" and _KIND.match(clause.lstrip()) is not None
        kind = "re-export" if word == "export" else "type" if is_type else "import"
        names = [{"imported": imported, "local": local} for imported, local in pairs]
        facts["imports"].append({"source": source, "line": line, "kind": kind, "names": names})
        if word == "export":
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


def _statements(data: bytes) -> Iterator[tuple[int, str, str, str]]:
    """Yield each statement: its offset, its first word, what follows that, and the module."""
    last = 0
    for found in _FROM.finditer(data):
        window = max(last, found.start() - _LONGEST)
        last = found.end()
        begin = None
        for begin in _BEGIN.finditer(data, window, found.start()):  # noqa: B007 - the last one
            pass
        if begin is None or not _CLAUSE.fullmatch(data, begin.end(), found.start()):
            continue
        clause = data[begin.end() : found.start()].decode()
        source = (found[1] or found[2]).decode(errors="replace")
        yield begin.start("word"), begin["word"].decode(), clause, source


def _pairs(clause: str) -> list[tuple[str, str]]:
    """The outer and the inner name of each binding; ("*", "*") for ``export *``."""
    head, _, rest = _KIND.sub("", clause.strip(), count=1).partition("{")
    found = []
    for item in (*(f"default as {one}" for one in _outer(head)), *rest.strip("} \n").split(",")):
        words = _KIND.sub("", item.strip(), count=1).split()
        if words and all(word == "*" or _NAME.fullmatch(word) for word in words):
            found.append((words[0], words[-1]))
    if head.strip().startswith("*"):
        words = head.split()
        found.append(("*", words[-1]))
    return found


def _outer(head: str) -> list[str]:
    """The names of a default import before the braces."""
    return [one for one in map(str.strip, head.split(",")) if _NAME.fullmatch(one)]
