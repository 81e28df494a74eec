"""The lines of a file that belong to a declaration: comments, decorators, exports, overloads."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.components.component_code import code_in, is_component
from ipuaro_jupyter.languages.components.spelling import component_name
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.syntax import parse_fitting
from ipuaro_jupyter.languages.tables import Tables

_OVERLOAD = re.compile(rb"@(?:\w+\.)?overload\b")
_REST = re.compile(r"\s*(?P<sign>[,;]?)\s*(?://.*|/\*.*\*/\s*|#.*)?$")
_HEAD = re.compile(
    r"^#!|coding[:=]|licen[sc]e|copyright|SPDX|@(?:ts-(?:no)?check|flow|jsx|file|module|preserve)"
    r"|eslint-(?:disable|enable)(?!-)|^/\*!",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class DeclaredLines:
    """The lines of a declaration, 1-based, the last one included.

    Attributes:
        qualified: The dotted path to its name.
        comments: The first line of the comments directly above; ``decorators`` without any.
        decorators: The first line of the decorators; ``start`` without any.
        start: The first line of the declaration itself, of its first overload.
        end: The last line.
        indent: The blanks before it.
        export: What makes it exported, as in "export default "; "" when it is not.
        sign: The comma behind it, or "".
        problem: Why it has no lines of its own; "" when it has.
        implementation: The lines of the last of several overloads, when it has a body.
    """

    qualified: str
    comments: int
    decorators: int
    start: int
    end: int
    indent: str = ""
    export: str = ""
    sign: str = ""
    problem: str = ""
    implementation: "DeclaredLines | None" = None


class Declarations:
    """The declarations of a file in Python, TypeScript or JavaScript.

    Args:
        path: Its name decides the language.
        data: The file.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """

    def __init__(self, path: str, data: bytes) -> None:
        language, text = code_in(path, data)
        self._file: _File | None = None
        self._places: Mapping[str, list[int]] = {}
        self.problem = ""
        """Why there are none that can be named; "" when there may be."""
        if language is None or language.grammar is None:
            self.problem = f"{path} is in a language whose declarations are not known."
            return
        parsed, *_ = parse_file(path, data)
        if parsed.problem:
            self.problem = f"{path}: {parsed.problem}"
            return
        places = msgspec.msgpack.decode(parsed.definitions, type=dict[str, list[int]])
        whole = [0] if is_component(path, component_name(path)) else []
        self._places = {name: at for name, at in places.items() if at != whole}
        self._file = _File(language, text)

    @property
    def names(self) -> list[str]:
        """The qualified names, in the order of the file."""
        return sorted(self._places, key=lambda name: self._places[name])

    def named(self, name: str) -> list[DeclaredLines]:
        """The declarations that a name may mean, by place.

        Args:
            name: Bare, or qualified as in "Class.method"; the whole path is tried first.
        """
        known = [name] if name in self._places else [n for n in self.names if _ends(n, name)]
        found = [lines for qualified in known for lines in self.exactly(qualified)]
        return sorted(found, key=lambda lines: (lines.start, lines.end))

    def exactly(self, qualified: str) -> list[DeclaredLines]:
        """The declarations of a qualified name; all overloads are one."""
        if self._file is None:
            return []
        found = (self._file.lines(qualified, at) for at in self._places.get(qualified, ()))
        return [*{(lines.start, lines.end): lines for lines in found}.values()]


def _ends(qualified: str, name: str) -> bool:
    return qualified.endswith((f".{name}", f".#{name}"))


class _File:
    """A file with its syntax tree."""

    def __init__(self, language: Language, data: bytes) -> None:
        self._data = data
        self._tables = language.tables
        self._tree = parse_fitting(language, data)[1]
        self._bytes = data.replace(b"\r\n", b"\n").split(b"\n")
        self._lines = data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")

    def lines(self, qualified: str, at: int) -> DeclaredLines:
        """The lines of the declaration whose name begins at a byte."""
        name = qualified.rpartition(".")[2].encode()
        node = self._tree.root_node.descendant_for_byte_range(at, at + len(name))
        if node is None:
            return DeclaredLines(qualified, 1, 1, 1, 1, problem="cannot be found")
        unit, problem = _unit(node, self._tables)
        first, last = _group(unit, self._tables)
        whole = self._described(qualified, first, last, problem)
        if first.id == last.id or _is_signature(last, self._tables):
            return whole
        return replace(whole, implementation=self._described(qualified, last, last, problem))

    def _described(self, qualified: str, first: Node, last: Node, problem: str) -> DeclaredLines:
        decorated = _with_decorators(first, self._tables)
        head = _head(first)
        start, end = head.start_point.row, last.end_point.row
        above = self._lines[decorated.start_point.row]
        indent = above[: len(above) - len(above.lstrip())]
        before = self._text(decorated.start_point.row, 0, decorated.start_point.column)
        behind = _REST.match(self._text(end, last.end_point.column, None))
        if not problem and (before.strip() or behind is None):
            problem = "shares its lines with other code"
        return DeclaredLines(
            qualified,
            comments=self._first_comment(decorated) + 1,
            decorators=decorated.start_point.row + 1,
            start=start + 1,
            end=end + 1,
            indent=indent,
            export=_export(first, head, self._data, self._tables),
            sign="," if behind is not None and behind["sign"] == "," else "",
            problem=problem,
        )

    def _text(self, row: int, start: int, end: int | None) -> str:
        """A part of a line, by its columns in bytes; a byte order mark counts, and is left out."""
        return self._bytes[row][start:end].decode(errors="replace").removeprefix("\ufeff")

    def _first_comment(self, node: Node) -> int:
        """The 0-based line of the first comment directly above a node, or the node's own."""
        floor, row = _floor(node, self._tables), node.start_point.row
        while row - 1 > floor:
            top = self._comment_above(row, floor)
            if top is None:
                break
            if not any(line.strip() for line in self._lines[:top]) and _HEAD.search(
                "\n".join(self._lines[top:row])
            ):
                break
            row = top
        return row

    def _comment_above(self, row: int, floor: int) -> int | None:
        """The first line of the comment that ends directly above a line; None without one."""
        above = self._lines[row - 1].strip()
        if above.startswith(("#", "//")) or (above.startswith("/*") and above.endswith("*/")):
            return row - 1
        if not above.endswith("*/"):
            return None
        rows = range(row - 1, floor, -1)
        top = next((r for r in rows if "/*" in self._lines[r]), None)
        return top if top is not None and self._lines[top].strip().startswith("/*") else None


def _unit(node: Node, tables: Tables) -> tuple[Node, str]:
    """The statement or member that a name declares, and why it is not that alone, or ""."""
    problem = ""
    while (around := node.parent) is not None and around.parent is not None:
        if around.type in tables.blocks or _is_bracketed(around, tables):
            break
        node = around
        if node.type in tables.joint or _declares_several(node, tables):
            problem = "is declared together with other names"
        elif node.type not in tables.declaring:
            problem = problem or "is a part of a larger statement"
    return node, problem


def _is_bracketed(node: Node, tables: Tables) -> bool:
    """Whether a statement holds several declarations in brackets."""
    return node.type in tables.bracketed and any(child.type == "(" for child in node.children)


def _declares_several(node: Node, tables: Tables) -> bool:
    if node.type in tables.variables:
        return sum(child.type in tables.declarators for child in node.named_children) > 1
    if node.type in tables.name_lists:
        return len(node.children_by_field_name("name")) > 1
    value = node.child_by_field_name("right")
    return value is not None and value.type == node.type  # a = b = …


def _group(unit: Node, tables: Tables) -> tuple[Node, Node]:
    """The first and the last overload of a declaration, if it has some."""
    name = _name(unit, tables)
    if name is None:
        return unit, unit
    first = last = unit
    while (before := _beside(first, tables, after=False)) is not None:
        if not _is_signature(before, tables) or _name(before, tables) != name:
            break
        first = before
    while _is_signature(last, tables) and (after := _beside(last, tables, after=True)) is not None:
        if _name(after, tables) != name:
            break
        last = after
    return first, last


def _beside(node: Node, tables: Tables, *, after: bool) -> Node | None:
    """The statement or member next to one."""
    one: Node | None = node
    while one is not None:
        one = one.next_sibling if after else one.prev_sibling
        passed = tables.comments | tables.attributes
        if one is not None and one.is_named and one.type not in passed:
            return one
    return None


def _inner(node: Node, tables: Tables) -> Node:
    """The declaration in an export, an ambient declaration or below decorators."""
    while node.type in tables.wrappers:
        inside = _wrapped(node)
        if inside is None:
            return node
        node = inside
    return node


def _wrapped(node: Node) -> Node | None:
    for name in ("declaration", "definition", "value"):
        found = node.child_by_field_name(name)
        if found is not None:
            return found
    named = [child for child in node.named_children if child.type != "decorator"]
    return named[-1] if named else None


def _name(unit: Node, tables: Tables) -> bytes | None:
    found = _inner(unit, tables).child_by_field_name("name")
    return None if found is None else found.text


def _is_signature(unit: Node, tables: Tables) -> bool:
    if _inner(unit, tables).type in tables.signatures:
        return True
    texts = (child.text or b"" for child in unit.named_children if child.type == "decorator")
    return any(_OVERLOAD.match(text) for text in texts)


def _with_decorators(unit: Node, tables: Tables) -> Node:
    """The first decorator that stands before a member as its neighbour, or the member."""
    first = unit
    while first.prev_sibling is not None and first.prev_sibling.type in tables.attributes:
        first = first.prev_sibling
    return first


def _head(unit: Node) -> Node:
    """The first part of a declaration that is no decorator."""
    for child in unit.children:
        if child.type in {"decorator", "comment"}:
            continue
        has_more = child.children and child.children[0].type == "decorator"
        return _head(child) if has_more else child
    return unit


def _export(unit: Node, head: Node, data: bytes, tables: Tables) -> str:
    """The words that export a declaration, with the blank behind them."""
    inside = _wrapped(unit) if unit.type in tables.wrappers else None
    if inside is None or inside.start_byte <= head.start_byte:
        return ""
    words = data[head.start_byte : inside.start_byte].decode()
    nested = _export(inside, inside, data, tables)
    return "" if "@" in words or "\n" in words else words + nested


def _floor(node: Node, tables: Tables) -> int:
    """The last 0-based line of what stands before a node, -1 for the first one of a file."""
    one: Node | None = node
    while one is not None:
        before = one.prev_sibling
        while before is not None and before.type in tables.comments:
            before = before.prev_sibling
        if before is not None:
            return before.end_point.row - (before.end_point.column == 0)
        one = one.parent
    return -1
