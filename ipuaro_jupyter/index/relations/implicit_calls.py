"""Constructors and accessors: members that are used without being called by their name."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.roles import DECLARING
from ipuaro_jupyter.index.resolve.lookups import PYTHON_ENDINGS
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.calls import CONSTRUCTORS

_ACCESSORS = frozenset({"getter", "setter"})
_MAKING = re.compile(rb"dataclass|\battrs?\b|\b(?:define|frozen|mutable)\b")
_SPECIAL = re.compile(r"__\w+__")
_BY_RULE = frozenset({"toString", "valueOf", "toJSON", "then", "handleEvent"})


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


def inherits_constructor(asked: LookupState, heir: Declaration, inherited: Declaration) -> bool:
    """Whether objects of a class are made by a constructor that it inherits."""
    if not inherited[0].endswith(PYTHON_ENDINGS):
        return constructor_of(asked, heir) == heir
    name = inherited[1].rpartition(".")[2]
    return asked.references.python.inherited.of((heir, name)) == {inherited}


def has_made_constructor(class_: Node, decorated: Node | None) -> bool:
    """Whether a decorator makes a constructor for a Python class, as that of a dataclass does.

    Args:
        class_: The class.
        decorated: The node around it with its decorators.
    """
    text = b"" if decorated is None else decorated.text or b""
    length = 0 if decorated is None else class_.start_byte - decorated.start_byte
    return _MAKING.search(text[:length]) is not None


def unnamed_calls(declared: Declaration) -> str:
    """A sentence about the calls of a special method by the language itself; "" for others."""
    name = declared[1].rpartition(".")[2]
    is_python = declared[0].endswith(PYTHON_ENDINGS)
    if "." not in declared[1] or not (_SPECIAL.fullmatch(name) if is_python else name in _BY_RULE):
        return ""
    by = "Python" if is_python else "JavaScript"
    return f"{by} itself calls {name}, without its name: those calls are not looked for"


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
