"""The declarations that a name at a place in a file stands for."""

from collections.abc import Collection

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.augmentations import Augmentations
from ipuaro_jupyter.index.binding.inference.receivers import Receivers
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.module_names import ModuleNames
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_member
from ipuaro_jupyter.languages.language import Node

_WHOLE_EXPORTS = ("module.exports", "exports")
_SHORTHANDS = frozenset({"shorthand_property_identifier", "shorthand_property_identifier_pattern"})


class NameResolver:
    """Resolves names, among the files of an index.

    Args:
        files: The files.
        aliases: Follows names through imports.
        augmentations: Finds what files add to others.
    """

    def __init__(
        self, files: OpenedFiles, aliases: AliasResolver, augmentations: Augmentations
    ) -> None:
        self._files = files
        self._aliases = aliases
        self.members = Members(files, aliases, augmentations)
        self._modules = ModuleNames(files, aliases, self.members)
        self._receivers = Receivers(files, self.members, self._modules, aliases)

    def of(self, path: str, name: str, offset: int) -> Found | None:
        """The declarations that ``name`` at ``offset`` (in bytes) stands for.

        None when there is no syntax tree of the file.
        """
        checkpoint()
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if tree is None or node is None:
            return None
        qualified = self._files.file(path).declared_at.get(offset)
        if qualified is not None and not self.members.is_imported(path, name):
            return {(path, qualified)} | self._declared_also(path, node, name)
        if is_member(node):
            return self._member(path, node, name)
        if _is_element(node) and name[0].islower():
            return set()
        found = self._specified(path, tree, node)
        if found is None and (module := self._modules.around(path, node)) is not None:
            found = self.members.exported(module, (name,))
        if found is not None:
            return found
        return self._bound(path, tree, node, name)

    def named_member(self, owner: Declaration, name: str) -> Found:
        """The declarations of a member of a type or value, also of an inherited one."""
        return self.members.find(owner, name) or self._receivers.of_value(owner, name)

    def _declared_also(self, path: str, node: Node, name: str) -> Found:
        """What a name that is declared at a place stands for as well: the member of a type."""
        if _is_key(node):
            return self._key(path, node, name)
        return self._member(path, node, name) if _is_assigned(node) else set()

    def _bound(self, path: str, tree: SourceTree, node: Node, name: str) -> Found:
        """The declarations of the variable or the type that a name stands for."""
        found: Found = set()
        bounds = tree.bound(name, node)
        for declared in bounds:
            found |= self._modules.bound(path, declared, name)
        if not bounds and tree.is_broken and self.members.is_imported(path, name):
            found = self.members.named(path, (name,))  # by a statement with an error
        elif not bounds:
            found = self.members.global_(path, (name,))
        if node.type in _SHORTHANDS:
            found |= self._key(path, node, name)
        return found

    def is_member(self, path: str, name: str, offset: int) -> bool:
        """Whether the name at ``offset`` is that of a member of anything, or a key.

        Not the one that a class or interface without bases declares: that is no other type's.
        """
        owner = self._files.file(path).declared_at.get(offset, "").rpartition(".")[0]
        if self.members.stands_alone((path, owner)):
            return False
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        return node is not None and (is_member(node) or node.type in _SHORTHANDS)

    def is_open(
        self, path: str, name: str, offset: int, wanted: Collection[Declaration] = ()
    ) -> bool:
        """Whether the name at ``offset`` is a member of something without a known type.

        Args:
            path: The file.
            name: The name.
            offset: Its first byte.
            wanted: The members that it may be.
        """
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if node is None or node.parent is None:
            return False
        if not is_member(node) and node.type not in _SHORTHANDS:
            return False
        object_ = node.parent.child_by_field_name("object")
        if object_ is None:
            return offset not in self._files.file(path).declared_at
        if not self._modules.member(path, object_, name).isdisjoint(wanted):
            return True  # of the value with the name of a type, whose members are not all known
        return not self._receivers.is_outside(path, object_, name, wanted)

    def is_free(self, path: str, name: str, offset: int) -> bool:
        """Whether the name at ``offset`` is bound nowhere in its file, so that it may be global."""
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if tree is None or node is None or is_member(node):
            return False
        if _is_element(node) and name[0].islower():
            return False
        return self._specified(path, tree, node) is None and not tree.bound(name, node)

    def quoted(self, path: str, name: str, offset: int) -> Found:
        """The declarations of a member whose name is in quotes, as in ``cat["name"]``.

        Args:
            path: The file.
            name: The name.
            offset: The byte behind the quote.
        """
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        string = node.parent if node is not None and node.type == "string_fragment" else None
        return self._receivers.quoted(path, string, name) if string is not None else set()

    def is_reassigned(self, path: str, node: Node) -> bool:
        """Whether the object of a member may get a value of an unknown type, in JavaScript.

        Args:
            path: The file.
            node: The name of the member, or the string with it; other nodes have no object.
        """
        object_ = node.parent.child_by_field_name("object") if node.parent is not None else None
        return object_ is not None and self._receivers.is_reassigned(path, object_)

    def classes(self, path: str, node: Node) -> Found:
        """The classes that an expression may stand for, as ``this`` does in a static method."""
        return self._receivers.classes(path, node)

    def of_shorthand(self, path: str, name: str, offset: int) -> tuple[Found, Found] | None:
        """The declarations of the variable and of the key that ``{ name }`` stands for.

        None when the name at ``offset`` is no shorthand.
        """
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if tree is None or node is None or node.type not in _SHORTHANDS:
            return None
        bound = [self._modules.bound(path, declared, name) for declared in tree.bound(name, node)]
        return {found for some in bound for found in some}, self._key(path, node, name)

    def _specified(self, path: str, tree: SourceTree, node: Node) -> Found | None:
        """The declarations of a name in ``import { a as b }`` or ``export { a as b }``.

        None for a name elsewhere.
        """
        specifier = node.parent
        if specifier is None or specifier.type not in {"import_specifier", "export_specifier"}:
            return None
        outer = specifier.child_by_field_name("name")
        if outer is None:
            return None
        module = self._module_of(path, tree, specifier)
        if module is not None:
            return self.members.exported_or_added(module, tree.text(outer))
        if specifier.type == "import_specifier":
            return set()
        local = tree.text(outer)
        found: Found = set()
        for declared in tree.bound(local, outer):
            found |= self._modules.bound(path, declared, local)
        return found

    def _module_of(self, path: str, tree: SourceTree, specifier: Node) -> str | None:
        """The file that the statement around a specifier refers to."""
        statement = specifier.parent
        while statement is not None and statement.child_by_field_name("source") is None:
            statement = statement.parent
        source = statement.child_by_field_name("source") if statement is not None else None
        if source is None:
            return None
        return self._aliases.target(path, tree.text(source)[1:-1])

    def _member(self, path: str, node: Node, name: str) -> Found:
        """The declarations of a member's name."""
        parent = node.parent
        if parent is None:
            return set()
        object_ = parent.child_by_field_name("object") or parent.child_by_field_name("module")
        if object_ is None:
            return self._key(path, node, name)
        named = self._modules.member(path, object_, name)
        found = {one for one in named if self._receivers.is_of_itself(one)}
        return found | self._receivers.member(path, node, name)

    def _key(self, path: str, node: Node, name: str) -> Found:
        """The declarations of a key in an object literal or a destructuring pattern."""
        parent = node.parent
        if parent is None:
            return set()
        in_pattern = parent.type in {"object_pattern", "pair_pattern", "object_assignment_pattern"}
        inner = parent.child_by_field_name("value") if parent.type == "pair_pattern" else node
        if in_pattern:
            found = self._modules.required(path, inner, name) if inner is not None else set()
            value = _destructured(parent) if not found else None
            found = found or (self._modules.member(path, value, name) if value else set())
        else:
            found = self._exported_key(path, parent, name)
        return found or self._receivers.key(path, node, name)

    def _exported_key(self, path: str, parent: Node, name: str) -> Found:
        """The declarations of a key in ``module.exports = { key: value }``."""
        tree = self._files.tree(path)
        literal = parent if parent.type == "object" else parent.parent
        assignment = literal.parent if literal is not None else None
        if tree is None or assignment is None or assignment.type != "assignment_expression":
            return set()
        left = assignment.child_by_field_name("left")
        is_whole = left is not None and tree.text(left) in _WHOLE_EXPORTS
        return self.members.exported(path, (name,)) if is_whole else set()


def _is_key(node: Node) -> bool:
    """Whether a declaring name is the key of a property in an object."""
    parent = node.parent
    if node.type in _SHORTHANDS or parent is None or parent.type == "pair":
        return True
    around = parent.parent
    return parent.type == "method_definition" and around is not None and around.type == "object"


def _is_assigned(node: Node) -> bool:
    """Whether a name is that of a member in ``a.b = …``, which declares it, or sets one."""
    return node.parent is not None and node.parent.type == "member_expression"


def _destructured(node: Node) -> Node | None:
    """The value whose keys a pattern reads directly, from the pattern or a part of it."""
    pattern = node if node.type == "object_pattern" else node.parent
    declarator = pattern.parent if pattern is not None else None
    if declarator is None or declarator.type != "variable_declarator":
        return None
    return declarator.child_by_field_name("value")


def _is_element(node: Node) -> bool:
    """Whether a name is the whole name of a JSX element."""
    return node.parent is not None and node.parent.type.startswith("jsx_")
