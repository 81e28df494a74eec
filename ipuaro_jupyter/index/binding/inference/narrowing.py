"""What is known of a value where it is used, by the conditions on the way there.

https://www.typescriptlang.org/docs/handbook/2/narrowing.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from ipuaro_jupyter.index.binding.function_nodes import arguments
from ipuaro_jupyter.index.binding.inference.assignments import (
    BLOCKS,
    CHOICES,
    LOOPS,
    falling_to,
    is_constant,
    is_lost,
    is_within,
    leaves,
    plain,
)
from ipuaro_jupyter.index.binding.inference.call_signatures import Signature
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOTHING,
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
_MOST_DEPTH = 30
_MOST_LEVELS = 60
_MOST_BEFORE = 60
_EQUAL = {"===": True, "==": True, "!==": False, "!=": False}
_LITERALS = frozenset({"string", "number", "true", "false"})

Known = Literal["true", "false", "assigned", "lost"]
"""What is known of an expression: whether it is true, that it was assigned, or no more."""


class Narrowing:
    """Narrows the types of names and members by the conditions around them.

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
        for condition, kind in reversed(list(self._conditions(tree, path, node, text))):
            if kind == "assigned":
                found = self._assigned(path, condition, found)
            elif condition.type == "switch_case" or tree.mentions(condition, head):
                found = self._where(path, condition, text, found, is_true=kind == "true")
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

    def _assigned(self, path: str, value: Node, found: Types) -> Types:
        """Of a union, the parts that a value which was assigned has."""
        given = self._types.of(path, value) if len(found) > 1 else NOTHING
        parts = frozenset(one for one in found if _is_same(one, given))
        return parts if parts and UNKNOWN not in given else found

    def _conditions(  # noqa: C901, PLR0912 - a case per kind
        self, tree: SourceTree, path: str, node: Node, text: str
    ) -> Iterator[tuple[Node, Known]]:
        """Yield what is known on the way to a node, the nearest first, up to an assignment.

        Args:
            tree: The file.
            path: Its path.
            node: A name or member.
            text: The text of it.
        """
        assigned = self._types.assignments.of(tree, path, text)
        inner: Node = node
        around = node.parent
        for _ in range(_MOST_LEVELS):
            if around is None or (around.type in _FUNCTIONS and around.type != "program"):
                return
            kind = around.type
            if kind == "arrow_function" and not is_constant(tree, node, text, assigned):
                return
            lost = is_lost(around, inner, assigned)
            if kind in CHOICES or kind in LOOPS:
                condition = around.child_by_field_name("condition")
                alternative = around.child_by_field_name("alternative")
                is_body = inner == around.child_by_field_name("body")
                is_told = is_body if kind in LOOPS else condition != inner
                if condition is not None and is_told and not is_within(assigned, condition):
                    yield condition, _truth(alternative != inner)
            elif kind == "binary_expression" and not lost:
                sign = around.children[1].type if len(around.children) > 1 else ""
                left = around.child_by_field_name("left")
                if sign in {"&&", "||"} and left is not None and left != inner:
                    yield left, _truth(sign == "&&")
            elif kind in BLOCKS:
                for before in self._before(tree, inner, text, assigned):
                    if before[1] != "lost":
                        yield before
                    if before[1] in {"assigned", "lost"}:
                        return
            if lost:
                return
            if kind == "switch_case":
                yield around, "true"
            if kind == "program":
                return
            inner, around = around, around.parent

    def _before(  # noqa: C901 - a case per kind
        self, tree: SourceTree, inner: Node, text: str, assigned: tuple[Node, ...]
    ) -> Iterator[tuple[Node, Known]]:
        """Yield what is known behind the statements before one in the same block."""
        head = text.partition(".")[0].encode()
        before = inner.prev_named_sibling
        for _ in range(_MOST_BEFORE):
            if before is None:
                return
            statement, before = before, before.prev_named_sibling
            if statement.type == "if_statement":
                condition = statement.child_by_field_name("condition")
                then = statement.child_by_field_name("consequence")
                otherwise = statement.child_by_field_name("alternative")
                is_left = condition is not None and then is not None and leaves(then)
                parts = (condition, otherwise) if is_left else (condition, then, otherwise)
                if any(is_within(assigned, part) for part in parts if part is not None):
                    yield statement, "lost"
                    return
                if is_left and condition is not None and tree.mentions(condition, head):
                    yield condition, "false"
                continue
            call = statement.named_children[0] if statement.named_children else statement
            if statement.type == "expression_statement" and call.type == "assignment_expression":
                left, value = (call.child_by_field_name(part) for part in ("left", "right"))
                if left is not None and value is not None and tree.text(left) == text:
                    yield value, "assigned"
                    return
            if is_within(assigned, statement):
                yield statement, "lost"
                return
            if statement.type == "expression_statement" and call.type == "call_expression":
                given = call.child_by_field_name("arguments")
                if given and tree.mentions(given, head):
                    yield call, "true"
        block = inner.parent
        if before and block and is_within(assigned, block, before.end_byte):
            yield before, "lost"

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
                    made = self._types.made(self._types.of(path, right))
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
        if falling_to(case) is not None:
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


def _truth(is_true: bool) -> Known:  # noqa: FBT001
    return "true" if is_true else "false"


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
