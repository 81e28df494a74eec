"""The types of expressions: the classes, interfaces, objects or namespaces of their members.

Types are only taken from the source: annotations, ``new``, written return types, and the initial
values of variables.
"""

import re
from collections.abc import Callable, Iterable

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.function_nodes import function_of, receives_first, returned_values
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.module_names import ModuleNames
from ipuaro_jupyter.index.binding.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.binding.type_names import type_names
from ipuaro_jupyter.index.extract.ecmascript.binder import Binding
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
from ipuaro_jupyter.languages.language import Node

_MOST_DEPTH = 40
_MOST_EXTENDED = 4
_BEFORE_TYPE = re.compile(r"\s*(?::|extends\b)\s*")
_AS_AROUND = frozenset(
    {"array_pattern", "rest_pattern", "object_assignment_pattern", "assignment_pattern"}
)
_IN_PATTERN = frozenset({"pair_pattern", "object_assignment_pattern", "assignment_pattern"})
_OWN_THIS = frozenset(
    {
        *("method_definition", "function_expression", "function_declaration"),
        *("generator_function", "generator_function_declaration"),
    }
)
_FIELDS = frozenset({"public_field_definition", "field_definition"})
_INNER = {  # how many type arguments count; an array stands for its elements
    "parenthesized_expression": 1,
    "await_expression": 1,
    "non_null_expression": 1,
    "spread_element": 1,
    "array": 5,
}
_OF_EACH = frozenset(
    {
        *("forEach", "map", "filter", "find", "findLast", "findIndex", "some", "every"),
        *("flatMap", "sort", "then"),
    }
)
"""Methods that call a function with elements of their object."""
_CASTS = frozenset({"as_expression", "satisfies_expression"})
_PARTS = {
    "ternary_expression": ("consequence", "alternative"),
    "binary_expression": ("left", "right"),
    "assignment_expression": ("right",),
    "subscript_expression": ("object",),
    "new_expression": ("constructor",),
    "member_expression": (),
}


class ExpressionTypes:
    """Finds the types of expressions, among the files of an index.

    Args:
        files: The files.
        members: Their declarations.
        modules: Resolves names from other files.
    """

    def __init__(self, files: OpenedFiles, members: Members, modules: ModuleNames) -> None:
        self._files = files
        self._members = members
        self._modules = modules
        self._depth = 0
        self._known: dict[tuple[str, int, int], Found] = {}
        self._by_kind: dict[str, Callable[[OpenedFile, Node], Found]] = {
            "identifier": self._variable,
            "this": self._this,
            "super": self._super,
            "member_expression": self._property,
            "nested_identifier": self._property,
            "call_expression": self._call,
        }

    def of(self, path: str, node: Node) -> Found:
        """The possible types of an expression, as the declarations that have its members."""
        key = path, node.start_byte, node.end_byte
        if key in self._known or self._depth >= _MOST_DEPTH:
            return self._known.get(key, set())
        checkpoint()
        self._known[key] = set()  # for a circle back to here
        self._depth += 1
        try:
            self._known[key] = self._of(self._files.file(path), node)
        finally:
            self._depth -= 1
        return self._known[key]

    def pattern_source(self, path: str, node: Node) -> Found:
        """The types of the value that an object pattern with this name destructures."""
        tree, around = self._files.tree(path), node.parent
        while around is not None and around.type in _IN_PATTERN:
            around = around.parent
        if tree is None or around is None or around.type != "object_pattern":
            return set()
        return self._taken(path, tree, around)

    def _of(self, file: OpenedFile, node: Node) -> Found:
        tree = self._files.tree(file.path)
        if tree is None:
            return set()
        reader = self._by_kind.get(node.type)
        if reader is not None:
            return reader(file, node)
        if node.type in _INNER:
            return self._all(file.path, node.named_children[: _INNER[node.type]])
        if node.type in _CASTS:
            return self._members.typed(file.path, tree.text(node.named_children[-1]))
        if node.type == "type_assertion":
            return self._members.typed(file.path, tree.text(node.named_children[0]).strip("<>"))
        parts = (node.child_by_field_name(part) for part in _PARTS.get(node.type, ()))
        return self._all(file.path, [part for part in parts if part is not None])

    def _all(self, path: str, nodes: Iterable[Node]) -> Found:
        return {found for node in nodes for found in self.of(path, node)}

    def _variable(self, file: OpenedFile, node: Node) -> Found:
        """The variable itself, and the types of its annotation or value."""
        tree = self._files.tree(file.path)
        assert tree is not None  # noqa: S101 - `_of` has looked
        name = tree.text(node)
        found: Found = set()
        for declared in tree.bound(name, node):
            symbols = self._modules.bound(file.path, declared, name)
            found |= symbols
            if self._modules.is_imported(file.path, declared, name):
                for path, qualified in symbols:
                    found |= self._value_of(path, qualified)
            else:
                found |= self._declared(file.path, tree, declared)
        return found

    def _value_of(self, path: str, qualified: str) -> Found:
        """The types of the value of a variable in another file."""
        other, tree = self._files.file(path), self._files.tree(path)
        found: Found = set()
        for offset in other.definitions.get(qualified, ()) if tree is not None else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            name = qualified.rpartition(".")[2]
            node = tree.node(offset, name)
            for declared in tree.bound(name, node) if node is not None else ():
                if declared.node.start_byte == offset:
                    found |= self._declared(path, tree, declared)
        return found

    def _declared(self, path: str, tree: SourceTree, declared: Binding) -> Found:
        """The types of the variable or parameter that a declaration declares."""
        if declared.owner.type == "class":
            return self._holder(self._files.file(path), declared.owner)
        return set() if declared.is_import else self._taken(path, tree, declared.node)

    def _taken(self, path: str, tree: SourceTree, node: Node) -> Found:
        """The types that a name or pattern gets from the declaration around it."""
        around = node.parent
        if around is None:
            return set()
        kind = around.type
        is_rest = kind == "object_pattern" and node.type == "rest_pattern"
        if is_rest or kind in _AS_AROUND:
            given = self._taken(path, tree, around)
            by_default = around.named_children[-1:] if kind == "assignment_pattern" else ()
            return given or self._all(path, by_default)
        if kind == "pair_pattern" and around.parent is not None:
            return self._part(path, tree, around.parent, around.child_by_field_name("key"))
        if kind == "object_pattern":
            return self._part(path, tree, around, node)
        return self._typed(path, tree, node if kind == "formal_parameters" else around)

    def _part(self, path: str, tree: SourceTree, pattern: Node, key: Node | None) -> Found:
        """The types of a property of the value that an object pattern destructures."""
        if key is not None and key.type == "object_assignment_pattern":
            key = key.named_children[0]
        if key is None:
            return set()
        name = tree.text(key)
        owners = self._taken(path, tree, pattern)
        return {found for owner in owners for found in self._parts(owner, name)}

    def _parts(self, owner: Declaration, name: str) -> Found:
        return self._members.find(owner, name) | self.member_type(owner, name)

    def _typed(self, path: str, tree: SourceTree, owner: Node) -> Found:
        """The types of a declaration's annotation, else of its value."""
        annotation = owner.child_by_field_name("type")
        if annotation is not None:
            return self.annotated(path, annotation)
        field = "right" if owner.type == "for_in_statement" else "value"
        value = owner.child_by_field_name(field)
        return self._given_to(path, tree, owner) if value is None else self.of(path, value)

    def _given_to(self, path: str, tree: SourceTree, owner: Node) -> Found:
        """The types of the first parameter of a callback such as ``list.forEach(each => …)``."""
        callee = receives_first(owner)
        object_ = callee.child_by_field_name("object") if callee is not None else None
        method = callee.child_by_field_name("property") if callee is not None else None
        if object_ is None or method is None or tree.text(method) not in _OF_EACH:
            return set()
        return self.of(path, object_)

    def annotated(self, path: str, annotation: Node, depth: int = 0) -> Found:
        """The types that an annotation names; for type parameters, their constraints."""
        tree = self._files.tree(path)
        text = tree.text(annotation) if tree is not None else ""
        found: Found = set()
        for names in type_names(_BEFORE_TYPE.sub("", text, count=1)):
            assert tree is not None  # noqa: S101 - there is no text otherwise
            parameter = tree.parameter(names[0], annotation.start_byte)
            if parameter is None:
                found |= self._members.named(path, names)
                continue
            extended = parameter.owner.child_by_field_name("constraint")
            if extended is not None and depth < _MOST_EXTENDED:
                found |= self.annotated(path, extended, depth + 1)
        return found

    def _this(self, file: OpenedFile, node: Node) -> Found:
        """The class or object that ``this`` means at a place."""
        inner: Node = node
        around = node.parent
        while around is not None:
            if around.type in {"class_body", "class_static_block"}:
                return self._holder(file, around.parent)
            if inner.type in _OWN_THIS and around.type in {"object", "pair"}:
                literal = around.parent if around.type == "pair" else around
                return self._holder(file, literal.parent if literal is not None else None)
            if inner.type in _OWN_THIS and inner.type != "method_definition":
                return self._holder(file, inner)
            inner, around = around, around.parent
        return set()

    def _holder(self, file: OpenedFile, node: Node | None) -> Found:
        """The declaration of a class, function or variable with an object, given its node."""
        if node is None:
            return set()
        for holder in (node, node.parent):  # const A = class B {} declares A
            name = holder.child_by_field_name("name") if holder is not None else None
            qualified = file.declared_at.get(name.start_byte) if name is not None else None
            if qualified is not None:
                return {(file.path, qualified)}
        return set()

    def _super(self, file: OpenedFile, node: Node) -> Found:
        return {base for own in self._this(file, node) for base in self._members.bases(own)}

    def _property(self, file: OpenedFile, node: Node) -> Found:
        """The types of ``object.property``."""
        tree = self._files.tree(file.path)
        object_ = node.child_by_field_name("object")
        property_ = node.child_by_field_name("property")
        if tree is None or object_ is None or property_ is None:
            return set()
        name = tree.text(property_)
        found = self._modules.member(file.path, object_, name)
        for path, qualified in tuple(found):
            found |= self._value_of(path, qualified)
        for owner in self.of(file.path, object_):
            found |= self._parts(owner, name)
        return found

    def _call(self, file: OpenedFile, node: Node) -> Found:
        """The types that a call returns, as far as they are written."""
        function = node.child_by_field_name("function")
        if function is None or self._files.tree(file.path) is None:
            return set()
        found: Found = set()
        callees = self.of(file.path, function)
        for callee in callees:
            texts = self._members.return_types(callee)
            is_itself = texts == ["this"]
            if not is_itself:
                found |= self._members.agreed(callee[0], texts)
            if not texts:
                returned, is_itself = self._returned(*callee)
                found |= returned
            if is_itself and function.type == "member_expression":
                found |= self._all(file.path, function.named_children[:1])
        return found

    def _returned(self, path: str, qualified: str) -> tuple[Found, bool]:
        """The types that a function without a return type returns, and whether one is ``this``."""
        tree = self._files.tree(path)
        found: Found = set()
        is_itself = False
        name = qualified.rpartition(".")[2]
        for offset in self._files.file(path).definitions.get(qualified, ()) if tree else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            node = tree.node(offset, name)
            function = function_of(node.parent) if node is not None else None
            for value in returned_values(function) if function is not None else ():
                is_itself = is_itself or value.type == "this"
                found |= self.of(path, value) if value.type != "this" else set()
        return found, is_itself

    def member_type(self, owner: Declaration, name: str) -> Found:
        """The types of a property, by its annotation or value."""
        found: Found = set()
        for member in self._members.find(owner, name):
            texts = self._members.types(member)
            for text in texts:
                found |= self._members.typed(member[0], text)
            if not texts:
                found |= self._given(*member)
        return found or self._assigned(owner, name) or self._in_literal(owner, name)

    def _in_literal(self, owner: Declaration, name: str) -> Found:
        """The types of a property in the object literal of a variable."""
        path, qualified = owner
        tree = self._files.tree(path)
        found: Found = set()
        for offset in self._files.file(path).definitions.get(qualified, ()) if tree else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            node = tree.node(offset, qualified.rpartition(".")[2])
            value = node.parent.child_by_field_name("value") if node and node.parent else None
            for pair in value.named_children if value and value.type == "object" else ():
                key = pair.child_by_field_name("key")
                given = pair.child_by_field_name("value")
                if key is not None and given is not None and tree.text(key) == name:
                    found |= self.of(path, given)
        return found

    def _given(self, path: str, qualified: str) -> Found:
        """The types of a property's initial value."""
        tree = self._files.tree(path)
        found: Found = set()
        name = qualified.rpartition(".")[2]
        for offset in self._files.file(path).definitions.get(qualified, ()) if tree else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            node = tree.node(offset, name)
            if node is not None and node.parent is not None and node.parent.type in _FIELDS:
                value = node.parent.child_by_field_name("value")
                found |= self.of(path, value) if value is not None else set()
        return found or self._assigned((path, qualified.rpartition(".")[0]), name)

    def _assigned(self, owner: Declaration, name: str) -> Found:
        """The types that ``this.name = …`` in the class itself gives to a property."""
        path = owner[0]
        tree = self._files.tree(path)
        found: Found = set()
        for offset in tree.places(name) if tree is not None else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            node = tree.node(offset, name)
            target = node.parent if node is not None else None
            assignment = target.parent if target is not None else None
            if target is None or assignment is None or target.type != "member_expression":
                continue
            receiver = target.child_by_field_name("object")
            left = assignment.child_by_field_name("left")
            if receiver is None or receiver.type != "this" or left is None or left != target:
                continue
            value = assignment.child_by_field_name("right")
            if value is not None and owner in self._this(self._files.file(path), receiver):
                found |= self.of(path, value)
        return found
