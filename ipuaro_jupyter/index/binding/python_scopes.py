"""The scopes of a Python file, and the names bound in each."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ipuaro_jupyter.index.extract.ecmascript.signatures import parameters, type_text
from ipuaro_jupyter.index.extract.python.python_extractor import targets
from ipuaro_jupyter.index.extract.scope_stack import SourceBytes
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

_Value = tuple[Node | None, str | None]
"""The value bound to a name, and its annotated type."""
_MOST_STEPS = 3  # from a name in an import to its statement
_ELSEWHERE = re.compile(rb"\b(?:global|nonlocal)\b")


@dataclass
class Scope:
    """A function or class: its range, its node, and the values of its names.

    ``first`` is the name of the first parameter, "" for none. ``bound`` are the names that code in
    it can use, each with the byte from which on a class has it; a class also has values for
    attributes that its methods set. ``is_part`` marks a comprehension or a type statement, whose
    names belong to the code in it alone; ``loops`` are those of a comprehension. ``type_names`` are
    the type parameters. ``elsewhere`` are the names of ``global`` (True) and ``nonlocal`` (False).
    """

    start: int
    end: int
    node: Node
    is_class: bool
    name: str = ""
    first: str = ""
    around: "Scope | None" = None
    values: dict[str, list[_Value]] = field(default_factory=dict)
    bound: dict[str, int] = field(default_factory=dict)
    is_part: bool = False
    loops: Sequence[Node] = ()
    type_names: frozenset[str] = frozenset()
    elsewhere: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def outer(self) -> list[tuple[int, int]]:
        """The ranges of annotations, defaults and bases, whose names are those around it.

        Of a comprehension it is what the first loop runs over.
        """
        listed = self.node.child_by_field_name("parameters")
        parts = [self.node.child_by_field_name(part) for part in ("return_type", "superclasses")]
        for parameter in listed.named_children if listed is not None else ():
            parts += [parameter.child_by_field_name(part) for part in ("type", "value")]
        parts += [clause.child_by_field_name("right") for clause in self.loops[:1]]
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
                given = self._type_names(node.child_by_field_name("type_parameters"))
                yield Scope(
                    start, end, node, is_class=capture == "class", name=text, type_names=given
                )
        for node in self.syntax.captures.get("decision", ()):
            if self._role(node) == "loop" and (around := node.parent) is not None:
                loops = [child for child in around.named_children if self._role(child) == "loop"]
                start, end = around.start_byte, around.end_byte
                if node == loops[0]:
                    yield Scope(start, end, around, is_class=False, is_part=True, loops=loops)
        for node in self.syntax.captures.get("type", ()):
            left = node.child_by_field_name("left")
            named = left.named_children[0] if left is not None else None
            if named is not None and named.type == "generic_type":
                given = self._type_names(named.named_children[-1])
                start, end = node.start_byte, node.end_byte
                yield Scope(start, end, node, is_class=False, is_part=True, type_names=given)

    def _role(self, node: Node) -> str | None:
        """What the kind of a node says of the names in it."""
        return self.source.tables.scoping.get(node.type)

    def _type_names(self, listed: Node | None) -> frozenset[str]:
        """The names of type parameters, given the node of their list."""
        found, is_default = set(), False
        is_list = listed is not None and listed.type == "type_parameter"
        for child in listed.named_children if listed is not None and is_list else ():
            inner: Node | None = child
            while inner is not None and inner.named_children:
                inner = inner.named_children[0]
            if inner is not None and not is_default:
                found.add(self.source.text(inner))
            is_default = child.is_error  # a default is unknown to the grammar
        return frozenset(found)

    @cached_property
    def scopes_by_path(self) -> dict[str, list[Scope]]:
        """The functions and classes, by their dotted names."""
        found: dict[str, list[Scope]] = {}
        for scope in self.scopes:
            if not scope.is_part:
                found.setdefault(scope.path, []).append(scope)
        return found

    def _bind(self) -> None:
        source = self.source
        self._find_elsewhere()
        for scope in self.scopes:
            self._bind_own(scope)
        for node in self.syntax.captures.get("binding", ()):
            pattern, value = source.child(node, "name"), source.child(node, "value")
            type_ = type_text(source, source.child(node, "type"))
            found = list(targets(source, pattern)) if pattern is not None else []
            for object_, name in found:
                given = (value if len(found) == 1 else None, type_)
                self._target(object_, name, given, node.end_byte)
        for node in self.syntax.captures.get("binding.target", ()):
            for object_, name in targets(source, node):
                self._target(object_, name, (None, None), name.start_byte)
        for node in self.syntax.captures.get("decision", ()):
            role = self._role(node)
            if role == "error":
                self._bind_error(node)
            elif role == "case":
                for name in _captured(node, source.tables.scoping):
                    self._target(None, name, (None, None), name.start_byte)

    def _bind_own(self, scope: Scope) -> None:
        """Bind the name of a function or class, and its parameters, or a comprehension's names."""
        if scope.name:
            around, end = scope.around or self.top, scope.node.end_byte
            self._add(around, scope.name, (scope.node, None), end)
        if scope.is_part:
            lefts = [clause.child_by_field_name("left") for clause in scope.loops]
            for object_, name in (t for left in lefts if left for t in targets(self.source, left)):
                if object_ is None:
                    self._add(scope, self.source.text(name), (None, None))
        elif not scope.is_class:
            listed = parameters(self.source, scope.node)
            scope.first = listed[0]["name"] if listed else ""
            for parameter in listed:
                self._add(scope, parameter["name"], (None, parameter["type"]))

    def _find_elsewhere(self) -> None:
        """Note the names that functions say to be of the file, or of a function around them."""
        for match in _ELSEWHERE.finditer(self.source.data):
            node = self.syntax.tree.root_node.descendant_for_byte_range(*match.span())
            said = node.parent if node is not None else None
            scope = self.scope(match.start())
            where = self._role(said) if said is not None else None
            if said is not None and scope is not None and where in ("file", "around"):
                names = map(self.source.text, said.named_children)
                scope.elsewhere.update(dict.fromkeys(names, where == "file"))

    def _bind_error(self, clause: Node) -> None:
        """Bind the name of an error that is caught, with its types."""
        caught = clause.child_by_field_name("value")
        alias = caught.child_by_field_name("alias") if caught is not None else None
        if caught is None or alias is None:
            return
        said = caught.named_children[0]
        listed = said.named_children if said.type == "tuple" else [said]
        type_ = " | ".join(map(self.source.text, listed))
        for object_, name in targets(self.source, alias):
            self._target(object_, name, (None, type_), name.start_byte)

    def _target(self, object_: Node | None, name: Node, given: _Value, at: int) -> None:
        scope = self.scope(name.start_byte) or self.top
        text = self.source.text(name)
        if object_ is None:
            self._add(scope, text, given, at)
            return
        holder = self.receiver(self.source.text(object_), name.start_byte)
        if holder is not None:
            holder.values.setdefault(text, []).append(given)

    def _add(self, scope: Scope, name: str, value: _Value, at: int = 0) -> None:
        """Bind a name in a scope, or where that says the name to be.

        Args:
            scope: The scope.
            name: The name.
            value: Its value.
            at: The byte from which on a class has the name.
        """
        while (is_global := scope.elsewhere.get(name)) is not None:
            around = scope.around
            while around is not None and (around.is_class or around.is_part):
                around = around.around
            scope = self.top if is_global or around is None else around
        scope.values.setdefault(name, []).append(value)
        scope.bound[name] = min(at, scope.bound.get(name, at))

    def scope(self, offset: int) -> Scope | None:
        """The innermost function or class around a place."""
        scope = self._innermost(offset)
        while scope is not None and (scope.is_part or self._is_outer(scope, offset)):
            scope = scope.around
        return scope

    def _innermost(self, offset: int) -> Scope | None:
        """The innermost scope with a place in its range, in which its names need not be."""
        place = bisect_right(self._starts, offset) - 1
        scope = self.scopes[place] if place >= 0 else None
        while scope is not None and scope.end <= offset:
            scope = scope.around
        return scope

    def _is_outer(self, scope: Scope, offset: int) -> bool:
        """Whether a place in the range of a function or class belongs to the scope around it."""
        return self._is_before(scope, offset) or any(
            start <= offset < end for start, end in scope.outer
        )

    def _is_before(self, scope: Scope, offset: int) -> bool:
        """Whether a place in the range of a function or class is not behind its name."""
        name = self.source.child(scope.node, "name") if scope.name else None
        return name is not None and offset <= name.start_byte

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
        scope = self._innermost(offset)
        is_inner = True
        while scope is not None:
            if name in scope.type_names and not self._is_before(scope, offset):
                return scope
            if not self._is_outer(scope, offset):
                if name in scope.elsewhere:
                    if scope.elsewhere[name]:
                        return None
                elif name in scope.bound and (
                    (is_inner and scope.bound[name] <= offset) or not scope.is_class
                ):
                    return scope
                is_inner = False
            scope = scope.around
        return None


def _captured(clause: Node, roles: Mapping[str, str]) -> Iterator[Node]:
    """Yield the names that the pattern of a ``case`` binds."""
    open_ = [child for child in clause.named_children if roles.get(child.type) == "pattern"]
    while open_:
        node = open_.pop()
        inner, role = node.named_children, roles.get(node.type)
        if role == "head":
            inner = inner[1:]
        elif role == "chain" and len(inner) > 1:
            continue
        elif node.type == "identifier" and node.text != b"_":
            yield node
        open_.extend(inner)


def is_module_path(scopes: PythonScopes, node: Node) -> bool:
    """Whether a name is that of a module, or a part of it, in an import statement."""
    inner, outer = node, node.parent
    for _ in range(_MOST_STEPS):
        if outer is None:
            return False
        is_source = outer.child_by_field_name("module_name") == inner
        if is_source or outer.type in scopes.source.tables.module_paths:
            return True
        inner, outer = outer, outer.parent
    return False


def names_before(file: PythonScopes, node: Node) -> list[Node]:
    """The names before a name in a pattern, with dots between them, as in ``case Color.RED``."""
    dotted = node.parent
    is_chain = dotted is not None and file.source.tables.scoping.get(dotted.type) == "chain"
    if dotted is None or not is_chain or is_module_path(file, node):
        return []
    return [name for name in dotted.named_children if name.start_byte < node.start_byte]


def matched_class(file: PythonScopes, keyword: Node) -> str | None:
    """The class, as written, whose attribute a keyword in a pattern reads; else None."""
    listed = keyword.parent if keyword.type == "keyword_pattern" else None
    pattern = listed.parent if listed is not None else None
    return None if pattern is None else file.source.text(pattern.named_children[0])
