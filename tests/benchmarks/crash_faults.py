"""Faults for real code, drawn by a seed: one place of one function is made wrong."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

GRAMMARS = {
    ".py": Language(tree_sitter_python.language()),
    **dict.fromkeys((".ts", ".js", ".mjs"), Language(tree_sitter_typescript.language_typescript())),
}
_FUNCTIONS = {
    *("function_definition", "function_declaration", "function_expression", "arrow_function"),
    *("method_definition", "generator_function_declaration"),
}
_NOT_TYPES = {"type_annotation", "type_arguments", "type_parameters", "decorator"}


class Function(NamedTuple):
    """A function; lines are 1-based, the last one is included."""

    path: str
    first: int
    last: int


class Site(NamedTuple):
    """A place that can be made wrong.

    Attributes:
        kind: In what way.
        start, end: The bytes that are replaced.
        text: What replaces them, with as many lines.
        function: The innermost function around it.
    """

    kind: str
    start: int
    end: int
    text: bytes
    function: Function


@dataclass
class Source:
    """A file in which faults are drawn."""

    path: str
    content: bytes

    def functions(self) -> Iterator[tuple[Function, Node]]:
        """Yield the functions with their bodies."""
        for node in nodes_in(self):
            body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
            if body is not None and body.type in ("block", "statement_block"):
                yield self._function(node), body

    def sites(self) -> Iterator[Site]:
        """Yield all places that can be made wrong."""
        for node in nodes_in(self):
            if (inner := _function_around(node)) is None:
                continue
            for kind, wrong, text in _faults(node, is_python=self.path.endswith(".py")):
                lines = wrong.text.count(b"\n") - text.count(b"\n")
                filled = text + b"\n" * lines if lines else text
                if not lines or kind == "a statement left out":
                    here = self._function(inner)
                    yield Site(kind, wrong.start_byte, wrong.end_byte, filled, here)

    def _function(self, node: Node) -> Function:
        return Function(self.path, node.start_point[0] + 1, node.end_point[0] + 1)


def drawn(sources: list[Source], ran: set[Function], seed: str) -> Iterator[tuple[Source, Site]]:
    """Yield faults without end but that of the places: the kind is drawn first, then the place.

    Args:
        sources: The files.
        ran: The functions in which they are drawn.
        seed: What they are drawn with.
    """
    draw = random.Random(seed)
    by_kind: dict[str, list[tuple[Source, Site]]] = {}
    for source in sources:
        for site in source.sites():
            if site.function in ran:
                by_kind.setdefault(site.kind, []).append((source, site))
    while by_kind:
        kind = draw.choice(sorted(by_kind))
        sites = by_kind[kind]
        yield sites.pop(draw.randrange(len(sites)))
        if not sites:
            del by_kind[kind]


def sources(root: Path, patterns: list[str]) -> list[Source]:
    """The files of a project that match, in order."""
    found = sorted({one for pattern in patterns for one in root.glob(pattern)})
    return [Source(one.relative_to(root).as_posix(), one.read_bytes()) for one in found]


def nodes_in(source: Source) -> Iterator[Node]:
    """Yield the nodes of a file, without those of types and decorators."""
    waiting = [Parser(GRAMMARS[Path(source.path).suffix]).parse(source.content).root_node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [one for one in reversed(node.named_children) if one.type not in _NOT_TYPES]


def _function_around(node: Node) -> Node | None:
    """The innermost function in whose body a node is."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type in _FUNCTIONS and inner == outer.child_by_field_name("body"):
            return outer
        inner, outer = outer, outer.parent
    return None


def _faults(node: Node, *, is_python: bool) -> Iterator[tuple[str, Node, bytes]]:
    """Yield the ways in which a node can be made wrong: the kind, what is replaced, and by what."""
    kind = node.type
    if kind == "return_statement" and node.named_children:
        yield "nothing returned", node.named_children[0], b"None" if is_python else b"undefined"
    elif kind in ("attribute", "member_expression"):
        name = node.child_by_field_name("attribute" if is_python else "property")
        yield "a member misspelt", name, name.text + b"_x"
    elif kind in ("call", "call_expression"):
        yield from _wrong_calls(node)
    elif kind == "if_statement":
        asked = node.child_by_field_name("condition")
        form = b"not (%s)" if is_python else b"(!%s)"
        yield "a condition turned round", asked, form % asked.text
    elif kind in ("integer", "number") and node.text.isdigit():
        yield "a number off by one", node, b"%d" % (int(node.text) + 1)
    elif kind in ("subscript", "subscript_expression"):
        key = node.named_children[-1]
        if key.type == "string":
            yield "a key misspelt", key, key.text[:-1] + b"_x" + key.text[-1:]
    elif kind in ("expression_statement", "lexical_declaration"):
        yield "a statement left out", node, b"pass" if is_python else b";"


def _wrong_calls(node: Node) -> Iterator[tuple[str, Node, bytes]]:
    """Yield the ways in which a call can be made wrong."""
    called, given = (node.child_by_field_name(one) for one in ("function", "arguments"))
    if called is not None and called.type == "identifier":
        yield "a function misspelt", called, called.text + b"_x"
    if given is not None and len(given.named_children) > 1:
        first, second = given.named_children[:2]
        if "keyword_argument" not in (first.type, second.type):
            between = node.text[first.end_byte - node.start_byte :]
            between = between[: second.start_byte - first.end_byte]
            yield "arguments swapped", _Span(first, second), second.text + between + first.text


class _Span:
    """Two nodes and what is between them."""

    def __init__(self, first: Node, last: Node) -> None:
        self.start_byte, self.end_byte = first.start_byte, last.end_byte
        self.text = b"\n" * (last.end_point[0] - first.start_point[0])
