"""Names from other files: imported ones, and members of modules."""

import re

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.function_nodes import arguments
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.binder import Binding, may_load
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
from ipuaro_jupyter.languages.language import Node

_NEAR = 300
_BLANK = r"(?>(?:\s|/\*(?>(?:[^*]|\*(?!/))*)\*/|//[^\n]*+\n)*)"
_CALLED = rf"import{_BLANK}\({_BLANK}['\"]([^'\"]*)['\"](?:{_BLANK},[^()]*+)?{_BLANK}\)"
_IMPORT_TYPE = re.compile(rf"\b{_CALLED}{_BLANK}\.{_BLANK}$".encode())
_TYPEOF_IMPORT = re.compile(rf"typeof\s+{_CALLED}")
_CHAINS = frozenset({"member_expression", "nested_identifier"})
_WRAPPERS = frozenset({"parenthesized_expression", "non_null_expression", "await_expression"})
_NAMES = frozenset({"identifier", "type_identifier"})
_MOST_LINKS = 30
_EXPORTS = ("module", "exports")


class ModuleNames:
    """Resolves names of other modules, among the files of an index.

    Args:
        files: The files.
        aliases: Follows names through imports.
        members: The declarations of the files.
    """

    def __init__(self, files: OpenedFiles, aliases: AliasResolver, members: Members) -> None:
        self._files = files
        self._aliases = aliases
        self._members = members

    def bound(self, path: str, declared: Binding, name: str) -> Found:
        """The declarations that a name declared in a file stands for."""
        if self.is_imported(path, declared, name):
            return self._members.named(path, (name,)) or self._members.added_export(path, name)
        qualified = self._files.file(path).declared_at.get(declared.node.start_byte)
        return set() if qualified is None else {(path, qualified)}

    def is_imported(self, path: str, declared: Binding, name: str) -> bool:
        """Whether a name is that of an import, ``const { a } = require("x")`` included."""
        if declared.is_import:
            return True
        data = self._files.file(path).data
        return (
            data is not None and may_load(data, declared) and self._members.is_imported(path, name)
        )

    def required(self, path: str, local: Node, key: str) -> Found:
        """The declarations of ``key`` in ``const { key: local } = require("x")``."""
        tree = self._files.tree(path)
        name = tree.text(local) if tree is not None and local.type in _NAMES else ""
        if not any(imported == key for _, imported in self._aliases.imported(path, name)):
            return set()
        return self._members.named(path, (name,))

    def around(self, path: str, node: Node) -> str | None:
        """The file in ``import("x").Name``, a type whose name is ``node``."""
        data = self._files.file(path).data or b""
        start = node.start_byte
        begin = max(0, start - _NEAR)
        if b"import" not in data[begin:start]:
            return None
        found = _IMPORT_TYPE.search(data, begin, start)
        return None if found is None else self._aliases.target(path, found[1].decode())

    def member(self, path: str, object_: Node, name: str) -> Found:
        """The declarations of ``name`` when ``object_`` stands for a module.

        Also when it stands for a namespace in a module, or at the top of the file.
        """
        tree = self._files.tree(path)
        names, node = [name], _unwrapped(object_)
        for _ in range(_MOST_LINKS):
            if tree is None or node.type not in _CHAINS:
                break
            inner, last = node.child_by_field_name("object"), node.child_by_field_name("property")
            if inner is None or last is None:
                return set()
            names.append(tree.text(last))
            node = _unwrapped(inner)
        if tree is None:
            return set()
        return self._chain(path, tree, node, names[::-1])

    def _chain(self, path: str, tree: SourceTree, first: Node, names: list[str]) -> Found:
        """The declarations of a chain of names that begins at a node."""
        is_name = first.type in _NAMES
        local = tree.text(first) if is_name else ""
        told = _TYPEOF_IMPORT.fullmatch(local)  # a name to the grammar
        if told is not None or not is_name:
            module = self._aliases.target(path, told[1]) if told else self.loaded(path, first)
            return set() if module is None else self._members.exported(module, tuple(names))
        module = self.around(path, first)
        if module is not None:
            return self._members.exported(module, (local, *names))
        declared = tree.bound(local, first)
        if declared:
            is_known = any(self.is_imported(path, b, local) or tree.is_at_top(b) for b in declared)
            return self._members.named(path, (local, *names)) if is_known else set()
        if local in _EXPORTS:
            rest = names if local == "exports" else names[1:]
            if rest and [local, *names][-len(rest) - 1] == "exports":
                return self._members.exported(path, tuple(rest))
        chain = (local, *names)
        return self._members.named(path, chain) or self._members.global_(path, chain)

    def loaded(self, path: str, call: Node) -> str | None:
        """The file that ``require("x")`` or ``import("x")`` loads; None for anything else."""
        tree = self._files.tree(path)
        function, given = call.child_by_field_name("function"), arguments(call)
        if tree is None or function is None or not given:
            return None
        if tree.text(function) not in {"require", "import"}:
            return None
        return self._aliases.target(path, tree.text(given[0])[1:-1])


def _unwrapped(node: Node) -> Node:
    """The expression inside parentheses, before ``!``, or after ``await``."""
    for _ in range(_MOST_LINKS):
        if node.type not in _WRAPPERS or not node.named_children:
            break
        node = node.named_children[0]
    return node
