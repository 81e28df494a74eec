"""The syntax around places of the project's files, in both families of languages."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.extract.postings import MEMBER, ROLE_BITS
from ipuaro_jupyter.index.relations.roles import (
    DECLARING,
    Role,
    heritage_of,
    python_heritage_of,
    python_role_of,
    role_of,
)
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.code import Reference

_NAME = re.compile(rb"[#$\w\x80-\xff]+")
_BOM = b"\xef\xbb\xbf"
TOP = ""
"""The qualified name of a file's own code, outside of functions and classes."""

_CLASSES = DECLARING - {"interface_declaration", "interface"}
FUNCTIONS = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "function_expression"),
        *("generator_function", "arrow_function", "method_definition", "function_signature"),
        *("method_signature", "abstract_method_signature", "function"),
    }
)
_OWNING = FUNCTIONS | _CLASSES
_PASSED_THROUGH = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_NAMES = ("name", "key", "left")


class Spot(NamedTuple):
    """A place in a file: 1-based line and column, the column in characters."""

    line: int
    column: int


class UsedName(NamedTuple):
    """A name at a use: its offset in bytes, its text, "" for none, and its node if parsed."""

    offset: int
    name: str
    node: Node | None


class SourcePlaces:
    """Reads the files of one lookup.

    Args:
        asked: The state of the index.
    """

    def __init__(self, asked: LookupState) -> None:
        self._files = asked.files
        self._stored = asked.stored
        self._finder = asked.references
        self._lines: dict[str, list[int]] = {}

    def node(self, path: str, offset: int, name: str) -> Node | None:
        """The node of a name at an offset in bytes; None where the file is not parsed."""
        tree = self._files.tree(path)
        if tree is not None:
            return tree.node(offset, name)
        scopes = self._finder.python.scopes(path)
        if scopes is None:
            return None
        end = offset + len(name.encode())
        return scopes.syntax.tree.root_node.descendant_for_byte_range(offset, end)

    def used(self, use: Reference) -> UsedName:
        """The name at a use."""
        offset = self.offset(use.path, use.line, use.column)
        found = _NAME.match(self._files.file(use.path).data or b"", offset)
        name = "" if found is None else found[0].decode(errors="replace")
        return UsedName(offset, name, self.node(use.path, offset, name) if name else None)

    def is_parsed(self, path: str) -> bool:
        """Whether there is a syntax tree of a file."""
        return self.root(path) is not None

    def root(self, path: str) -> Node | None:
        """The root of a file's syntax tree."""
        tree = self._files.tree(path)
        if tree is not None:
            return tree.root
        scopes = self._finder.python.scopes(path)
        return None if scopes is None else scopes.syntax.tree.root_node

    def is_python(self, path: str) -> bool:
        """Whether a file's scopes are read as Python's."""
        return self._files.file(path).language is None

    def role(self, path: str, node: Node) -> Role:
        """What the code does with the name at a node."""
        if not self.is_python(path):
            return role_of(node)
        scopes = self._finder.python.scopes(path)
        if node.type == "string_content":
            return self._role_in_quotes(path, node)
        at = node.start_byte
        imports = () if scopes is None else scopes.imports
        return "import" if any(a <= at < b for a, b in imports) else python_role_of(node)

    def _role_in_quotes(self, path: str, content: Node) -> Role:
        """What Python does with a name in quotes: a list of exports passes it on as an import."""
        text = (content.text or b"").decode()
        if not text.isidentifier():
            return "type"
        role = self._files.file(path).role_at(text, content.start_byte)
        if role is None:  # a key
            return "value"
        return "import" if role == MEMBER else "type"

    def is_imported(self, path: str, offset: int, name: str) -> bool:
        """Whether a name at an offset stands in an import, in a file that is not parsed.

        The first places of the name from the beginning of an import that names it are in that.
        """
        lines = self._starts(path)
        counts: Counter[int] = Counter()
        for module in self._stored.modules([path]).values():
            counts.update(
                one.line for one in module.imports for names in one.names if name in names
            )
        places = [place >> ROLE_BITS for place in self._files.file(path).places(name)]
        for line, count in counts.items():
            start = lines[line - 1] if line <= len(lines) else 0
            if offset in places[(first := bisect_left(places, start)) : first + count]:
                return True
        return False

    def heritage(self, path: str, node: Node) -> Node | None:
        """The class or interface among whose bases the name at a node is."""
        return python_heritage_of(node) if self.is_python(path) else heritage_of(node)

    def around(self, path: str, node: Node) -> str:
        """The qualified name of the innermost declared function or class around a node; or TOP.

        A place in a decorator, a default value or the bases belongs to what is around those.
        """
        if self.is_python(path):
            scopes = self._finder.python.scopes(path)
            scope = scopes.scope(node.start_byte) if scopes is not None else None
            while scope is not None and not scope.name:
                scope = scope.around
            return TOP if scope is None else _python_path(scope.path)
        around = node.parent
        while around is not None:
            if (name := self.declared_by(path, around)) is not None:
                return name
            around = around.parent
        return TOP

    def around_line(self, path: str, line: int, offset: int) -> str:
        """The qualified name of the innermost function or class around a place; or TOP.

        For files without a syntax tree, by the lines of their facts. A place before a function's
        name, as in its annotations, belongs to what is around the function.

        Args:
            path: The file.
            line: The place's line, 1-based.
            offset: The place, in bytes.
        """
        file = self._files.file(path)
        starts = self._starts(path)
        found = [(-1, TOP)]
        for qualified, first, last in file.ranges:
            if not first <= line <= min(last, len(starts)):
                continue
            names = file.definitions.get(qualified, ())
            named = [at for at in names if starts[first - 1] <= at <= offset]
            found += [(min(named), qualified)] if named else []
        return max(found)[1]

    def declared_by(self, path: str, node: Node) -> str | None:
        """The qualified name of a function or class by its node; None for any other node."""
        if self.is_python(path):
            name = node.child_by_field_name("name")
            is_declaration = name is not None and node.child_by_field_name("body") is not None
            return self._declared_at(path, name) if is_declaration and name is not None else None
        if node.type not in _OWNING:
            return None
        own = node.child_by_field_name("name")
        if own is not None and (found := self._declared_at(path, own)) is not None:
            return found
        holder = node.parent
        while holder is not None and holder.type in _PASSED_THROUGH:
            holder = holder.parent
        for name in _names_in(holder) if holder is not None else ():
            if (found := self._declared_at(path, name)) is not None:
                return found
        return None

    def named(self, path: str, node: Node) -> str | None:
        """The qualified name of a class or interface by its node; None without a name."""
        name = node.child_by_field_name("name")
        found = None if name is None else self._declared_at(path, name)
        return found or self.declared_by(path, node)

    def decorated(self, path: str, node: Node) -> Node | None:
        """The node around a Python declaration with its decorators; None without any."""
        scopes = self._finder.python.scopes(path) if self.is_python(path) else None
        around = node.parent
        if scopes is None or around is None:
            return None
        return around if around.type in scopes.source.tables.wrappers else None

    def nodes_of(self, declared: Declaration) -> Iterator[Node]:
        """Yield the nodes of a function's or class's declarations, overloads included."""
        path, qualified = declared
        name = qualified.rpartition(".")[2]
        for offset in self._files.file(path).definitions.get(qualified, ()):
            node = self.node(path, offset, name)
            found = None if node is None else self._declaration_around(path, node, qualified)
            if found is not None:
                yield found

    def _declaration_around(self, path: str, name: Node, qualified: str) -> Node | None:
        holder = name.parent
        if holder is None:
            return None
        if self.declared_by(path, holder) == qualified:
            return holder
        if holder.type == "member_expression":
            holder = holder.parent or holder
        value = holder.child_by_field_name("value") or holder.child_by_field_name("right")
        while value is not None and value.type in _PASSED_THROUGH:
            value = next(iter(value.named_children), None)
        if value is not None and self.declared_by(path, value) == qualified:
            return value
        return None

    def _declared_at(self, path: str, name: Node) -> str | None:
        return self._files.file(path).declared_at.get(name.start_byte)

    def spot(self, path: str, offset: int) -> Spot:
        """The line and column of an offset in bytes."""
        data = self._files.file(path).data or b""
        starts = self._starts(path)
        line = bisect_right(starts, offset)
        begin = starts[line - 1]
        return Spot(line, len(data[begin:offset].decode(errors="replace")) + 1)

    def offset(self, path: str, line: int, column: int) -> int:
        """The offset in bytes of a line and column."""
        data = self._files.file(path).data or b""
        starts = self._starts(path)
        begin = starts[min(line, len(starts)) - 1]
        end = starts[line] if line < len(starts) else len(data)
        text = data[begin:end].decode(errors="replace")
        return begin + len(text[: column - 1].encode())

    def line_of(self, declared: Declaration) -> int:
        """The line on which a declaration's name first stands; 1 for a file's own code."""
        path, qualified = declared
        offsets = self._files.file(path).definitions.get(qualified, ())
        return self.spot(path, min(offsets)).line if offsets else 1

    def _starts(self, path: str) -> list[int]:
        """The offsets at which lines begin."""
        if path not in self._lines:
            data = self._files.file(path).data or b""
            starts = [len(_BOM) if data.startswith(_BOM) else 0]
            at = data.find(b"\n")
            while at >= 0:
                starts.append(at + 1)
                at = data.find(b"\n", at + 1)
            self._lines[path] = starts
        return self._lines[path]


def _names_in(holder: Node) -> Iterator[Node]:
    """Yield the nodes that may name the value of a declaration, a pair or an assignment."""
    for field in _NAMES:
        node = holder.child_by_field_name(field)
        if node is not None:
            yield node
            property_ = node.child_by_field_name("property")
            if property_ is not None:
                yield property_


def _python_path(path: str) -> str:
    """A dotted path without the functions that have no name."""
    return ".".join(part for part in path.split(".") if part)
