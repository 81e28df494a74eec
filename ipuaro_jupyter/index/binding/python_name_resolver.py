"""The declarations that a name at a place in a Python file stands for.

Types are only taken from the source: the first parameter of a method, the annotations of parameters
and variables, the call that makes a value, and return types.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.closure import Closure
from ipuaro_jupyter.index.binding.fixpoint import Fixpoint
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.signatures import parameters, type_text
from ipuaro_jupyter.index.extract.python.python_extractor import targets
from ipuaro_jupyter.index.extract.scope_stack import SourceBytes
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import Syntax, SyntaxTooDeep, read_syntax

_MOST_DEPTH = 60
_KEPT_MEMBERS = 20_000
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_WRAPPERS = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Type", "type", "Awaitable"})
_Member = tuple[Declaration, str]
_Value = tuple[Node | None, str | None]
"""The value bound to a name, and its annotated type."""


class _TypedName(NamedTuple):
    """What has a type: the expression in a range, in bytes, or a name bound in such a scope."""

    path: str
    start: int
    end: int
    name: str = ""


@dataclass
class _Scope:
    """A function or class: its range, its node, and the names bound directly in it.

    ``first`` is the name of the first parameter, "" for none.
    """

    start: int
    end: int
    node: Node
    is_class: bool
    name: str = ""
    first: str = ""
    around: "_Scope | None" = None
    values: dict[str, list[_Value]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The dotted path, the own name included."""
        outer = self.around.path if self.around is not None else ""
        return f"{outer}.{self.name}" if outer else self.name


class _PythonScopes:
    """The scopes of one file, and the names bound in each."""

    def __init__(self, syntax: Syntax, data: bytes) -> None:
        self.syntax = syntax
        is_broken = syntax.error_line is not None
        self.source = SourceBytes(data, syntax.language, syntax.patched, is_broken=is_broken)
        self.imports = [(n.start_byte, n.end_byte) for n in syntax.captures.get("import", ())]
        self.scopes = sorted(self._scopes(), key=lambda scope: (scope.start, -scope.end))
        self._starts = [scope.start for scope in self.scopes]
        self.top = _Scope(-1, len(data) + 1, syntax.tree.root_node, is_class=False)
        open_: list[_Scope] = []
        for scope in self.scopes:
            while open_ and open_[-1].end <= scope.start:
                open_.pop()
            scope.around = open_[-1] if open_ else None
            open_.append(scope)
        self._bind()

    def _scopes(self) -> Iterator[_Scope]:
        for capture in ("function", "function.arrow", "class"):
            for node in self.syntax.captures.get(capture, ()):
                name = self.source.child(node, "name")
                text = self.source.text(name) if name is not None else ""
                start, end = node.start_byte, node.end_byte
                yield _Scope(start, end, node, is_class=capture == "class", name=text)

    @cached_property
    def scopes_by_path(self) -> dict[str, list[_Scope]]:
        """The functions and classes, by their dotted names."""
        found: dict[str, list[_Scope]] = {}
        for scope in self.scopes:
            found.setdefault(scope.path, []).append(scope)
        return found

    def _bind(self) -> None:
        source = self.source
        for scope in self.scopes:
            if scope.name:
                self._add(scope.around or self.top, scope.name, (scope.node, None))
            if not scope.is_class:
                listed = parameters(source, scope.node)
                scope.first = listed[0]["name"] if listed else ""
                for parameter in listed:
                    self._add(scope, parameter["name"], (None, parameter["type"]))
        for node in self.syntax.captures.get("binding", ()):
            pattern, value = source.child(node, "name"), source.child(node, "value")
            type_ = type_text(source, source.child(node, "type"))
            found = list(targets(source, pattern)) if pattern is not None else []
            for object_, name in found:
                given = (value if len(found) == 1 else None, type_)
                self._target(object_, name, given)
        for node in self.syntax.captures.get("binding.target", ()):
            for object_, name in targets(source, node):
                self._target(object_, name, (None, None))

    def _target(self, object_: Node | None, name: Node, given: _Value) -> None:
        scope = self.scope(name.start_byte) or self.top
        text = self.source.text(name)
        if object_ is None:
            self._add(scope, text, given)
            return
        holder = self.receiver(self.source.text(object_), name.start_byte)
        if holder is not None:
            self._add(holder, text, given)

    @staticmethod
    def _add(scope: _Scope, name: str, value: _Value) -> None:
        scope.values.setdefault(name, []).append(value)

    def scope(self, offset: int) -> _Scope | None:
        """The innermost function or class around a place."""
        place = bisect_right(self._starts, offset) - 1
        scope = self.scopes[place] if place >= 0 else None
        while scope is not None and scope.end <= offset:
            scope = scope.around
        if scope is not None and scope.name:
            name = self.source.child(scope.node, "name")
            if name is not None and offset <= name.start_byte:
                return scope.around
        return scope

    def receiver(self, name: str, offset: int) -> _Scope | None:
        """The class behind the first parameter of a method, as its instance or as itself."""
        scope = self.scope(offset)
        while scope is not None:
            around = scope.around
            is_method = not scope.is_class and around is not None and around.is_class
            if is_method and scope.first == name:
                return around
            scope = around
        return None

    def binding(self, name: str, offset: int) -> _Scope | None:
        """The scope that binds a name visible at a place; None for the file."""
        scope = self.scope(offset)
        is_inner = True
        while scope is not None:
            if name in scope.values and (is_inner or not scope.is_class):
                return scope
            is_inner, scope = False, scope.around
        return None


class PythonNameResolver:
    """Resolves names in Python files.

    Args:
        files: The files of an index.
        aliases: Follows names through imports.
    """

    def __init__(self, files: OpenedFiles, aliases: AliasResolver) -> None:
        self._files = files
        self._aliases = aliases
        self._members = Members(files, aliases)
        self._known: dict[str, _PythonScopes | None] = {}
        self._types = Fixpoint[_TypedName, Declaration](deepest=_MOST_DEPTH)
        self._bases_of: dict[Declaration, Found] = {}
        self._inherited = Closure[_Member, Declaration](self._look, most=_KEPT_MEMBERS)

    def of(self, path: str, name: str, offset: int) -> Found | None:
        """The declarations that ``name`` at ``offset`` (in bytes) stands for.

        None when the file is not in Python, or the parsing limit is reached.
        """
        file = self._file(path)
        if file is None:
            return None
        qualified = self._files.file(path).declared_at.get(offset)
        if qualified is not None:
            return {(path, qualified)}
        end = offset + len(name.encode())
        node = file.syntax.tree.root_node.descendant_for_byte_range(offset, end)
        begin = next((start for start, stop in file.imports if start <= offset < stop), None)
        if node is not None and begin is not None:
            return self._imported(path, name, file.syntax.tree.root_node, begin)
        parent = node.parent if node is not None else None
        member = file.source.member(parent) if parent is not None else None
        if member is not None and member[1] == node:
            return self._attribute(path, file, member[0], name)
        keywords = file.source.tables.keywords
        if parent is not None and parent.type in keywords and parent.start_byte == offset:
            return set()
        return self._existing(self._name(path, file, name, offset))

    def _imported(self, path: str, name: str, root: Node, begin: int) -> Found:
        """The declarations of a name in the import statement at ``begin``, in bytes."""
        statement = root.descendant_for_byte_range(begin, begin + 1)
        line = statement.start_point.row + 1 if statement is not None else 0
        found = self._aliases.imported_at(path, line, name)
        if found is None:
            found = self._aliases.declarations(path, (name,)) - {(path, name)}
        return self._existing(found)

    def _name(self, path: str, file: _PythonScopes, name: str, offset: int) -> Found:
        scope = file.binding(name, offset)
        if scope is None:
            return self._aliases.declarations(path, (name,))
        return {(path, f"{scope.path}.{name}")}

    def _attribute(self, path: str, file: _PythonScopes, object_: Node, name: str) -> Found:
        found: Found = set()
        for owner in self._of(path, file, object_):
            found |= self._inherited.of((owner, name))
        text = "".join(file.source.text(object_).split())
        if _NAME.fullmatch(text):
            names = (*text.split("."), name)
            if file.binding(names[0], object_.start_byte) is None:
                found |= self._aliases.declarations(path, names)
        return self._existing(found)

    def _of(self, path: str, file: _PythonScopes, node: Node) -> Collection[Declaration]:
        """The classes, or modules' declarations, whose members an expression has."""
        inner = file.source.unwrapped(node)
        key = _TypedName(path, inner.start_byte, inner.end_byte)
        return self._types.of(key, lambda: self._type_of(path, file, inner))

    def _type_of(self, path: str, file: _PythonScopes, node: Node) -> Found:
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

    def _variable(self, path: str, file: _PythonScopes, name: str, offset: int) -> Found:
        holder = file.receiver(name, offset)
        if holder is not None:
            return {(path, holder.path)}
        scope = file.binding(name, offset)
        if scope is not None:
            return {(path, f"{scope.path}.{name}"), *self._values(path, file, scope, name)}
        found = self._existing(self._aliases.declarations(path, (name,)))
        return found | {t for owner in found for t in self._value_of(*owner)}

    def _values(
        self, path: str, file: _PythonScopes, scope: _Scope, name: str
    ) -> Collection[Declaration]:
        """The types of all values and annotations of a name in a scope."""
        key = _TypedName(path, scope.start, scope.end, name)
        return self._types.of(key, lambda: self._types_of_all(path, file, scope, name))

    def _types_of_all(self, path: str, file: _PythonScopes, scope: _Scope, name: str) -> Found:
        found: Found = set()
        for value, type_ in scope.values.get(name, ()):
            if type_ is not None:
                found |= self._typed(path, type_)
            elif value is not None and file.source.child(value, "body") is None:
                found.update(self._of(path, file, value))
        return found

    def _value_of(self, path: str, qualified: str) -> Found:
        """The types of the value of a variable or attribute declared in a file."""
        file = self._file(path)
        if file is None:
            return set()
        outer, _, name = qualified.rpartition(".")
        scopes = file.scopes_by_path.get(outer, ()) if outer else [file.top]
        return {t for scope in scopes for t in self._values(path, file, scope, name)}

    def _called(self, path: str, file: _PythonScopes, function: Node) -> Found:
        """The types of a call's result: an object of the class, or the function's return value."""
        if file.source.text(function) == "super":
            scope = file.scope(function.start_byte)
            while scope is not None and not scope.is_class:
                scope = scope.around
            return self._bases((path, scope.path)) if scope is not None else set()
        found: Found = set()
        for owner in self._of(path, file, function):
            texts = self._members.return_types(owner)
            found |= {t for text in texts for t in self._typed(owner[0], text)}
            if not texts:
                found.add(owner)
        return found

    def _typed(self, path: str, text: str) -> Found:
        """The classes that a type names."""
        found: Found = set()
        for part in text.replace('"', " ").replace("'", " ").split("|"):
            plain = part.strip()
            head, bracket, rest = plain.partition("[")
            if bracket and head.rpartition(".")[2] in _WRAPPERS:
                plain = rest.rstrip("] ").partition(",")[0].partition("[")[0].strip()
            else:
                plain = head.strip()
            if _NAME.fullmatch(plain):
                found |= self._existing(self._aliases.declarations(path, tuple(plain.split("."))))
        return found

    def _bases(self, owner: Declaration) -> Found:
        if owner not in self._bases_of:
            path, qualified = owner
            records = self._files.file(path).declared.get(qualified, [])
            texts = [record.get("extends") or "" for record in records]
            parts = [part for text in texts for part in _split(text)]
            found = {base for part in parts for base in self._typed(path, part)}
            self._bases_of[owner] = found - {owner}
        return self._bases_of[owner]

    def _look(self, member: _Member) -> tuple[list[Declaration], list[_Member]]:
        """The class's own declaration of a member, else the bases that it may be inherited from."""
        (path, qualified), name = member
        if f"{qualified}.{name}" in self._files.file(path).definitions:
            return [(path, f"{qualified}.{name}")], []
        return [], [(base, name) for base in self._bases((path, qualified))]

    def _existing(self, declarations: Found) -> Found:
        return {
            (path, qualified)
            for path, qualified in declarations
            if qualified in self._files.file(path).definitions
        }

    def _file(self, path: str) -> _PythonScopes | None:
        if path not in self._known:
            self._known[path] = None
            language, data = _python(path), self._files.file(path).data
            if language is not None and data is not None and self._files.spend(len(data)):
                try:
                    self._known[path] = _PythonScopes(read_syntax(language, data), data)
                except (SyntaxTooDeep, ParsingTooSlow):
                    return None
        return self._known[path]


def _python(path: str) -> Language | None:
    """The language of a file, or of the code in a notebook, when its reader is Python's."""
    language = language_for(path)
    if language is not None and language.reader == "cells":
        language = language_named(language.cells.language)
    return language if language is not None and language.reader == "python" else None


def _split(text: str) -> list[str]:
    """The items of a list of bases."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        if sign in "[(":
            depth += 1
        elif sign in "])":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
