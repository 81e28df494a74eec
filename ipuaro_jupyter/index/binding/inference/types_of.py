"""The types of expressions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.inference import builtins
from ipuaro_jupyter.index.binding.inference.assignments import Assignments
from ipuaro_jupyter.index.binding.inference.calls import CallTypes
from ipuaro_jupyter.index.binding.inference.declared_values import DeclaredValues
from ipuaro_jupyter.index.binding.inference.expectations import Expectations
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    Type,
    Types,
    awaited,
    builtin,
    element,
    limited,
    literal_scalar,
)
from ipuaro_jupyter.index.binding.inference.narrowing import Narrowing
from ipuaro_jupyter.index.binding.inference.properties import Properties
from ipuaro_jupyter.index.binding.inference.written_types import WrittenTypes

if TYPE_CHECKING:
    from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
    from ipuaro_jupyter.index.binding.members import Members
    from ipuaro_jupyter.index.binding.module_names import ModuleNames
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.languages.language import Node

_MOST_DEPTH = 40
_MOST_STEPS = 4000
"""Expressions looked at for one name; beyond, types are not known."""

_NOT_CUT = 1 << 60
_LONGEST_TEXT = 40
_SCALARS = {
    **dict.fromkeys(("string", "template_string"), "string"),
    "number": "number",
    **dict.fromkeys(("true", "false"), "boolean"),
    "regex": "RegExp",
}
_NULLS = frozenset({"null", "undefined"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_FUNCTION_LIKE = _FUNCTIONS | {
    *("function_declaration", "generator_function_declaration", "method_definition"),
}
_BOOLEAN = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"})
_CHOOSING = frozenset({"||", "&&", "??"})
_UNARY = {"typeof": "string", "!": "boolean", "delete": "boolean", "+": "number", "void": "void"}


class TypesOf:
    """Infers the types of expressions, among the files of an index.

    A type is asked for once. One that depends on itself is what its other sources give.

    Args:
        files: The files.
        members: Their declarations.
        modules: Resolves names from other files.
        aliases: Follows names through imports.
    """

    def __init__(
        self,
        files: OpenedFiles,
        members: Members,
        modules: ModuleNames,
        aliases: AliasResolver,
    ) -> None:
        self._files = files
        self._members = members
        self._modules = modules
        self._aliases = aliases
        self.written = WrittenTypes(self, files, members, aliases)
        self.properties = Properties(self, files, members)
        self.values = DeclaredValues(self, files, modules=modules, members=members, aliases=aliases)
        self.calls = CallTypes(self, files)
        self.expectations = Expectations(self, files)
        self.assignments = Assignments(files)
        self.narrowing = Narrowing(self, files)
        self._known: dict[Hashable, Types] = {}
        self._open: dict[Hashable, int] = {}
        self._cut = _NOT_CUT
        self._left = _MOST_STEPS

    def begin(self) -> None:
        """Begin another name, with its full number of steps."""
        if not self._open:
            self._left = _MOST_STEPS

    def once(self, key: Hashable, compute: Callable[[], Types]) -> Types:
        """Types that are computed once; none where they are being computed already."""
        if key in self._known:
            return self._known[key]
        if key in self._open:
            self._cut = min(self._cut, self._open[key])
            return NOTHING
        if len(self._open) >= _MOST_DEPTH or self._left <= 0:
            self._cut = -1
            return NOT_KNOWN
        checkpoint()
        self._left -= 1
        outer, self._cut = self._cut, _NOT_CUT
        place = self._open[key] = len(self._open)
        try:
            found = limited(compute())
        finally:
            del self._open[key]
        if self._cut >= place:
            self._known[key] = found
            self._cut = _NOT_CUT
        self._cut = min(outer, self._cut)
        return found

    def of(self, path: str, node: Node) -> Types:
        """The types that an expression may have."""
        key = ("of", path, node.start_byte, node.end_byte, node.type)
        return self.once(key, lambda: self._of(path, node))

    def all(self, path: str, nodes: Iterable[Node | None]) -> Types:
        """The types of several expressions together."""
        return NOTHING.union(*(self.of(path, node) for node in nodes if node is not None))

    def subscript(self, owners: Types, key: Types) -> Types:
        """The types of ``owner[key]``."""
        found: Types = NOTHING
        texts = [one.name[1:-1] for one in key if one.name[:1] in {"'", '"'}]
        for owner in owners:
            if texts and len(texts) == len(key):
                found |= NOTHING.union(*(self.properties.of(owner, name) for name in texts))
            elif owner.kind == "builtin" and owner.name in {"Array", "Tuple"}:
                at = [int(one.name) for one in key if one.name.isdecimal()]
                if owner.name == "Tuple" and len(at) == len(key) == 1 and at[0] < len(owner.args):
                    found |= owner.args[at[0]]
                    continue
                found |= element(frozenset({owner}))
            elif owner.kind == "builtin" and owner.name == "Record":
                found |= owner.args[1]
            else:
                found |= self.properties.indexed(owner)
        return found

    def loaded(self, path: str, call: Node) -> Types:
        """The type of what ``import("x")`` gives, the promise of a module."""
        module = self._modules.loaded(path, call)
        return (
            NOT_KNOWN if module is None else builtin("Promise", frozenset({Type("module", module)}))
        )

    def of_export(self, path: str, name: str) -> Types:
        """The types of an export without a declaration: a module, or the value of the default one.

        Args:
            path: The file that exports it.
            name: The exported name; "*" for the file itself.
        """
        if name != "default":
            modules = {path} if name == "*" else self._aliases.of_file(path).modules_named(name)
            return frozenset(Type("module", one) for one in modules) or NOT_KNOWN
        tree = self._files.tree(path)
        program = tree.spanning(0, len(tree.data)) if tree is not None else None
        for child in program.named_children if program is not None else ():
            value = child.child_by_field_name("value")
            is_default = any(word.type == "default" for word in child.children)
            if child.type == "export_statement" and is_default and value is not None:
                return self.of(path, value)
        return NOT_KNOWN

    def of_chain(self, path: str, names: tuple[str, ...], offset: int) -> Types:
        """The types of ``a.b.c`` at a place in a file."""
        tree = self._files.tree(path)
        first = tree.node(offset, "") if tree is not None else None
        if tree is None or first is None:
            return NOT_KNOWN
        found: Types = NOTHING
        for declared in self._members.named(path, names):
            found |= self.values.of(declared)
        if found:
            return found
        for bound in tree.bound(names[0], first):
            found |= self.values.of_binding(path, bound, names[0])
        for name in names[1:]:
            found = NOTHING.union(*(self.properties.of(one, name) for one in found))
        return found or NOT_KNOWN

    def this_at(self, path: str, offset: int) -> Types:
        """The type of ``this`` at a place in a file."""
        tree = self._files.tree(path)
        node = tree.node(offset, "") if tree is not None else None
        return NOT_KNOWN if node is None else self.values.this(path, node)

    def _of(self, path: str, node: Node) -> Types:  # noqa: C901, PLR0911, PLR0912 - a case per kind
        kind = node.type
        if kind in _SCALARS:
            text = self._text(path, node)
            is_kept = kind in {"string", "number"} and len(text) < _LONGEST_TEXT
            return builtin(text if is_kept else literal_scalar(text) or _SCALARS[kind])
        if kind in _NULLS:
            return NOTHING
        first = node.named_children[0] if node.named_children else None
        match kind:
            case "identifier":
                return self._identifier(path, node)
            case "member_expression":
                return self._member(path, node)
            case "this":
                found = self.values.this(path, node)
                return self.narrowing.of(path, node, found)
            case "super":
                return self.properties.bases_of(self.values.this(path, node))
            case "call_expression":
                return self.calls.of(path, node)
            case "new_expression":
                return self.calls.of_new(path, node)
            case "await_expression":
                return awaited(self.all(path, [first]))
            case "parenthesized_expression" | "non_null_expression":
                return self.all(path, [first])
            case "satisfies_expression":
                return self.all(path, [first])
            case "as_expression":
                return self._cast(path, node)
            case "type_assertion":
                listed = first.named_children if first is not None else ()
                return self.written.annotated(path, listed[0]) if listed else NOT_KNOWN
            case "ternary_expression":
                parts = ("consequence", "alternative")
                return self.all(path, [node.child_by_field_name(part) for part in parts])
            case "assignment_expression":
                return self.all(path, [node.child_by_field_name("right")])
            case "sequence_expression":
                return self.all(path, node.named_children[-1:])
            case "binary_expression":
                return self._binary(path, node)
            case "unary_expression":
                sign = node.children[0].type
                return builtin(_UNARY[sign]) if sign in _UNARY else self._number(path, first)
            case "update_expression":
                return self._number(path, first)
            case "subscript_expression":
                object_, index = (node.child_by_field_name(part) for part in ("object", "index"))
                found = self.subscript(self.all(path, [object_]), self.all(path, [index]))
                return self.narrowing.of(path, node, found)
            case "array":
                return self._array(path, node)
            case "object":
                return frozenset(
                    {Type("expression", path, "object", start=node.start_byte, end=node.end_byte)}
                )
            case "class":
                return self.values.of_class(path, node)
            case _ if kind in _FUNCTION_LIKE:
                return frozenset(
                    {Type("expression", path, "function", start=node.start_byte, end=node.end_byte)}
                )
            case _ if kind.startswith("jsx_"):
                return builtin("JSX")
            case _:
                return NOT_KNOWN

    def _identifier(self, path: str, node: Node) -> Types:
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        name = tree.text(node)
        if name == "undefined":
            return NOTHING
        found: Types = NOTHING
        for bound in tree.bound(name, node):
            found |= self.values.of_binding(path, bound, name)
        if not tree.bound(name, node):
            found = self._free(path, name)
        return self.narrowing.of(path, node, found)

    def _free(self, path: str, name: str) -> Types:
        """The types of a name that is bound nowhere around its place."""
        declared = self._members.named(path, (name,))
        if declared:
            return NOTHING.union(*(self.values.of(one) for one in declared))
        if builtins.static_members(name) is not None or builtins.members(name) is not None:
            return frozenset({Type("builtin", name=f"typeof {name}")})
        declared = self._members.global_(path, (name,))
        return NOTHING.union(*(self.values.of(one) for one in declared)) or NOT_KNOWN

    def _member(self, path: str, node: Node) -> Types:
        object_ = node.child_by_field_name("object")
        property_ = node.child_by_field_name("property")
        tree = self._files.tree(path)
        if object_ is None or property_ is None or tree is None:
            return NOT_KNOWN
        name = tree.text(property_)
        declared = self._modules.member(path, object_, name)
        if declared:
            found = NOTHING.union(*(self.values.of(one) for one in declared))
        else:
            owners = self.of(path, object_)
            found = NOTHING.union(*(self.properties.of(owner, name) for owner in owners))
        return self.narrowing.of(path, node, found)

    def _cast(self, path: str, node: Node) -> Types:
        listed = node.named_children
        if len(listed) < 2:  # noqa: PLR2004 - ``as const``
            return self.all(path, listed[:1])
        return self.written.annotated(path, listed[-1])

    def _binary(self, path: str, node: Node) -> Types:
        sign = self._text(path, node.children[1]) if len(node.children) > 1 else ""
        left, right = (node.child_by_field_name(part) for part in ("left", "right"))
        if sign == "&&":
            return self.all(path, [right])
        if sign in _CHOOSING:
            return self.all(path, [left, right])
        if sign in _BOOLEAN:
            return builtin("boolean")
        numbers = self._number(path, left, right)
        if sign != "+" or len(numbers) == 1:
            return numbers
        both = self.all(path, [left, right])
        is_text = any(one.name and _scalar(one) == "string" for one in both)
        return builtin("string") if is_text else numbers | builtin("string")

    def _number(self, path: str, *operands: Node | None) -> Types:
        """What arithmetic gives: a number or a bigint, as its operands tell."""
        each = [self.all(path, [operand]) for operand in operands]
        names = {_scalar(one) for one in NOTHING.union(*each)}
        if names == {"bigint"}:
            return builtin("bigint")
        if all(each) and names <= {"number", "boolean"}:
            return builtin("number")
        return builtin("number") | builtin("bigint")

    def _array(self, path: str, node: Node) -> Types:
        found: Types = NOTHING
        for child in node.named_children:
            if child.is_extra:
                continue
            if child.type == "spread_element":
                found |= element(self.all(path, child.named_children[:1]))
            else:
                found |= self.of(path, child)
        return builtin("Array", found)

    def _text(self, path: str, node: Node) -> str:
        tree = self._files.tree(path)
        return tree.text(node) if tree is not None else ""


def _scalar(one: Type) -> str:
    """The name of a type, for a literal that of its scalar."""
    return literal_scalar(one.name) or one.name
