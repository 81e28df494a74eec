"""The parts of expressions that values come from, in the syntax trees of both families."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.languages.language import Node

_CALLS = {"call": "function", "call_expression": "function", "new_expression": "constructor"}
_MEMBERS = {"attribute": "attribute", "member_expression": "property"}
_SUBSCRIPTS = frozenset({"subscript", "subscript_expression"})
_WRAPPED = frozenset(
    {
        *("parenthesized_expression", "await", "await_expression", "non_null_expression"),
        *("as_expression", "satisfies_expression", "expression_list", "spread_element"),
    }
)
_FUNCTIONS = frozenset(
    {
        *("function_definition", "lambda", "function_declaration", "arrow_function"),
        *("method_definition", "function_expression", "generator_function_declaration"),
        "generator_function",
    }
)
_NAMES = frozenset({"identifier", "property_identifier", "private_property_identifier"})
_VALUES = frozenset(
    {
        *("binary_operator", "boolean_operator", "comparison_operator", "not_operator"),
        *("unary_operator", "conditional_expression", "list", "tuple", "dictionary", "set"),
        *("binary_expression", "unary_expression", "ternary_expression", "array", "object"),
        *("template_string", "string", "list_comprehension", "generator_expression", "identifier"),
    }
)
_RAISING = frozenset({"raise_statement", "throw_statement"})
_ASSIGNMENTS = {
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "variable_declarator": ("name", "value"),
    "named_expression": ("name", "value"),
    "for_statement": ("left", "right"),
    "for_in_statement": ("left", "right"),
    "for_in_clause": ("left", "right"),
    "augmented_assignment": ("left", "right"),
}


_ATTRIBUTE = re.compile(r"'(?P<owner>[\w.]+)' object has no attribute '(?P<name>\w+)'")
_READ = re.compile(r"of (?:undefined|null) \((?:reading|setting) '(?P<name>[^']+)'\)")
_NOT_CALLED = re.compile(
    r"(?:^|[\s.)(])(?P<name>[\w$]+) is not (?:a function|a constructor|iterable)"
)
_KEYS = ("KeyError:", "IndexError:")
_OWN = frozenset({"self", "cls", "this"})


class Said(NamedTuple):
    """What the message of an error says of the expression that failed.

    Attributes:
        member: The name of the member that was read or called; "" for none.
        owner: The class of the object that lacks it; "" where that is not told.
        is_called: Whether the member itself was wrong, not the object.
        is_key: Whether a key or an index was wrong.
    """

    member: str = ""
    owner: str = ""
    is_called: bool = False
    is_key: bool = False

    @classmethod
    def of(cls, message: str) -> "Said":
        """Read a message, which begins with the class of the error."""
        if (found := _ATTRIBUTE.search(message)) is not None:
            return cls(found["name"], found["owner"])
        if (found := _READ.search(message)) is not None:
            return cls(found["name"])
        if (found := _NOT_CALLED.search(message)) is not None:
            return cls(found["name"], is_called=True)
        return cls(is_key=message.rpartition("\n")[2].startswith(_KEYS))


class GivenParameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        function: The name of the function; "" without one.
        at: Its number, 0-based, without ``self``.
        name: Its name.
        type: What it is annotated with.
    """

    function: str
    at: int
    name: str
    type: Node | None = None


def text_of(node: Node) -> str:
    """The source of a node."""
    return (node.text or b"").decode(errors="replace")


def is_call(node: Node) -> bool:
    """Whether it calls or constructs something."""
    return node.type in _CALLS


def is_member(node: Node) -> bool:
    """Whether it reads a member of an object."""
    return node.type in _MEMBERS


def is_subscript(node: Node) -> bool:
    """Whether it reads an element."""
    return node.type in _SUBSCRIPTS


def is_function(node: Node) -> bool:
    """Whether it is a function."""
    return node.type in _FUNCTIONS


def is_in_function(node: Node) -> bool:
    """Whether a function is around a node."""
    around = node.parent
    while around is not None and not is_function(around):
        around = around.parent
    return around is not None


def is_member_name(name: Node) -> bool:
    """Whether a name is that of a member in an expression."""
    return name.parent is not None and is_member(name.parent) and member_name(name.parent) == name


def member_name(member: Node) -> Node:
    """The name in ``object.name``."""
    return member.child_by_field_name(_MEMBERS[member.type]) or member


def held(member: Node) -> Node | None:
    """The object in ``object.name``."""
    return member.child_by_field_name("object")


def is_own(held: Node | None) -> bool:
    """Whether an object is the one whose method this is."""
    return held is not None and text_of(held) in _OWN


def annotated(held: Node) -> Node | None:
    """The name of the class that a parameter is annotated with."""
    _, place = binding(held) if held.type == "identifier" else ([], None)
    kind = None if place is None else place.type
    while kind is not None and kind.named_children:
        last = kind.named_children[-1]
        kind = member_name(kind) if is_member(kind) else last
        if kind.type in _NAMES or kind.type == "type_identifier":
            break
    return kind


def is_constructed(name: Node) -> bool:
    """Whether the class of a name is called there, or constructed by ``new``."""
    node = name.parent if is_member_name(name) else name
    around = None if node is None else node.parent
    return around is not None and is_call(around)


def unwrapped(node: Node) -> Node:
    """An expression without what only surrounds it."""
    while node.type in _WRAPPED and node.named_children:
        node = node.named_children[0]
    return node


def called_name(call: Node) -> Node | None:
    """The name of what a call calls; None where an expression without one is called."""
    function = call.child_by_field_name(_CALLS[call.type])
    if function is None:
        return None
    function = unwrapped(function)
    if function.type in _MEMBERS:
        return member_name(function)
    return function if function.type in _NAMES else None


def held_of_call(call: Node) -> list[Node]:
    """The object whose method is called, or the expression that is called."""
    function = call.child_by_field_name(_CALLS[call.type])
    if function is None or function.type in _NAMES:
        return []
    inner = held(function) if is_member(function) else function
    return [] if inner is None else [inner]


def arguments(call: Node) -> list[Node]:
    """The values that a call gives; those by keyword with their name."""
    given = call.child_by_field_name("arguments")
    return [] if given is None else [one for one in given.named_children if one.type != "comment"]


def members_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the members whose name is on a row, 0-based."""
    for node in _nodes_on(root, row):
        if is_member(node) and member_name(node).start_point[0] == row:
            yield node


def expressions_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the outermost expressions that begin on a row, without what is assigned to."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start_point[0] > row or node.end_point[0] < row:
            continue
        begins = node.start_point[0] == row
        if (begins and (is_call(node) or is_member(node) or is_subscript(node))) or (
            begins and node.type in _VALUES
        ):
            yield node
        else:
            fields = _ASSIGNMENTS.get(node.type)
            target = None if fields is None else node.child_by_field_name(fields[0])
            waiting += [one for one in reversed(node.named_children) if one != target]


def subscripts_on(root: Node, row: int) -> list[Node]:
    """The elements that are read on a row, the outermost first."""
    return [one for one in _nodes_on(root, row) if is_subscript(one)]


def guarding(root: Node, row: int) -> list[Node]:
    """The conditions on which a line raises an error on purpose; none for any other line."""
    raising = next((one for one in _nodes_on(root, row) if one.type in _RAISING), None)
    if raising is None:
        return []
    found: list[Node] = []
    node: Node | None = raising
    while node is not None and not is_function(node):
        before, node = node, node.parent
        if node is None:
            break
        condition = node.child_by_field_name("condition")
        if condition is not None and condition != before:
            found.append(condition)
            if node.type in ("if_statement", "elif_clause"):
                break
        if node.type == "else_clause" and node.parent is not None:
            whole = node.parent
            found += [
                one
                for part in (whole, *whole.named_children)
                if (one := part.child_by_field_name("condition")) is not None
            ]
            break
        if node.type in ("except_clause", "catch_clause") and node.parent is not None:
            body = node.parent.child_by_field_name("body")
            found += [] if body is None else list(_outer_calls(body))
            break
    return found


def returned(function: Node) -> Iterator[Node]:
    """Yield the values that a function returns."""
    body = function.child_by_field_name("body")
    if body is None:  # the name of a variable that holds a function
        return
    if function.type in ("arrow_function", "lambda") and "block" not in body.type:
        yield body
        return
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type == "return_statement":
            yield from node.named_children
        elif not is_function(node):
            waiting += reversed(node.named_children)


def assigned_to(name: Node) -> Node | None:
    """The value that is assigned to the attribute with that name; None for any other place."""
    member = name.parent
    if member is None or not is_member(member) or member_name(member) != name:
        return None
    node, around = member, member.parent
    while around is not None and around.type in ("pattern_list", "tuple_pattern", "tuple"):
        node, around = around, around.parent
    if around is None or around.type not in ("assignment", "assignment_expression"):
        return None
    return (
        around.child_by_field_name("right") if around.child_by_field_name("left") == node else None
    )


def binding(name: Node) -> tuple[list[Node], GivenParameter | None]:
    """What a name is assigned in the functions around it, and the parameter that it is.

    The nearest assignment before it comes first.
    """
    text = text_of(name)
    around = name.parent
    while around is not None:
        if is_function(around) or around.parent is None:
            values = list(_assigned_in(around, text, name.start_byte))
            place = _parameter(around, text) if is_function(around) else None
            if values or place is not None:
                return values, place
        around = around.parent
    return [], None


def passed(root: Node, row: int, place: GivenParameter) -> list[Node]:
    """What a line passes for a parameter; all arguments where it is not known which.

    A decorator passes what the decorators below it have made.
    """
    below = _decorators_below(root, row)
    if below:
        return below
    calls = [one for one in _nodes_on(root, row) if is_call(one)]
    named = [one for one in calls if (name := called_name(one)) and text_of(name) == place.function]
    found: list[Node] = []
    for call in named or calls:
        given = arguments(call)
        by_name = [one for one in given if _keyword(one) == place.name]
        plain = [one for one in given if not _keyword(one)]
        if by_name:
            found += by_name
        elif named and place.at < len(plain) and not any("splat" in one.type for one in plain):
            found.append(plain[place.at])
        else:
            found += given
    return [_value(one) for one in found]


def is_passed_on(given: Node, name: str) -> bool:
    """Whether an argument is only a parameter of the function around it, passed on as ``name``."""
    node = unwrapped(given)
    if node.type != "identifier" or text_of(node) != name:
        return False
    values, place = binding(node)
    return place is not None and not values


def _keyword(argument: Node) -> str:
    name = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
    return "" if name is None else text_of(name)


def _value(argument: Node) -> Node:
    value = argument.child_by_field_name("value")
    return argument if value is None or argument.type != "keyword_argument" else value


def _decorators_below(root: Node, row: int) -> list[Node]:
    """The expressions of the decorators below the one on a row."""
    found = [one for one in _nodes_on(root, row) if one.type == "decorator"]
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
        fields = _ASSIGNMENTS.get(node.type)
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
    known = [one for one in known if text_of(one) not in _OWN]
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


def _outer_calls(body: Node) -> Iterator[Node]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if is_call(node):
            yield node
        elif not is_function(node):
            waiting += reversed(node.named_children)


def _nodes_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the nodes that have something on a row, each before those in it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start_point[0] <= row <= node.end_point[0]:
            yield node
            waiting += reversed(node.named_children)
