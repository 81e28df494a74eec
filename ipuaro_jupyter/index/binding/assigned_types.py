"""Whether a variable in JavaScript may get a value whose type the source does not tell."""

from collections.abc import Iterator

from ipuaro_jupyter.index.binding.expression_types import ExpressionTypes
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.binder import Binding
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_understood
from ipuaro_jupyter.languages.language import Node

_NOTHING = frozenset({"null", "undefined"})
_PATTERNS = frozenset({"array_pattern", "object_pattern", "rest_pattern"})
_WRITING = frozenset({"assignment_expression", "augmented_assignment_expression"})


class AssignedTypes:
    """Looks at what is assigned to variables after their declaration.

    In TypeScript the declaration decides, with or without an annotation.

    Args:
        files: The files.
        types: Finds the types of values.
    """

    def __init__(self, files: OpenedFiles, types: ExpressionTypes) -> None:
        self._files = files
        self._types = types
        self._open: dict[tuple[str, str], set[tuple[int, ...]]] = {}

    def are_open(self, path: str, node: Node) -> bool:
        """Whether the object of a member may have a type that is unknown.

        Args:
            path: The file.
            node: The name of the member; other nodes have no object.
        """
        language, tree = is_understood(path), self._files.tree(path)
        object_ = node.parent.child_by_field_name("object") if node.parent is not None else None
        while object_ is not None and object_.type == "parenthesized_expression":
            object_ = next(iter(object_.named_children), None)
        is_variable = object_ is not None and object_.type == "identifier"
        if tree is None or language is None or language.name != "javascript" or not is_variable:
            return False
        assert object_ is not None  # noqa: S101 - `is_variable` says so
        name = tree.text(object_)
        if (path, name) not in self._open:
            written = _written(tree, name)
            self._open[path, name] = {key for key, value in written if self._is_open(path, value)}
        return _key(tree.bound(name, object_)) in self._open[path, name]

    def _is_open(self, path: str, value: Node | None) -> bool:
        if value is None:
            return True
        return value.type not in _NOTHING and not self._types.of(path, value)


def _key(bound: list[Binding]) -> tuple[int, ...]:
    """What tells the variables of one name in a file apart."""
    return tuple(one.node.start_byte for one in bound)


def _written(tree: SourceTree, name: str) -> Iterator[tuple[tuple[int, ...], Node | None]]:
    """Yield the values assigned to variables with this name; None for a part of a value."""
    for offset in tree.places(name):
        node = tree.node(offset, name)
        around = node.parent if node is not None else None
        if node is None or around is None:
            continue
        left = around.child_by_field_name("left")
        is_part = around.type in _PATTERNS or (around.type == "for_in_statement" and left == node)
        if is_part or (around.type in _WRITING and left == node):
            key = _key(tree.bound(name, node))
            if offset not in key:
                yield key, None if is_part else around.child_by_field_name("right")
