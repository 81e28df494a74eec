"""Constructors and accessors: members that are used without being called by their name."""

from collections.abc import Iterator

from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.roles import DECLARING
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.calls import CONSTRUCTORS

_ACCESSORS = frozenset({"getter", "setter"})


def constructed(declared: Declaration) -> Declaration:
    """The class that a constructor makes an object of; any other declaration as it is."""
    path, qualified = declared
    owner, _, name = qualified.rpartition(".")
    return (path, owner) if owner and name in CONSTRUCTORS else declared


def constructor_of(asked: LookupState, declared: Declaration) -> Declaration:
    """The constructor that a class declares itself; else the declaration as it is."""
    path, qualified = declared
    for name in CONSTRUCTORS:
        if asked.files.file(path).declares(f"{qualified}.{name}"):
            return path, f"{qualified}.{name}"
    return declared


def is_accessor(asked: LookupState, declared: Declaration) -> bool:
    """Whether a member is run by reading or assigning it."""
    path, qualified = declared
    owner, _, name = qualified.rpartition(".")
    return any(
        method["name"] == name and method["kind"] in _ACCESSORS
        for record in asked.files.file(path).declared.get(owner, ())
        for method in record.get("methods", ())
    )


def super_calls_in(class_: Node) -> Iterator[Node]:
    """Yield the ``super`` of each call of the base's constructor in a class."""
    waiting = list(class_.children)
    while waiting:
        node = waiting.pop()
        if node.type in DECLARING:
            continue
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is not None and function.type == "super":
            yield function
        waiting += node.children
