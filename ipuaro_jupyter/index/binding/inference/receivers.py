"""What the name of a member stands for, by the type of what it is a member of."""

from collections.abc import Collection

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.inference.assignments import ASSIGNING
from ipuaro_jupyter.index.binding.inference.inferred_type import NOTHING, UNKNOWN, Type, Types
from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.module_names import ModuleNames
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.languages.language import Node

_BUILT_IN = frozenset({"Array", "Tuple", "Promise", "string", "number", "boolean", "bigint"})
_SIGNS = frozenset("'\"0123456789")
"""The first characters of types that are literals."""
_AROUND = frozenset({"parenthesized_expression", "as_expression", "non_null_expression"})
_PATTERNS = frozenset({"object_pattern", "pair_pattern", "object_assignment_pattern"})


class Receivers:
    """Resolves members' names by types, among the files of an index.

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
        self._types = TypesOf(files, members, modules, aliases)
        self._above: dict[tuple[Declaration, Declaration], bool] = {}

    def member(self, path: str, node: Node, name: str) -> Found:
        """The declarations of a member's name."""
        self._types.begin()
        parent = node.parent
        object_ = parent.child_by_field_name("object") if parent is not None else None
        if object_ is None:
            return set()
        return self._of(self._types.of(path, object_), name)

    def is_of_itself(self, member: Declaration) -> bool:
        """Whether a class or object has a member itself, and not only its instances."""
        outer, dot, name = member[1].rpartition(".")
        return not dot or self._types.properties.declares(Type("value", member[0], outer), name)

    def classes(self, path: str, node: Node) -> Found:
        """The classes that an expression may stand for, as ``this.constructor`` does."""
        self._types.begin()
        inner = node
        while inner.type in _AROUND and inner.named_children:
            inner = inner.named_children[0]
        property_ = inner.child_by_field_name("property")
        object_ = inner.child_by_field_name("object")
        if object_ is not None and property_ is not None and property_.text == b"constructor":
            owners, kind = self._types.of(path, object_), "instance"
        else:
            owners, kind = self._types.of(path, node), "value"
        return {(one.path, one.name) for one in owners if one.kind == kind}

    def is_reassigned(self, path: str, object_: Node) -> bool:
        """Whether a variable of JavaScript is assigned a value of an unknown type anywhere.

        In TypeScript the declaration decides, with or without an annotation.
        """
        self._types.begin()
        language, tree = is_understood(path), self._files.tree(path)
        while object_.type == "parenthesized_expression" and object_.named_children:
            object_ = object_.named_children[0]
        if tree is None or language is None or language.name != "javascript":
            return False
        if object_.type != "identifier":
            return False
        name = tree.text(object_)
        own = {bound.node.start_byte for bound in tree.bound(name, object_)}
        return any(
            {bound.node.start_byte for bound in tree.bound(name, one)} == own
            and one.start_byte not in own
            and self._is_unknown(path, one)
            for one in self._types.assignments.of(tree, path, name)
        )

    def _is_unknown(self, path: str, target: Node) -> bool:
        """Whether the type of what is assigned is not known, as that of a part of a value."""
        around = target.parent
        value = around.child_by_field_name("right") if around is not None else None
        if around is None or value is None or around.type not in ASSIGNING:
            return True
        return UNKNOWN in self._types.of(path, value)

    def of_value(self, declared: Declaration, name: str) -> Found:
        """The declarations of a member of the value that a declaration declares."""
        self._types.begin()
        return self._of(self._types.values.of(declared), name)

    def key(self, path: str, node: Node, name: str) -> Found:
        """The declarations of a key of an object literal or pattern, or of an attribute."""
        self._types.begin()
        parent = node.parent
        if parent is None:
            return set()
        if parent.type in _PATTERNS:
            pattern = parent if parent.type == "object_pattern" else parent.parent
            if pattern is None:
                return set()
            return self._of(self._types.values.of_pattern(path, pattern), name)
        if parent.type == "jsx_attribute":
            element = parent.parent
            owners = self._types.expectations.properties(path, element) if element else NOTHING
            return self._of(owners, name)
        literal = parent if parent.type == "object" else parent.parent
        if literal is None or literal.type != "object":
            return set()
        return self._of(self._types.expectations.of_literal(path, literal), name)

    def quoted(self, path: str, string: Node, name: str) -> Found:
        """The declarations of a member that a string names: ``a["b"]``, ``{ "b": 1 }``, ``A["b"]``.

        Args:
            path: The file.
            string: The string.
            name: What is in it.
        """
        self._types.begin()
        around = string.parent
        if around is None:
            return set()
        if around.type == "pair" and around.child_by_field_name("key") == string:
            return self.key(path, string, name)
        if around.type == "subscript_expression":
            object_ = around.child_by_field_name("object")
            is_index = around.child_by_field_name("index") == string
            owners = self._types.of(path, object_) if object_ is not None and is_index else NOTHING
            return self._of(owners, name)
        lookup = around.parent if around.type == "literal_type" else None
        if lookup is None or lookup.type != "lookup_type":
            return set()
        return self._of(self._types.written.annotated(path, lookup.named_children[0]), name)

    def is_outside(
        self, path: str, object_: Node, name: str, wanted: Collection[Declaration]
    ) -> bool:
        """Whether the type of an expression says that its member is none of those wanted.

        It is an array, a promise, a scalar, an object written on the spot, or a class without the
        member. But where a class below that one has it, the type is narrower at this place.
        """
        self._types.begin()
        owners = self._types.of(path, object_)
        return bool(owners) and all(self._has_other(one, name, wanted) for one in owners)

    def _has_other(self, owner: Type, name: str, wanted: Collection[Declaration]) -> bool:
        declared = self._types.properties.declarations(owner, name)
        if owner.kind == "builtin":
            return not declared and (owner.name in _BUILT_IN or owner.name[:1] in _SIGNS)
        if owner.kind in {"written", "expression"}:
            return declared is not None and not declared
        return declared is not None and not any(
            self._is_above((owner.path, owner.name), one) for one in wanted
        )

    def _is_above(self, base: Declaration, member: Declaration) -> bool:
        heir = (member[0], member[1].rpartition(".")[0])
        if (heir, base) not in self._above:
            self._above[heir, base] = self._members.inherits(heir, base)
        return self._above[heir, base]

    def _of(self, owners: Types, name: str) -> Found:
        read = (self._types.properties.declarations(owner, name) for owner in owners)
        return {one for declared in read for one in declared or ()}
