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
_LEAVING = frozenset(
    {"return_statement", "throw_statement", "continue_statement", "break_statement"}
)
BLOCKS = frozenset({"statement_block", "program", "switch_case", "switch_default"})
LOOPS = frozenset({"while_statement", "for_statement"})
_REPEATING = LOOPS | {"do_statement", "for_in_statement"}
CHOICES = frozenset({"if_statement", "ternary_expression"})
_PATTERNS = frozenset(
    {
        *("array_pattern", "object_pattern", "pair_pattern", "rest_pattern"),
        *("assignment_pattern", "object_assignment_pattern", "parenthesized_expression"),
    }
)
_FUNCTIONS = frozenset(
    {
        *("function_declaration", "function_expression", "arrow_function", "method_definition"),
        *("generator_function", "generator_function_declaration", "class_body"),
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


def is_within(assigned: tuple[Node, ...], node: Node, end: int | None = None) -> bool:
    """Whether one of the assignments runs with a node, up to a byte; functions run apart."""
    last = node.end_byte if end is None else end
    return any(
        node.start_byte <= one.start_byte < last and not _is_apart(one, node) for one in assigned
    )


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


def _is_apart(inner: Node, outer: Node) -> bool:
    """Whether a function that is not called at once stands between two nodes."""
    node: Node | None = inner
    while node is not None and node != outer:
        if node.type in _FUNCTIONS:
            holder = node.parent
            while holder is not None and holder.type == "parenthesized_expression":
                holder = holder.parent
            is_called = holder is not None and holder.type == "call_expression"
            if holder is None or not is_called:
                return True
        node = node.parent
    return False


def leaves(statement: Node) -> bool:
    """Whether a statement always leaves the block that it stands in."""
    last: Node | None = statement
    while last is not None and last.type == "statement_block":
        last = next((one for one in reversed(last.named_children) if not one.is_extra), None)
    return last is not None and last.type in _LEAVING


def falling_to(case: Node) -> Node | None:
    """The case before one, if it does not leave the switch."""
    before = case.prev_named_sibling
    while before is not None and before.is_extra:
        before = before.prev_named_sibling
    if before is None:
        return None
    body = [one for one in before.children_by_field_name("body") if not one.is_extra]
    return None if body and leaves(body[-1]) else before


def is_lost(around: Node, inner: Node, assigned: tuple[Node, ...]) -> bool:
    """Whether an assignment in a node may run before a part of it; not in the same block."""
    kind = around.type
    if not assigned or kind in BLOCKS or kind in ASSIGNING:
        return False
    if kind in _REPEATING:
        return is_within(assigned, around)
    if kind in CHOICES:
        condition = around.child_by_field_name("condition")
        return condition is not None and condition != inner and is_within(assigned, condition)
    if kind == "switch_body":
        case = falling_to(inner)
        while case is not None:
            if is_within(assigned, case):
                return True
            case = falling_to(case)
        return False
    return is_within(assigned, around, inner.start_byte)


def is_constant(tree: SourceTree, node: Node, text: str, assigned: tuple[Node, ...]) -> bool:
    """Whether a name is nowhere assigned, so that a function that runs later sees the same."""
    if text == "this":
        return True
    if "." in text or "[" in text:
        return False
    scopes = tree.bound(text, node)
    return not any(
        not scopes or any(of.start <= one.start_byte < of.end for of in scopes) for one in assigned
    )
