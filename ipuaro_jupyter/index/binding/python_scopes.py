"""The scopes of a Python file, and the names bound in each."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ipuaro_jupyter.index.extract.ecmascript.signatures import parameters, type_text
from ipuaro_jupyter.index.extract.python.python_extractor import targets
from ipuaro_jupyter.index.extract.scope_stack import SourceBytes
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

_Value = tuple[Node | None, str | None]
"""The value bound to a name, and its annotated type."""


@dataclass
class Scope:
    """A function or class: its range, its node, and the values of its names.

    ``first`` is the name of the first parameter, "" for none. ``bound`` are the names that code in
    it can use; a class also has values for attributes that its methods set.
    """

    start: int
    end: int
    node: Node
    is_class: bool
    name: str = ""
    first: str = ""
    around: "Scope | None" = None
    values: dict[str, list[_Value]] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)

    @cached_property
    def outer(self) -> list[tuple[int, int]]:
        """The ranges of annotations, defaults and bases, whose names are those around it."""
        listed = self.node.child_by_field_name("parameters")
        parts = [self.node.child_by_field_name(part) for part in ("return_type", "superclasses")]
        for parameter in listed.named_children if listed is not None else ():
            parts += [parameter.child_by_field_name(part) for part in ("type", "value")]
        return [(part.start_byte, part.end_byte) for part in parts if part is not None]

    @property
    def path(self) -> str:
        """The dotted path, the own name included."""
        outer = self.around.path if self.around is not None else ""
        return f"{outer}.{self.name}" if outer else self.name


class PythonScopes:
    """The scopes of one file, and the names bound in each."""

    def __init__(self, syntax: Syntax, data: bytes) -> None:
        self.syntax = syntax
        is_broken = syntax.error_line is not None
        self.source = SourceBytes(data, syntax.language, syntax.patched, is_broken=is_broken)
        self.imports = [(n.start_byte, n.end_byte) for n in syntax.captures.get("import", ())]
        self.scopes = sorted(self._scopes(), key=lambda scope: (scope.start, -scope.end))
        self._starts = [scope.start for scope in self.scopes]
        self.top = Scope(-1, len(data) + 1, syntax.tree.root_node, is_class=False)
        open_: list[Scope] = []
        for scope in self.scopes:
            while open_ and open_[-1].end <= scope.start:
                open_.pop()
            scope.around = open_[-1] if open_ else None
            open_.append(scope)
        self._bind()

    def _scopes(self) -> Iterator[Scope]:
        for capture in ("function", "function.arrow", "class"):
            for node in self.syntax.captures.get(capture, ()):
                name = self.source.child(node, "name")
                text = self.source.text(name) if name is not None else ""
                start, end = node.start_byte, node.end_byte
                yield Scope(start, end, node, is_class=capture == "class", name=text)

    @cached_property
    def scopes_by_path(self) -> dict[str, list[Scope]]:
        """The functions and classes, by their dotted names."""
        found: dict[str, list[Scope]] = {}
        for scope in self.scopes:
            found.setdefault(scope.path, []).append(scope)
        return found

    def _bind(self) -> None:
        source = self.source
        for scope in self.scopes:
            if scope.name:
                self._add(scope.around or self.top, scope.name, (scope.node, None))
            if not scope.is_class:
                listed = parameters(source, scope.node)
                scope.first = listed[0]["name"] if listed else ""
                for parameter in listed:
                    self._add(scope, parameter["name"], (None, parameter["type"]))
        for node in self.syntax.captures.get("binding", ()):
            pattern, value = source.child(node, "name"), source.child(node, "value")
            type_ = type_text(source, source.child(node, "type"))
            found = list(targets(source, pattern)) if pattern is not None else []
            for object_, name in found:
                given = (value if len(found) == 1 else None, type_)
                self._target(object_, name, given)
        for node in self.syntax.captures.get("binding.target", ()):
            for object_, name in targets(source, node):
                self._target(object_, name, (None, None))

    def _target(self, object_: Node | None, name: Node, given: _Value) -> None:
        scope = self.scope(name.start_byte) or self.top
        text = self.source.text(name)
        if object_ is None:
            self._add(scope, text, given)
            return
        holder = self.receiver(self.source.text(object_), name.start_byte)
        if holder is not None:
            holder.values.setdefault(text, []).append(given)

    @staticmethod
    def _add(scope: Scope, name: str, value: _Value) -> None:
        scope.values.setdefault(name, []).append(value)
        scope.bound.add(name)

    def scope(self, offset: int) -> Scope | None:
        """The innermost function or class around a place."""
        place = bisect_right(self._starts, offset) - 1
        scope = self.scopes[place] if place >= 0 else None
        while scope is not None and scope.end <= offset:
            scope = scope.around
        while scope is not None and self._is_outer(scope, offset):
            scope = scope.around
        return scope

    def _is_outer(self, scope: Scope, offset: int) -> bool:
        """Whether a place in the range of a function or class belongs to the scope around it."""
        name = self.source.child(scope.node, "name") if scope.name else None
        is_before = name is not None and offset <= name.start_byte
        return is_before or any(start <= offset < end for start, end in scope.outer)

    def receiver(self, name: str, offset: int) -> Scope | None:
        """The class behind the first parameter of a method, as its instance or as itself."""
        scope = self.scope(offset)
        while scope is not None:
            around = scope.around
            is_method = not scope.is_class and around is not None and around.is_class
            if is_method and scope.first == name:
                return around
            scope = around
        return None

    def binding(self, name: str, offset: int) -> Scope | None:
        """The scope that binds a name visible at a place; None for the file."""
        scope = self.scope(offset)
        is_inner = True
        while scope is not None:
            if name in scope.bound and (is_inner or not scope.is_class):
                return scope
            is_inner, scope = False, scope.around
        return None
