"""What a name is bound to: the values assigned to it, or the parameter that it is."""

from typing import NamedTuple

from ipuaro_jupyter.index.relations.expression_parts import (
    ASSIGNMENTS,
    NAMES,
    OWN,
    arguments,
    called_name,
    held_of_call,
    is_call,
    is_function,
    is_member,
    member_name,
    nodes_on,
    text_of,
    unwrapped,
)
from ipuaro_jupyter.languages.language import Node

_SPREAD = frozenset({"list_splat", "dictionary_splat", "spread_element"})


class GivenParameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        function: The name of the function; "" without one.
        at: Its number, 0-based, without ``self``.
        name: Its name.
        type: What it is annotated with.
        lines: Those of the function, 1-based, if the name is in another function inside of it.
    """

    function: str
    at: int
    name: str
    type: Node | None = None
    lines: range | None = None


def annotated(held: Node) -> Node | None:
    """The name of the class that a parameter is annotated with."""
    _, place = binding(held) if held.type == "identifier" else ([], None)
    kind = None if place is None else place.type
    while kind is not None and kind.named_children:
        last = kind.named_children[-1]
        kind = member_name(kind) if is_member(kind) else last
        if kind.type in NAMES or kind.type == "type_identifier":
            break
    return kind


def binding(name: Node) -> tuple[list[Node], GivenParameter | None]:
    """What a name is assigned in the functions around it, and the parameter that it is.

    The nearest assignment before it comes first.
    """
    text = text_of(name)
    around, is_inner = name.parent, False
    while around is not None:
        if is_function(around) or around.parent is None:
            values = list(_assigned_in(around, text, name.start_byte))
            place = _parameter(around, text) if is_function(around) else None
            if place is not None and is_inner:
                lines = range(around.start_point[0] + 1, around.end_point[0] + 2)
                place = place._replace(lines=lines)
            if values or place is not None:
                return values, place
            is_inner = True
        around = around.parent
    return [], None


def passed(root: Node, row: int, place: GivenParameter) -> list[Node] | None:
    """What a line passes for a parameter; all arguments where it is not known which.

    None where it passes nothing for it, so that it has its default.

    A decorator passes what the decorators below it have made.
    """
    below = _decorators_below(root, row)
    if below:
        return below
    calls = [one for one in nodes_on(root, row) if is_call(one)]
    named = [one for one in calls if (name := called_name(one)) and text_of(name) == place.function]
    found: list[Node] = []
    taking = [one for one in calls if any(_is_callback(given, place) for given in arguments(one))]
    if taking and not named:  # such as the elements of a list
        for call in taking:
            others = [one for one in arguments(call) if not _is_callback(one, place)]
            found += [*held_of_call(call), *others]
        return [_value(one) for one in found]
    for call in named or calls:
        given = arguments(call)
        by_name = [one for one in given if _keyword(one) == place.name]
        plain = [one for one in given if not _keyword(one)]
        if by_name:
            found += by_name
        elif not named or any(one.type in _SPREAD for one in given):
            found += given
        elif place.at < len(plain):
            found.append(plain[place.at])
    return [_value(one) for one in found] if found or not named else None


def _is_callback(given: Node, place: GivenParameter) -> bool:
    """Whether an argument is the function of a parameter."""
    value = _value(given)
    return is_function(value) if not place.function else text_of(value) == place.function


def is_passed_on(given: Node, name: str) -> bool:
    """Whether an argument is only a parameter of the function around it, passed on as ``name``."""
    node = unwrapped(given)
    if node.type != "identifier" or text_of(node) != name:
        return False
    values, own = binding(node)
    return own is not None and not values


def _keyword(argument: Node) -> str:
    name = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
    return "" if name is None else text_of(name)


def _value(argument: Node) -> Node:
    value = argument.child_by_field_name("value")
    return argument if value is None or argument.type != "keyword_argument" else value


def _decorators_below(root: Node, row: int) -> list[Node]:
    """The expressions of the decorators below the one on a row."""
    found = [one for one in nodes_on(root, row) if one.type == "decorator"]
    if not found or found[0].parent is None:
        return []
    every = [one for one in found[0].parent.named_children if one.type == "decorator"]
    below = [one for one in every if one.start_point[0] > row]
    return [value for one in below for value in one.named_children[:1]]


def _assigned_in(function: Node, name: str, before: int) -> list[Node]:
    """The values assigned to a name in a function, the last one before an offset first."""
    found: list[tuple[int, Node]] = []
    waiting = list(function.children)
    while waiting:
        node = waiting.pop()
        if is_function(node) and node != function:
            continue
        fields = ASSIGNMENTS.get(node.type)
        target = None if fields is None else node.child_by_field_name(fields[0])
        value = None if fields is None else node.child_by_field_name(fields[1])
        if target is not None and value is not None and _names(target, name):
            found.append((node.start_byte, value))
        if node.type == "as_pattern":
            alias = node.child_by_field_name("alias")
            if alias is not None and _names(alias, name) and node.named_children:
                found.append((node.start_byte, node.named_children[0]))
        waiting += node.named_children
    earlier = sorted((one for one in found if one[0] < before), key=lambda one: -one[0])
    return [value for _, value in earlier or found]


def _names(target: Node, name: str) -> bool:
    """Whether a target of an assignment binds a name."""
    if target.type in ("attribute", "member_expression", "subscript", "subscript_expression"):
        return False
    if target.type in ("identifier", "shorthand_property_identifier_pattern"):
        return text_of(target) == name
    return any(_names(child, name) for child in target.named_children)


def _parameter(function: Node, name: str) -> GivenParameter | None:
    given = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
    if given is None:
        return None
    own = function.child_by_field_name("name")
    known = [given] if given.type == "identifier" else given.named_children
    known = [one for one in known if text_of(one) not in OWN or not _is_method(function)]
    for at, one in enumerate(known):
        target = one
        if one.type not in ("identifier", "object_pattern", "array_pattern"):
            target = (
                one.child_by_field_name("name")
                or one.child_by_field_name("pattern")
                or next(iter(one.named_children), one)
            )
        if _names(target, name):
            kind = one.child_by_field_name("type")
            return GivenParameter("" if own is None else text_of(own), at, name, kind)
    return None


def _is_method(function: Node) -> bool:
    """Whether a function is a member of a class."""
    around = function.parent
    while around is not None and not is_function(around):
        if "class" in around.type:
            return True
        around = around.parent
    return False
