"""Calls of a class that do not name it: ``new this()``, ``cls()``, or through a variable."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.roles import DECLARING
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.code import Reference

_NEW = re.compile(rb"\bnew\b")
_CLASS_METHODS = frozenset({b"__new__", b"__init_subclass__", b"__class_getitem__"})


class Construction(NamedTuple):
    """A place that makes an object of a class: the file, and the node of what is called."""

    path: str
    callee: Node


class UnnamedConstructions:
    """Finds the places where objects of a class are made without its name.

    Args:
        asked: A state of the index.
        sources: The syntax around places, in the same state.
    """

    def __init__(self, asked: LookupState, sources: SourcePlaces) -> None:
        self._files = asked.files
        self._names = asked.references.names
        self._python = asked.references.python
        self._sources = sources

    def of(self, class_: Declaration, uses: Collection[Reference]) -> Iterator[Construction]:
        """Yield the places, by file and offset.

        JavaScript and TypeScript: those in the file of the class, and in files that pass it on, by
        the types of what is called. Python: those in the methods of the class itself.

        Args:
            class_: The class; there are none of anything else.
            uses: Its uses by name.
        """
        path, qualified = class_
        nodes = [*self._sources.nodes_of(class_)]
        if self._sources.is_python(path):
            for node in nodes:
                for method, first, callee in _called_in(node):
                    if self._is_first(path, method, first, callee):
                        yield Construction(path, callee)
            return
        if not any(node.type in DECLARING for node in nodes):
            return
        named = {(use.path, use.line, use.column) for use in uses}
        text = f"typeof {qualified.rpartition('.')[2]}".encode()
        passing = {path}
        for use in uses:
            if use.path not in passing and self._is_passed(use):
                passing.add(use.path)
        for one in {use.path for use in uses if not use.is_definition} - passing:
            passing |= {one} if text in (self._files.file(one).data or b"") else set()
        for one in sorted(passing):
            yield from self._new_in(one, class_, named)

    def _is_first(self, path: str, method: Node, first: bytes, callee: Node) -> bool:
        """Whether the name of a Python method's first parameter means it, and only it, in a call.

        Args:
            path: The file.
            method: The method.
            first: The name.
            callee: What is called.
        """
        scopes, name = self._python.scopes(path), first.decode()
        scope = scopes.binding(name, callee.start_byte) if scopes is not None else None
        if scope is None or scope.start != method.start_byte:
            return False
        return len(scope.values[name]) == 1

    def _is_passed(self, use: Reference) -> bool:
        node = None if use.is_definition else self._sources.used(use).node
        return node is not None and self._sources.role(use.path, node) == "value"

    def _new_in(
        self, path: str, class_: Declaration, named: set[tuple[str, int, int]]
    ) -> Iterator[Construction]:
        tree = self._files.tree(path)
        if tree is None:
            return
        for found in _NEW.finditer(self._files.file(path).data or b""):
            checkpoint()
            node = tree.spanning(*found.span())
            call = None if node is None else node.parent
            if call is None or call.type != "new_expression" or call.start_byte != found.start():
                continue
            callee = call.child_by_field_name("constructor")
            if callee is None:
                continue
            last = callee.child_by_field_name("property") or callee
            if (path, *self._sources.spot(path, last.start_byte)) in named:
                continue
            if class_ in self._names.classes(path, callee):
                yield Construction(path, callee)


def _called_in(class_: Node) -> Iterator[tuple[Node, bytes, Node]]:
    """Yield what is called in the methods of a Python class and stands for the class.

    With the method, and the name of its first parameter.
    """
    if not _is_python_class(class_):
        return
    body = class_.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        method = child.child_by_field_name("definition") or child
        listed = method.child_by_field_name("parameters")
        first = next(iter(listed.named_children), None) if listed is not None else None
        if first is not None and first.child_by_field_name("type") is not None:
            first = first.named_children[0]
        if first is None or first.type != "identifier":
            continue
        decorators = (child.text or b"")[: method.start_byte - child.start_byte]
        if b"staticmethod" in decorators:
            continue
        name = method.child_by_field_name("name")
        is_class = b"classmethod" in decorators or (name and name.text in _CLASS_METHODS)
        text = first.text or b""
        for callee in _called(method, text, is_class=bool(is_class)):
            yield method, text, callee


def _is_python_class(node: Node) -> bool:
    """Whether a node is that of a class: it has a name and a body, but no parameters."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    is_named = name is not None and body is not None
    return is_named and node.child_by_field_name("parameters") is None


def _called(method: Node, first: bytes, *, is_class: bool) -> Iterator[Node]:
    """Yield what is called in a method and stands for its class.

    Args:
        method: The method.
        first: The name of its first parameter.
        is_class: Whether that is the class itself.
    """
    spelled = {first} if is_class else {b"type(%s)" % first, b"%s.__class__" % first}
    waiting = [method.child_by_field_name("body")]
    while waiting:
        node = waiting.pop()
        if node is None or _is_python_class(node):
            continue
        callee = node.child_by_field_name("function") if node.type == "call" else None
        if callee is not None and callee.text in spelled:
            yield callee
        waiting += reversed(node.named_children)
