"""What is known of a value where it is used, by the conditions on the way there.

https://www.typescriptlang.org/docs/handbook/2/narrowing.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.function_nodes import arguments
from ipuaro_jupyter.index.binding.inference.assignments import plain
from ipuaro_jupyter.index.binding.inference.call_signatures import Signature
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    UNKNOWN,
    Type,
    Types,
)
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Predicate,
)

if TYPE_CHECKING:
    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
    from ipuaro_jupyter.languages.language import Node

_FUNCTIONS = frozenset(
    {
        *("function_declaration", "function_expression", "method_definition", "program"),
        *("generator_function", "generator_function_declaration", "class_body"),
    }
)
_LEAVING = frozenset(
    {"return_statement", "throw_statement", "continue_statement", "break_statement"}
)
_BLOCKS = frozenset({"statement_block", "program", "switch_case", "switch_default"})
_LOOPS = frozenset({"while_statement", "for_statement"})
_REPEATING = _LOOPS | {"do_statement", "for_in_statement"}
_CHOICES = frozenset({"if_statement", "ternary_expression"})
_MOST_DEPTH = 30
_MOST_LEVELS = 60
_MOST_BEFORE = 60
_EQUAL = {"===": True, "==": True, "!==": False, "!=": False}
_LITERALS = frozenset({"string", "number", "true", "false"})


class Narrowing:
    """Narrows the types of names and members by the conditions around them.

    Where an assignment stands between a condition and a place, the condition says nothing there.
    Nor is a type taken from what is assigned: in five projects, that found no use.

    Args:
        types: Infers types.
        files: The files.
    """

    def __init__(self, types: TypesOf, files: OpenedFiles) -> None:
        self._types = types
        self._files = files
        self._depth = 0

    def of(self, path: str, node: Node, found: Types) -> Types:
        """The types of a name or member at its place, of those that it may have."""
        tree = self._files.tree(path)
        if tree is None:
            return found
        text = plain(tree.text(node))
        head = text.partition(".")[0].encode()
        for condition, is_true in reversed(self._holding(tree, path, node, text)):
            if condition.type == "switch_case" or tree.mentions(condition, head):
                found = self._where(path, condition, text, found, is_true=is_true)
        return found

    def by_text(self, types: Types, name: str, text: str, *, is_same: bool) -> Types:
        """Of types, those whose member may be a literal, or may not."""
        kept = set()
        for one in types:
            said = self._types.properties.of(one, name)
            texts = {of.name for of in said if of.name[:1] in {"'", '"'}}
            is_told = bool(texts) and len(texts) == len(said)
            plain = {text.strip("'\"") for text in texts}
            has = text.strip("'\"") in plain
            if not is_told or (has if is_same else not has or len(plain) > 1):
                kept.add(one)
        return frozenset(kept) or types

    def _holding(
        self, tree: SourceTree, path: str, node: Node, text: str
    ) -> list[tuple[Node, bool]]:
        """The conditions up to the last assignment, the nearest first, and whether they are true.

        Args:
            tree: The file.
            path: Its path.
            node: A name or member.
            text: The text of it.
        """
        assigned = self._types.assignments.of(tree, path, text)
        is_constant = not _is_part_of(text) and not any(
            of.start <= one.start_byte < of.end for of in tree.bound(text, node) for one in assigned
        )
        found: list[tuple[Node, bool]] = []
        for condition, is_true, end in self._conditions(tree, node, text, is_constant=is_constant):
            ends = ((one.parent or one).end_byte for one in assigned)
            if any(condition.start_byte < at <= end for at in ends):
                break
            found.append((condition, is_true))
        return found

    def _conditions(  # noqa: C901 - a case per kind
        self, tree: SourceTree, node: Node, text: str, *, is_constant: bool
    ) -> Iterator[tuple[Node, bool, int]]:
        """Yield the conditions on the way to a node, the nearest first.

        Each comes with whether it is true, and the byte up to which code may run between it and
        the node: the end of a loop around the node, else the node.
        """
        end = node.start_byte
        inner: Node = node
        around = node.parent
        for _ in range(_MOST_LEVELS):
            if around is None or (around.type in _FUNCTIONS and around.type != "program"):
                return
            kind = around.type
            if kind == "arrow_function" and not is_constant:
                return  # it may run after an assignment
            if kind in _CHOICES or kind in _LOOPS:
                condition = around.child_by_field_name("condition")
                alternative = around.child_by_field_name("alternative")
                is_body = inner == around.child_by_field_name("body")
                is_told = is_body if kind in _LOOPS else condition != inner
                if condition is not None and is_told:
                    yield condition, alternative != inner, end
            elif kind == "binary_expression":
                sign = around.children[1].type if len(around.children) > 1 else ""
                left = around.child_by_field_name("left")
                if sign in {"&&", "||"} and left is not None and left != inner:
                    yield left, sign == "&&", end
            elif kind in _BLOCKS:
                for before, is_true in self._before(tree, inner, text):
                    yield before, is_true, end
            if kind == "switch_case":
                yield around, True, end
            if kind in _REPEATING:
                end = around.end_byte
            inner, around = around, around.parent

    def _before(self, tree: SourceTree, inner: Node, text: str) -> Iterator[tuple[Node, bool]]:
        """Yield the conditions before a statement in its block, and whether they are true."""
        head = text.partition(".")[0].encode()
        before = inner.prev_named_sibling
        for _ in range(_MOST_BEFORE):
            if before is None:
                return
            statement, before = before, before.prev_named_sibling
            if statement.type == "if_statement":
                condition = statement.child_by_field_name("condition")
                then = statement.child_by_field_name("consequence")
                is_left = condition is not None and then is not None and _leaves(then)
                if is_left and condition is not None and tree.mentions(condition, head):
                    yield condition, False
                continue
            call = statement.named_children[0] if statement.named_children else statement
            if statement.type == "expression_statement" and call.type == "call_expression":
                given = call.child_by_field_name("arguments")
                if given and tree.mentions(given, head):
                    yield call, True

    def _where(self, path: str, node: Node, text: str, found: Types, *, is_true: bool) -> Types:
        """The types that remain where a condition is true, or false; deep ones say nothing."""
        if self._depth >= _MOST_DEPTH:
            return found
        self._depth += 1
        try:
            return self._narrowed(path, node, text, found, is_true=is_true)
        finally:
            self._depth -= 1

    def _narrowed(  # noqa: C901, PLR0911 - a case per kind of condition
        self, path: str, node: Node, text: str, found: Types, *, is_true: bool
    ) -> Types:
        tree = self._files.tree(path)
        if tree is None:
            return found
        match node.type:
            case "parenthesized_expression" if node.named_children:
                return self._where(path, node.named_children[0], text, found, is_true=is_true)
            case "unary_expression" if node.children[0].type == "!":
                return self._where(path, node.named_children[0], text, found, is_true=not is_true)
            case "binary_expression":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                sign = node.children[1].type
                if left is None or right is None:
                    return found
                if sign in {"&&", "||"}:
                    first = self._where(path, left, text, found, is_true=is_true)
                    if (sign == "&&") == is_true:
                        return self._where(path, right, text, first, is_true=is_true)
                    second = self._where(path, right, text, found, is_true=is_true)
                    return first | second
                if sign in _EQUAL:
                    return self._compared(
                        path, (left, right), text, found, is_same=_EQUAL[sign] == is_true
                    )
                if sign == "instanceof" and plain(tree.text(left)) == text:
                    made = self._types.calls.made(self._types.of(path, right))
                    return self._chosen(found, made, is_true=is_true)
                if sign == "in" and plain(tree.text(right)) == text:
                    return self._having(found, tree.text(left).strip("'\""), is_true=is_true)
            case "call_expression":
                return self._guarded(path, node, text, found, is_true=is_true)
            case "switch_case":
                return self._in_case(path, node, text, found)
        return found

    def _compared(
        self, path: str, sides: tuple[Node, Node], text: str, found: Types, *, is_same: bool
    ) -> Types:
        tree = self._files.tree(path)
        left, right = sides
        if tree is None or right.type not in _LITERALS:
            return found
        if left.type == "member_expression":
            object_ = left.child_by_field_name("object")
            name = left.child_by_field_name("property")
            if object_ is not None and name is not None and plain(tree.text(object_)) == text:
                return self.by_text(found, tree.text(name), tree.text(right), is_same=is_same)
        return found

    def _in_case(self, path: str, case: Node, text: str, found: Types) -> Types:
        tree = self._files.tree(path)
        value = case.child_by_field_name("value")
        body = case.parent
        statement = body.parent if body is not None else None
        of = statement.child_by_field_name("value") if statement is not None else None
        if of is not None and of.type == "parenthesized_expression" and of.named_children:
            of = of.named_children[0]
        if value is None or of is None or of.type != "member_expression" or tree is None:
            return found
        object_, name = of.child_by_field_name("object"), of.child_by_field_name("property")
        if object_ is None or name is None or plain(tree.text(object_)) != text:
            return found
        if value.type not in _LITERALS:
            return found
        if _falls_into(case):
            return found  # the case before goes on with this one
        return self.by_text(found, tree.text(name), tree.text(value), is_same=True)

    def _guarded(self, path: str, call: Node, text: str, found: Types, *, is_true: bool) -> Types:
        """The types that remain where a type guard has said yes, or no."""
        tree = self._files.tree(path)
        function = call.child_by_field_name("function")
        if tree is None or function is None:
            return found
        given = arguments(call)
        receiver = (
            function.child_by_field_name("object") if function.type == "member_expression" else None
        )
        texts = [plain(tree.text(one)) for one in given]
        said_of = plain(tree.text(receiver)) if receiver is not None else ""
        is_told = text in texts or said_of == text or any(text in one for one in texts)
        if not is_told:
            return found
        for callee in self._types.of(path, function):
            signatures = self._types.calls.signatures(callee)
            for signature in self._types.calls.fitting(signatures, path, call):
                said = signature.returned
                if not isinstance(said, Predicate):
                    continue
                if said.is_assertion and said.type == OTHER and given:
                    return self._where(path, given[0], text, found, is_true=is_true)
                place = _place(signature, said.name)
                is_this = said.name == "this" and said_of == text
                if not is_this and (place is None or place >= len(texts) or texts[place] != text):
                    continue
                scope = self._types.calls.inferred(signature, path, call)
                chosen = self._types.written.of(signature.path, said.type, signature.offset, scope)
                return self._chosen(found, chosen, is_true=is_true)
        return found

    def _chosen(self, found: Types, chosen: Types, *, is_true: bool) -> Types:
        """The types that are one of the chosen, or are none of them."""
        chosen = chosen - {UNKNOWN}
        if not chosen:
            return found
        if not is_true:
            return frozenset(one for one in found if not _is_same(one, chosen)) or found
        # Of a union, the parts that are of the type; else the type itself.
        parts = frozenset(one for one in found if self._is_one_of(one, chosen))
        if parts:
            return parts
        return chosen

    def _is_one_of(self, one: Type, chosen: Types, depth: int = 0) -> bool:
        """Whether a type is one of some, or extends one."""
        if _is_same(one, chosen):
            return True
        if depth > 12 or one.kind != "instance":  # noqa: PLR2004
            return False
        properties = self._types.properties
        bases = properties.bases(one) | properties.added_bases(one)
        return any(self._is_one_of(base, chosen, depth + 1) for base in bases)

    def _having(self, found: Types, name: str, *, is_true: bool) -> Types:
        """The types that have a member, or have it not."""
        kept = set()
        for one in found:
            declared = self._types.properties.declarations(one, name)
            is_open = declared is None or (not declared and one.kind != "instance")
            if is_open or bool(declared) == is_true:
                kept.add(one)
        return frozenset(kept) or found


def _is_part_of(text: str) -> bool:
    """Whether an expression is a member or an element of another."""
    return "." in text or "[" in text


def _leaves(statement: Node) -> bool:
    """Whether a statement always leaves the block that it stands in."""
    last: Node | None = statement
    while last is not None and last.type == "statement_block":
        last = next((one for one in reversed(last.named_children) if not one.is_extra), None)
    return last is not None and last.type in _LEAVING


def _falls_into(case: Node) -> bool:
    """Whether the case before one goes on with it."""
    before = case.prev_named_sibling
    while before is not None and before.is_extra:
        before = before.prev_named_sibling
    if before is None:
        return False
    body = [one for one in before.children_by_field_name("body") if not one.is_extra]
    return not body or not _leaves(body[-1])


def _is_same(one: Type, chosen: Types) -> bool:
    return any(
        (one.kind, one.path, one.name) == (of.kind, of.path, of.name)
        and (one.kind != "written" or one == of)
        for of in chosen
    )


def _place(signature: Signature, name: str) -> int | None:
    """The place of a parameter, by its name."""
    node = signature.node
    if node is None:
        return 0
    listed = node.child_by_field_name("parameters")
    children = listed.named_children if listed is not None else ()
    names = [
        child.child_by_field_name("pattern") or child for child in children if not child.is_extra
    ]
    texts = [(one.text or b"").decode() for one in names if one.type != "this"]
    return texts.index(name) if name in texts else None
