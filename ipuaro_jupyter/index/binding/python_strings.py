"""Names in the strings of Python code that stand for declarations without being uses of names.

These are the names that ``TypeVar`` and its like repeat, and members of enums and ``TypedDict``
that are named as keys. The strings of ``__all__`` and types in quotes are in the postings; all
other strings are data.
"""

import re
from collections.abc import Iterator

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.members import Found
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.binding.python_scopes import PythonScopes
from ipuaro_jupyter.languages.language import Node

_NAMING = frozenset(
    {
        *("TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "namedtuple", "NamedTuple"),
        *("TypedDict", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TypeAliasType"),
    }
)
"""Functions whose first argument repeats the name that their result is given."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "ReprEnum", "Flag", "IntFlag"})
_TYPED_DICTS = frozenset({"TypedDict"})
_GIVING = frozenset({"enum", "typing", "typing_extensions", "mypy_extensions", "strenum"})
"""The modules that have these classes."""
_MOST_BASES = 3  # from a class to one of them


class PythonStrings:
    """Finds names in strings.

    Args:
        aliases: Follows names through imports.
        resolver: Resolves names.
    """

    def __init__(self, aliases: AliasResolver, resolver: PythonNameResolver) -> None:
        self._aliases = aliases
        self._resolver = resolver

    def repeated(self, path: str, name: str, scopes: PythonScopes) -> Iterator[tuple[int, Found]]:
        """Yield the offsets at which ``name = TypeVar("name")`` and its like repeat a name.

        Each with the declarations it stands for.
        """
        data = scopes.source.data
        for match in re.finditer(rb"(?<=[\"'])%s(?=[\"'])" % name.encode(), data):
            start, end = match.span()
            node = scopes.syntax.tree.root_node.descendant_for_byte_range(start, end)
            string = node.parent if node is not None else None
            if node is None or string is None or node.type != "string_content":
                continue
            is_whole = (node.start_byte, node.end_byte) == (start, end)
            if is_whole and _is_repeated(scopes, string, name):
                yield start, self._resolver.named(path, scopes, name, start)

    def key(self, path: str, name: str, offset: int) -> Found:
        """The declarations of a member that a key names: ``Color["RED"]``, ``row["id"]``.

        Args:
            path: The file.
            name: The name.
            offset: The byte behind the quote.
        """
        scopes = self._resolver.scopes(path)
        if scopes is None:
            return set()
        end = offset + len(name.encode())
        node = scopes.syntax.tree.root_node.descendant_for_byte_range(offset, end)
        string = node.parent if node is not None and node.type == "string_content" else None
        around = string.parent if string is not None else None
        if string is None or around is None or string.start_byte + 1 != offset:
            return set()  # it has a prefix, or three quotes
        if around.type == "subscript":
            return self._of_subscript(path, scopes, around, string, name)
        if around.type == "pair" and around.child_by_field_name("key") == string:
            assignment = around.parent.parent if around.parent is not None else None
            said = assignment.child_by_field_name("type") if assignment is not None else None
            text = scopes.source.text(said) if said is not None else ""
            return self._members(self._resolver.typed(path, text), name, _TYPED_DICTS)
        return set()

    def _of_subscript(
        self, path: str, scopes: PythonScopes, subscript: Node, string: Node, name: str
    ) -> Found:
        """The member that a key in square brackets names, of an enum or an object."""
        value = subscript.child_by_field_name("value")
        if value is None or subscript.children_by_field_name("subscript") != [string]:
            return set()
        inner = scopes.source.unwrapped(value)
        member = scopes.source.member(inner)
        last = member[1] if member is not None else inner
        itself = self._resolver.of(path, scopes.source.text(last), last.start_byte) or set()
        class_ = scopes.receiver("cls", inner.start_byte)
        if class_ is not None and scopes.source.text(inner) == "cls":
            itself = {(path, class_.path)}
        objects = {*self._resolver.types(path, scopes, inner)} - itself
        return self._members(itself, name, _ENUMS) | self._members(objects, name, _TYPED_DICTS)

    def _members(self, owners: Found, name: str, roots: frozenset[str]) -> Found:
        """The values of a name in the bodies of those classes that derive from one of the roots."""
        every = (
            one
            for owner in owners
            if self._derives(owner, roots)
            for one in self._resolver.inherited.of((owner, name))
        )
        return {one for one in every if self._is_value(one, roots)}

    def _is_value(self, member: Declaration, roots: frozenset[str]) -> bool:
        """Whether a member is no function or class, and in the body of such a class."""
        path, (outer, _, name) = member[0], member[1].rpartition(".")
        scopes = self._resolver.scopes(path)
        by_path = scopes.scopes_by_path if scopes is not None else {}
        is_bound = any(one.is_class and name in one.bound for one in by_path.get(outer, ()))
        return is_bound and member[1] not in by_path and self._derives((path, outer), roots)

    def _derives(self, owner: Declaration, roots: frozenset[str], steps: int = _MOST_BASES) -> bool:
        """Whether a class has one of the roots among its bases, and no metaclass of its own."""
        path, qualified = owner
        scopes = self._resolver.scopes(path)
        own = scopes.scopes_by_path.get(qualified, ()) if scopes is not None else ()
        if scopes is None or any(_has_metaclass(scopes, one.node) for one in own):
            return False
        if any(self._is_one(path, part, roots) for part in self._resolver.written_bases(owner)):
            return True
        bases = self._resolver.bases(owner) if steps > 0 else ()
        return any(self._derives(base, roots, steps - 1) for base in bases)

    def _is_one(
        self, path: str, base: str, roots: frozenset[str], steps: int = _MOST_BASES
    ) -> bool:
        """Whether a base as it is written is one of the roots, not a class of the project."""
        head, _, last = base.strip().rpartition(".")
        given = self._aliases.outer(path, head or last)
        if given is not None and given[0] in _GIVING and not self._aliases.target(path, given[0]):
            return (last if head else given[1]) in roots
        again = self._aliases.imported(path, last) if steps > 0 and not head else ()
        return any(self._is_one(to, name, roots, steps - 1) for to, name in again)


def _has_metaclass(scopes: PythonScopes, class_: Node) -> bool:
    bases = class_.child_by_field_name("superclasses")
    return any(
        node.type == "keyword_argument"
        and scopes.source.text(node.named_children[0]) == "metaclass"
        for node in (bases.named_children if bases is not None else ())
    )


def _is_repeated(scopes: PythonScopes, string: Node, name: str) -> bool:
    """Whether a string is the first argument in ``name = TypeVar("name")``."""
    listed = string.parent
    call = listed.parent if listed is not None else None
    assignment = call.parent if call is not None else None
    if listed is None or call is None or assignment is None or assignment.type != "assignment":
        return False
    left = assignment.child_by_field_name("left")
    is_first = listed.type == "argument_list" and listed.named_children[0] == string
    is_same = left is not None and scopes.source.text(left) == name
    return is_first and is_same and _called(scopes, call) in _NAMING


def _called(scopes: PythonScopes, call: Node) -> str:
    """The last name of the function that is called; "" for other nodes."""
    parts = scopes.source.call(call)
    return scopes.source.text(parts[0]).rpartition(".")[2] if parts is not None else ""
