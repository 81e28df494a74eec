"""The declarations that a name at a place in a Python file stands for.

Types are only taken from the source: the first parameter of a method, the annotations of parameters
and variables, the call that makes a value, and return types.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.closure import Closure
from ipuaro_jupyter.index.binding.fixpoint import Fixpoint
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.python_scopes import (
    PythonScopes,
    Scope,
    is_module_path,
    matched_class,
    names_before,
)
from ipuaro_jupyter.index.binding.type_names import split_outside, type_parts
from ipuaro_jupyter.index.extract.postings import MEMBER
from ipuaro_jupyter.index.storage.stored_index import EVERYTHING
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import SyntaxTooDeep, read_syntax

_MOST_DEPTH = 60
_KEPT_MEMBERS = 20_000
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CHAIN = re.compile(rb"(?:(?<![\w\x80-\xff])[\w\x80-\xff]++\s*+\.\s*+)+$")
_CONSTRUCTORS = ("__init__", "__new__")
_Member = tuple[Declaration, str]


class _TypedName(NamedTuple):
    """What has a type: the expression in a range, in bytes, or a name bound in such a scope."""

    path: str
    start: int
    end: int
    name: str = ""


class PythonNameResolver:
    """Resolves names in Python files.

    Args:
        files: The files of an index.
        aliases: Follows names through imports.
    """

    def __init__(self, files: OpenedFiles, aliases: AliasResolver) -> None:
        self._files = files
        self._aliases = aliases
        self.members = Members(files, aliases)
        self._known: dict[str, PythonScopes | None] = {}
        files.when_dropped(self._drop)
        self._types = Fixpoint[_TypedName, Declaration](deepest=_MOST_DEPTH)
        self._bases_of: dict[Declaration, Found] = {}
        self.inherited = Closure[_Member, Declaration](self._look, most=_KEPT_MEMBERS)

    def of(self, path: str, name: str, offset: int) -> Found | None:
        """The declarations that ``name`` at ``offset`` (in bytes) stands for.

        None when the file is not in Python, or the parsing limit is reached.
        """
        file = self.scopes(path)
        if file is None:
            return None
        qualified = self._files.file(path).declared_at.get(offset)
        if qualified is not None:
            return {(path, qualified)}
        node = _node(file, name, offset)
        if node is None or is_module_path(file, node):
            return set()
        begin = next((start for start, stop in file.imports if start <= offset < stop), None)
        if begin is not None:
            return self._imported(path, name, file.syntax.tree.root_node, begin)
        if node.type == "string_content":
            return self._quoted(path, file, node, name, offset)
        return self._used(path, file, node, name)

    def is_open(
        self, path: str, name: str, offset: int, wanted: Collection[Declaration] = ()
    ) -> bool:
        """Whether the name at ``offset`` is an attribute of something without a known type.

        Where a class below the known one has it, the type is narrower at this place.

        Args:
            path: The file.
            name: The name.
            offset: In bytes.
            wanted: The attributes that it may be.
        """
        file = self.scopes(path)
        if file is None:
            return False
        node = _node(file, name, offset)
        parent = node.parent if node is not None else None
        if node is None or parent is None:
            return False
        member, matched = file.source.member(parent), matched_class(file, parent)
        if member is not None and member[1] == node:
            owners = self.types(path, file, member[0])
        elif matched is not None and parent.start_byte == offset:
            owners = self.typed(path, matched)
        elif chain := names_before(file, node):
            owners = self._chain_types(path, file, chain)
        else:
            return False
        known = {owner for owner in owners if self.members.has_members(owner)}
        heirs = {(place, qualified.rpartition(".")[0]) for place, qualified in wanted}
        return not known or any(self._inherits(heir, known) for heir in heirs)

    def _inherits(self, heir: Declaration, owners: Found) -> bool:
        """Whether a class has one of some others among its bases."""
        seen, waiting = {heir}, [heir]
        while waiting:
            bases = self.bases(waiting.pop())
            if not owners.isdisjoint(bases):
                return True
            waiting += bases - seen
            seen |= bases
        return False

    def is_given(self, path: str, name: str, offset: int, lazy: Collection[str]) -> bool:
        """Whether the name at ``offset`` may be what a module's ``__getattr__`` gives.

        Args:
            path: The file.
            name: The name.
            offset: In bytes.
            lazy: The modules that have such a function; without any the file is not looked at.
        """
        file = self.scopes(path) if lazy else None
        node = _node(file, name, offset) if file is not None else None
        if file is None or node is None:
            return False
        member = file.source.member(node.parent) if node.parent is not None else None
        if member is not None and member[1] == node:
            text = "".join(file.source.text(member[0]).split())
            is_bound = file.binding(text.partition(".")[0], offset) is not None
            taken = [] if is_bound else self._aliases.imported(path, text)
            modules = {module for module, imported in taken if imported == EVERYTHING}
        elif any(start <= offset < stop for start, stop in file.imports):
            known = self._aliases.of_file(path)
            pairs = zip(known.module.imports, known.targets, strict=True)
            modules = {to for item, to in pairs if to and name in dict(item.names)}
        else:
            taken = [] if file.binding(name, offset) else self._aliases.imported(path, name)
            modules = {module for module, imported in taken if imported == name}
        given = (self._aliases.exported(module, (name,)) for module in modules & {*lazy})
        return any(not self._existing(declared) for declared in given)

    def _used(self, path: str, file: PythonScopes, node: Node, name: str) -> Found:
        """The declarations of a name outside of imports."""
        parent, offset = node.parent, node.start_byte
        member = file.source.member(parent) if parent is not None else None
        if member is not None and member[1] == node:
            return self._attribute(path, file, member[0], name)
        if chain := names_before(file, node):
            return self._of_chain(path, file, chain, name)
        keywords = file.source.tables.keywords
        if parent is not None and parent.type in keywords and parent.start_byte == offset:
            return self._field(path, file, parent, name)
        return self._existing(self.named(path, file, name, offset))

    def _quoted(
        self, path: str, file: PythonScopes, content: Node, name: str, offset: int
    ) -> Found:
        """The declarations of a name in quotes, in the list of exports or in a type."""
        role = self._files.file(path).role_at(name, offset)
        if role is None:
            return set()
        if role == MEMBER:
            return self._existing(self._aliases.declarations(path, (name,)))
        chain = _CHAIN.search(file.source.data, content.start_byte, offset)
        if chain is None:
            return self._existing(self.named(path, file, name, offset))
        names = (*"".join(chain[0].decode().split()).split(".")[:-1], name)
        if file.binding(names[0], offset) is not None:
            return set()
        return self._existing(self._aliases.declarations(path, names))

    def _imported(self, path: str, name: str, root: Node, begin: int) -> Found:
        """The declarations of a name in the import statement at ``begin``, in bytes."""
        statement = root.descendant_for_byte_range(begin, begin + 1)
        line = statement.start_point.row + 1 if statement is not None else 0
        found = self._aliases.imported_at(path, line, name)
        if found is None:
            found = self._aliases.declarations(path, (name,)) - {(path, name)}
        return self._existing(found)

    def _field(self, path: str, file: PythonScopes, keyword: Node, name: str) -> Found:
        """The attribute that a keyword stands for.

        It is set in a call of a class that has no constructor, and read in a pattern of a class.
        """
        matched = matched_class(file, keyword)
        if matched is not None:
            read = (self.inherited.of((one, name)) for one in self.typed(path, matched))
            return self._existing(set().union(*read))
        listed = keyword.parent
        call = file.source.call(listed.parent) if listed is not None and listed.parent else None
        found: Found = set()
        for owner in self.types(path, file, call[0]) if call is not None else ():
            within = self.scopes(owner[0])
            scopes = within.scopes_by_path.get(owner[1], ()) if within is not None else ()
            is_made = any(self.inherited.of((owner, one)) for one in _CONSTRUCTORS)
            if any(s.is_class for s in scopes) and not is_made:
                found |= self.inherited.of((owner, name))
        return self._existing(found)

    def named(self, path: str, file: PythonScopes, name: str, offset: int) -> Found:
        """The declarations of a name that is no attribute and in no import."""
        scope = file.binding(name, offset)
        if scope is None:
            return self._aliases.declarations(path, (name,))
        return {(path, f"{scope.path}.{name}")}

    def _attribute(self, path: str, file: PythonScopes, object_: Node, name: str) -> Found:
        found: Found = set()
        for owner in self.types(path, file, object_):
            found |= self.inherited.of((owner, name))
        text = "".join(file.source.text(object_).split())
        if _NAME.fullmatch(text):
            names = (*text.split("."), name)
            if file.binding(names[0], object_.start_byte) is None:
                found |= self._aliases.declarations(path, names)
        return self._existing(found)

    def _of_chain(self, path: str, file: PythonScopes, chain: list[Node], name: str) -> Found:
        """The declarations of a name behind others with dots, in a pattern."""
        texts = [file.source.text(node) for node in chain]
        found: Found = set()
        for owner in self._chain_types(path, file, chain):
            found |= self.inherited.of((owner, name))
        if file.binding(texts[0], chain[0].start_byte) is None:
            found |= self._aliases.declarations(path, (*texts, name))
        return self._existing(found)

    def _chain_types(self, path: str, file: PythonScopes, chain: list[Node]) -> Found:
        """What names with dots between them, in a pattern, have the members of."""
        *before, last = chain
        text = file.source.text(last)
        if not before:
            return self._variable(path, file, text, last.start_byte)
        owners = self._of_chain(path, file, before, text)
        return owners | {t for owner in owners for t in self._value_of(*owner)}

    def types(self, path: str, file: PythonScopes, node: Node) -> Collection[Declaration]:
        """The classes, or modules' declarations, whose members an expression has."""
        inner = file.source.unwrapped(node)
        key = _TypedName(path, inner.start_byte, inner.end_byte)
        return self._types.of(key, lambda: self._type_of(path, file, inner))

    def _type_of(self, path: str, file: PythonScopes, node: Node) -> Found:
        checkpoint()
        call = file.source.call(node)
        if call is not None:
            return self._called(path, file, call[0])
        member = file.source.member(node)
        if member is not None:
            owners = self._attribute(path, file, member[0], file.source.text(member[1]))
            return owners | {t for owner in owners for t in self._value_of(*owner)}
        if node.type in file.source.tables.pattern_leaves:
            return self._variable(path, file, file.source.text(node), node.start_byte)
        return set()

    def _variable(self, path: str, file: PythonScopes, name: str, offset: int) -> Found:
        holder = file.receiver(name, offset)
        if holder is not None:
            return {(path, holder.path)}
        scope = file.binding(name, offset)
        if scope is not None:
            return {(path, f"{scope.path}.{name}"), *self._values(path, file, scope, name)}
        found = self._existing(self._aliases.declarations(path, (name,)))
        return found | {t for owner in found for t in self._value_of(*owner)}

    def _values(
        self, path: str, file: PythonScopes, scope: Scope, name: str
    ) -> Collection[Declaration]:
        """The types of all values and annotations of a name in a scope."""
        key = _TypedName(path, scope.start, scope.end, name)
        return self._types.of(key, lambda: self._types_of_all(path, file, scope, name))

    def _types_of_all(self, path: str, file: PythonScopes, scope: Scope, name: str) -> Found:
        found: Found = set()
        for value, type_ in scope.values.get(name, ()):
            if type_ is not None:
                found |= self.typed(path, type_)
            elif value is not None and file.source.child(value, "body") is None:
                found.update(self.types(path, file, value))
        return found

    def _value_of(self, path: str, qualified: str) -> Found:
        """The types of the value of a variable or attribute declared in a file."""
        file = self.scopes(path)
        if file is None:
            return set()
        outer, _, name = qualified.rpartition(".")
        scopes = file.scopes_by_path.get(outer, ()) if outer else [file.top]
        return {t for scope in scopes for t in self._values(path, file, scope, name)}

    def _called(self, path: str, file: PythonScopes, function: Node) -> Found:
        """The types of a call's result: an object of the class, or the function's return value."""
        if file.source.text(function) == "super":
            scope = file.scope(function.start_byte)
            while scope is not None and not scope.is_class:
                scope = scope.around
            return self.bases((path, scope.path)) if scope is not None else set()
        found: Found = set()
        for owner in self.types(path, file, function):
            texts = self.members.return_types(owner)
            found |= {t for text in texts for t in self.typed(owner[0], text)}
            if not texts:
                found.add(owner)
        return found

    def typed(self, path: str, text: str) -> Found:
        """The classes that a type names."""
        found: Found = set()
        for plain in type_parts(text):
            if _NAME.fullmatch(plain):
                found |= self._existing(self._aliases.declarations(path, tuple(plain.split("."))))
        return found

    def bases(self, owner: Declaration) -> Found:
        """The bases of a class, among the files of the index."""
        if owner not in self._bases_of:
            parts = self.written_bases(owner)
            found = {base for part in parts for base in self.typed(owner[0], part)}
            self._bases_of[owner] = found - {owner}
        return self._bases_of[owner]

    def written_bases(self, owner: Declaration) -> list[str]:
        """The bases of a class as they are written."""
        records = self._files.file(owner[0]).declared.get(owner[1], [])
        return [
            part
            for record in records
            for part in split_outside(record.get("extends") or "", ",", "()[]")
        ]

    def _look(self, member: _Member) -> tuple[list[Declaration], list[_Member]]:
        """The class's own declaration of a member, else the bases that it may be inherited from."""
        (path, qualified), name = member
        if f"{qualified}.{name}" in self._files.file(path).definitions:
            return [(path, f"{qualified}.{name}")], []
        return [], [(base, name) for base in self.bases((path, qualified))]

    def _existing(self, declarations: Found) -> Found:
        return {
            (path, qualified)
            for path, qualified in declarations
            if qualified in self._files.file(path).definitions
        }

    def scopes(self, path: str) -> PythonScopes | None:
        """The scopes of a file; None when it is not in Python, or the parsing limit is reached."""
        if path not in self._known:
            file = self._files.file(path)
            language, data = _python(path), file.data
            if language is not None and data is not None:
                if not self._files.spend(path, len(data)):
                    return None
                with suppress(SyntaxTooDeep, ParsingTooSlow), self._files.parsing(file):
                    self._known[path] = PythonScopes(read_syntax(language, data), data)
            self._known.setdefault(path, None)
        self._files.note_used(path)
        return self._known[path]

    def _drop(self, paths: Collection[str]) -> None:
        for path in paths:
            self._known.pop(path, None)


def _node(file: PythonScopes, name: str, offset: int) -> Node | None:
    """The node of a name at an offset, in bytes."""
    end = offset + len(name.encode())
    return file.syntax.tree.root_node.descendant_for_byte_range(offset, end)


def _python(path: str) -> Language | None:
    """The language of a file, or of the code in a notebook, when its reader is Python's."""
    language = language_for(path)
    if language is not None and language.reader == "cells":
        language = language_named(language.cells.language)
    return language if language is not None and language.reader == "python" else None
