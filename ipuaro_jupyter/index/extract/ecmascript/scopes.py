"""Resolve the names of a JavaScript or TypeScript file to their bindings, by its syntax tree.

Only the places where one name occurs are visited, which the postings list: every declaration of the
name is among them.
"""

from collections.abc import Iterator
from threading import Lock

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.extract.ecmascript.binder import (
    NO_BINDINGS,
    TYPE,
    UNDERSTOOD,
    Binding,
    declarations_by,
    innermost,
)
from ipuaro_jupyter.index.extract.postings import offsets
from ipuaro_jupyter.languages.components.component_code import ComponentCode
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import parse_fitting

_STEP_S = 0.05
_parsing = Lock()


class SourceTree:
    """The syntax tree of a file, queried by name.

    Args:
        language: Its language, for which `is_understood` holds.
        data: The file.
        blob: Its postings.
        template: What its template binds, if it is a component.

    Raises:
        ParsingTooSlow: The parser takes too long.
        Cancelled: The token that is in force was set.
    """

    def __init__(
        self,
        language: Language,
        data: bytes,
        blob: bytes,
        template: ComponentCode | None = None,
    ) -> None:
        self.data = data
        self._blob = blob
        self._template = template
        while not _parsing.acquire(timeout=_STEP_S):
            checkpoint()
        try:
            _, self._tree, _ = parse_fitting(language, data)
        finally:
            _parsing.release()
        self._known: dict[str, list[Binding]] = {}

    @property
    def root(self) -> Node:
        """The node of the whole file."""
        return self._tree.root_node

    @property
    def is_broken(self) -> bool:
        """Whether syntax errors may hide declarations; not of a component, whose scopes differ."""
        return self._template is None and self._tree.root_node.has_error

    def node(self, offset: int, name: str) -> Node | None:
        """The node of the name that begins at ``offset``, in bytes; None when there is none."""
        end = offset + len(name.encode())
        return self._tree.root_node.descendant_for_byte_range(offset, end)

    def mentions(self, node: Node, name: bytes) -> bool:
        """Whether a name may occur in a node."""
        return self.data.find(name, node.start_byte, node.end_byte) >= 0

    def spanning(self, start: int, end: int) -> Node | None:
        """The smallest node from one byte to another; None when there is none."""
        return self._tree.root_node.descendant_for_byte_range(start, end)

    def text(self, node: Node) -> str:
        """Return the source of a node."""
        return self.data[node.start_byte : node.end_byte].decode()

    def is_at_top(self, bound: Binding) -> bool:
        """Whether the scope of a declaration is the whole file."""
        return bound.end > self._tree.root_node.end_byte

    def places(self, name: str) -> list[int]:
        """The byte offsets of a name, ascending."""
        return offsets(self._blob, name)

    def bound(self, name: str, used: Node) -> list[Binding]:
        """The declarations that the use of ``name`` at a node refers to; all are of one scope."""
        known, template = self._declarations(name), self._template
        if template is not None and template.is_hidden(name, used.start_byte):
            known = [bound for bound in known if template.is_template(bound.node.start_byte)]
        return innermost(known, used)

    def parameter(self, name: str, offset: int) -> Binding | None:
        """The type parameter that a type ``name`` would be at ``offset``, if any."""
        known = self._declarations(name)
        around = [b for b in known if b.start <= offset < b.end and b.kinds & TYPE]
        least = min(around, key=lambda b: b.end - b.start, default=None)
        is_one = least is not None and least.kinds == TYPE and not least.is_named
        return least if is_one else None

    def _declarations(self, name: str) -> list[Binding]:
        if name not in self._known:
            nodes = (self.node(place, name) for place in self.places(name))
            self._known[name] = [
                bound for node in nodes if node is not None for bound in declarations_by(node)
            ]
            self._known[name] += self._bound_by_template(name)
        return self._known[name]

    def _bound_by_template(self, name: str) -> Iterator[Binding]:
        """Yield the declarations of a name in the template of a component."""
        for one in self._template.names if self._template is not None else ():
            if one.name == name and (node := self.node(one.at, name)) is not None:
                yield Binding(node, node.parent or node, one.start, one.end)


def is_understood(path: str) -> Language | None:
    """The language of a file, or of its code, when its scopes are understood, else None."""
    language = language_for(path)
    if language is not None and language.reader == "component":
        language = language_named(language.component.language)
    return language if language is not None and language.name in UNDERSTOOD else None


def is_member(node: Node) -> bool:
    """Whether a name is that of a member rather than of a variable."""
    if node.type in NO_BINDINGS:
        return True
    parent = node.parent
    if parent is None or parent.type not in {"nested_type_identifier", "nested_identifier"}:
        return False
    first = parent.named_children[0] if parent.named_children else None
    return first is not None and first.id != node.id
