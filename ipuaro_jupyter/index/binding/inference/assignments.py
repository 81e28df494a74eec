"""The places at which what an expression stands for is assigned anew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
    from ipuaro_jupyter.languages.language import Node

_NAMES = re.compile(r"#?[\w$]+")
ASSIGNING = frozenset({"assignment_expression", "augmented_assignment_expression"})
_WRAPPING = frozenset({"member_expression", "subscript_expression", "non_null_expression"})
_PATTERNS = frozenset(
    {
        *("array_pattern", "object_pattern", "pair_pattern", "rest_pattern"),
        *("assignment_pattern", "object_assignment_pattern", "parenthesized_expression"),
    }
)


class Assignments:
    """The places in files at which something is assigned; each name of a file is visited once."""

    def __init__(self, files: OpenedFiles) -> None:
        self._targets: dict[tuple[str, str], tuple[tuple[str, Node], ...]] = {}
        files.when_dropped(self._drop)

    def of(self, tree: SourceTree, path: str, text: str) -> tuple[Node, ...]:
        """The nodes by which an expression, or what it is a member of, is assigned.

        Args:
            tree: The file.
            path: Its path.
            text: The name or member as written, without ``?`` and ``!``.
        """
        inside = set(_NAMES.findall(text.partition("[")[2]))
        return tuple(
            node
            for name in set(_NAMES.findall(text))
            for own, node in self._with(tree, path, name)
            if own in inside or _is_part(own, text)
        )

    def _drop(self, paths: Collection[str]) -> None:
        """Forget what is known of some files, and with it their trees."""
        dropped = frozenset(paths)
        kept = {key: found for key, found in self._targets.items() if key[0] not in dropped}
        self._targets = kept

    def _with(self, tree: SourceTree, path: str, name: str) -> tuple[tuple[str, Node], ...]:
        """What is assigned and has a name in it: the text and the node of each."""
        key = (path, name)
        if key not in self._targets:
            self._targets[key] = tuple(_targets(tree, name))
        return self._targets[key]


def _targets(tree: SourceTree, name: str) -> Iterator[tuple[str, Node]]:
    for place in {*tree.places(name), *tree.places(name.removeprefix("#"))}:
        node = tree.node(place, name)
        while node is not None:
            if _is_target(node):
                yield plain(tree.text(node)), node
            around = node.parent
            node = around if around is not None and around.type in _WRAPPING else None


def plain(text: str) -> str:
    """An expression without ``?`` and ``!``."""
    return text.replace("?.", ".").replace("!", "")


def _is_part(own: str, text: str) -> bool:
    return text.startswith(own) and text[len(own) : len(own) + 1] in {"", ".", "["}


def _is_target(node: Node) -> bool:
    """Whether an expression is assigned to, also by a pattern or a loop."""
    inner, around = node, node.parent
    while around is not None and around.type in _PATTERNS:
        is_default = around.child_by_field_name("right") == inner
        if is_default or around.child_by_field_name("key") == inner:
            return False
        inner, around = around, around.parent
    if around is None:
        return False
    if around.type == "update_expression":
        return True
    if around.type == "for_in_statement" and around.child_by_field_name("kind") is not None:
        return False
    is_assigning = around.type in ASSIGNING or around.type == "for_in_statement"
    return is_assigning and around.child_by_field_name("left") == inner
