"""Names in the strings of Python code that stand for declarations.

These are the strings of ``__all__``, annotations in quotes, and the names that ``TypeVar`` and its
like repeat. All other strings are data.
"""

import re
from collections.abc import Iterator

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.members import Found
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.binding.python_scopes import PythonScopes
from ipuaro_jupyter.languages.language import Node

_CHAIN = re.compile(rb"(?:\w+\s*\.\s*)+$")
_ALL = re.compile(rb"__all__\b")
_GENERICS = frozenset(
    {
        *("Union", "Optional", "List", "Dict", "Tuple", "Set", "FrozenSet", "Type", "Callable"),
        *(
            "Iterable",
            "Iterator",
            "Sequence",
            "Mapping",
            "MutableMapping",
            "Generator",
            "Awaitable",
        ),
        *("AsyncIterator", "AsyncIterable", "AsyncGenerator", "Coroutine", "ClassVar", "Final"),
        *("Collection", "Deque", "DefaultDict", "ContextManager", "AsyncContextManager"),
        *("MutableSequence", "list", "dict", "tuple", "set", "frozenset", "type"),
    }
)
_VALUES = frozenset({"Literal", "Annotated"})
"""Generics with values among their arguments."""
_NAMING = frozenset(
    {
        *("TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "namedtuple", "NamedTuple"),
        *("TypedDict", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TypeAliasType"),
    }
)
"""Functions whose first argument repeats the name that their result is given."""
_OF_TYPES = frozenset(
    {
        *("type", "subscript", "generic_type", "type_parameter", "binary_operator", "list"),
        *("union_type", "tuple", "concatenated_string", "parenthesized_expression"),
    }
)


class PythonStrings:
    """Finds names in strings.

    Args:
        aliases: Follows names through imports.
        resolver: Resolves names.
    """

    def __init__(self, aliases: AliasResolver, resolver: PythonNameResolver) -> None:
        self._aliases = aliases
        self._resolver = resolver

    def of(self, path: str, name: str, scopes: PythonScopes) -> Iterator[tuple[int, Found]]:
        """Yield the offsets of a name in strings of a file, with the declarations it stands for."""
        data = scopes.source.data
        for match in re.finditer(rb"(?<![\w\x80-\xff])%s(?![\w\x80-\xff])" % name.encode(), data):
            start, end = match.span()
            node = scopes.syntax.tree.root_node.descendant_for_byte_range(start, end)
            string = node.parent if node is not None else None
            if node is None or string is None or node.type != "string_content":
                continue
            is_whole = (node.start_byte, node.end_byte) == (start, end)
            if is_whole and _is_listed(string, data):
                yield start, self._aliases.declarations(path, (name,))
            elif (is_whole and _is_repeated(scopes, string, name)) or _is_type(scopes, string):
                chain = _CHAIN.search(data, node.start_byte, start)
                before = chain[0].decode().split(".")[:-1] if chain is not None else []
                yield (
                    start,
                    self._meant(path, scopes, [part.strip() for part in before], name, start),
                )

    def _meant(
        self, path: str, scopes: PythonScopes, before: list[str], name: str, offset: int
    ) -> Found:
        """The declarations of a name, or of the last one of a chain of names."""
        if not before:
            return self._resolver.named(path, scopes, name, offset)
        if scopes.binding(before[0], offset) is not None:
            return set()
        return self._aliases.declarations(path, (*before, name))


def _is_listed(string: Node, data: bytes) -> bool:
    """Whether a string is in an assignment to ``__all__``, or in a call that extends it."""
    node: Node | None = string
    while node is not None and node.parent is not None and node.parent.type != "module":
        node = node.parent
    return node is not None and _ALL.match(data, node.start_byte) is not None


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


def _is_type(scopes: PythonScopes, string: Node) -> bool:
    """Whether a string is an annotation, a part of one, or a type in another place."""
    inner, node = string, string.parent
    is_type = False
    while node is not None and node.type in _OF_TYPES:
        is_type = is_type or node.type == "type"
        if node.type in {"subscript", "generic_type"} and node.named_children[0] != inner:
            generic = scopes.source.text(node.named_children[0]).rpartition(".")[2]
            if generic in _VALUES:
                return False
            is_type = is_type or generic in _GENERICS
        inner, node = node, node.parent
    if is_type:
        return True
    is_bound = node is not None and node.type == "keyword_argument"
    listed = node.parent if node is not None and is_bound else node
    if node is None or listed is None or listed.type != "argument_list" or listed.parent is None:
        return False
    if is_bound:
        keyword = node.child_by_field_name("name")
        return keyword is not None and scopes.source.text(keyword) == "bound"
    function = _called(scopes, listed.parent)
    is_first = listed.named_children[0] == inner
    return (function == "cast" and is_first) or (function == "TypeVar" and not is_first)


def _called(scopes: PythonScopes, call: Node) -> str:
    """The last name of the function that is called; "" for other nodes."""
    parts = scopes.source.call(call)
    return scopes.source.text(parts[0]).rpartition(".")[2] if parts is not None else ""
