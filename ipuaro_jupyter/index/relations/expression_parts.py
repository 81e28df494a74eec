"""The parts of expressions that values come from, in the syntax trees of both families."""

from collections.abc import Iterator

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
NAMES = frozenset({"identifier", "property_identifier", "private_property_identifier"})
_VALUES = frozenset(
    {
        *("binary_operator", "boolean_operator", "comparison_operator", "not_operator"),
        *("unary_operator", "conditional_expression", "list", "tuple", "dictionary", "set"),
        *("binary_expression", "unary_expression", "ternary_expression", "array", "object"),
        *("template_string", "string", "list_comprehension", "generator_expression", "identifier"),
    }
)
_RAISING = frozenset({"raise_statement", "throw_statement"})
ASSIGNMENTS = {
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "variable_declarator": ("name", "value"),
    "named_expression": ("name", "value"),
    "for_statement": ("left", "right"),
    "for_in_statement": ("left", "right"),
    "for_in_clause": ("left", "right"),
    "augmented_assignment": ("left", "right"),
}
"""The fields of what is assigned to and of the value, by the type of node."""
_BUILT_IN = frozenset(
    {"Array", "JSON", "Math", "Number", "Object", "Promise", "Reflect", "String", "Symbol"}
)
_ADDING = frozenset(
    {"append", "appendleft", "add", "insert", "extend", "update", "push", "unshift", "set"}
)
OWN = frozenset({"self", "cls", "this"})


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


def is_nothing(node: Node) -> bool:
    """Whether an expression is None, undefined or null."""
    return unwrapped(node).type in ("none", "undefined", "null")


def is_builtin(name: Node) -> bool:
    """Whether a name is that of a member of one of JavaScript's own objects."""
    holder = held(name.parent) if name.parent is not None and is_member(name.parent) else None
    return holder is not None and text_of(holder) in _BUILT_IN


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
    return held is not None and text_of(held) in OWN


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
    return function if function.type in NAMES else None


def held_of_call(call: Node) -> list[Node]:
    """The object whose method is called, or the expression that is called."""
    function = call.child_by_field_name(_CALLS[call.type])
    if function is None or function.type in NAMES:
        return []
    inner = held(function) if is_member(function) else function
    return [] if inner is None else [inner]


def arguments(call: Node) -> list[Node]:
    """The values that a call gives; those by keyword with their name."""
    given = call.child_by_field_name("arguments")
    return [] if given is None else [one for one in given.named_children if one.type != "comment"]


def members_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the members whose name is on a row, 0-based."""
    for node in nodes_on(root, row):
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
            fields = ASSIGNMENTS.get(node.type)
            target = None if fields is None else node.child_by_field_name(fields[0])
            waiting += [one for one in reversed(node.named_children) if one != target]


def subscripts_on(root: Node, row: int) -> list[Node]:
    """The elements that are read on a row, the outermost first."""
    return [one for one in nodes_on(root, row) if is_subscript(one)]


def guarding(root: Node, row: int) -> list[Node]:
    """The conditions on which a line raises an error on purpose; none for any other line."""
    raising = next((one for one in nodes_on(root, row) if one.type in _RAISING), None)
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
    """The value that an attribute with that name is given; None for any other place.

    It is assigned there, or the name is a key of an object.
    """
    member = name.parent
    if name.type == "shorthand_property_identifier":
        return name
    if member is not None and member.type == "pair" and member.child_by_field_name("key") == name:
        return member.child_by_field_name("value")
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


def added_to(name: Node) -> list[Node]:
    """The values that are put into the collection that an attribute with that name holds."""
    member = name.parent
    if member is None or not is_member(member) or member_name(member) != name:
        return []
    method, call = member.parent, None if member.parent is None else member.parent.parent
    if method is None or call is None or not is_member(method) or not is_call(call):
        return []
    return arguments(call) if text_of(member_name(method)) in _ADDING else []


def written_keys(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield the keys of Python's dictionaries that are plain texts and are given a value."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        key = None
        if node.type == "pair":
            key = node.child_by_field_name("key")
        elif node.type == "assignment":
            left = node.child_by_field_name("left")
            key = left.child_by_field_name("subscript") if left is not None else None
        if key is not None and key.type == "string":
            yield text_of(key).strip("'\""), key
        waiting += reversed(node.named_children)


def own_set_in(class_: Node) -> Iterator[Node]:
    """Yield the members of the object itself that the methods of a class assign."""
    waiting = list(class_.children)
    while waiting:
        node = waiting.pop()
        if is_member(node) and is_own(held(node)) and assigned_to(member_name(node)) is not None:
            yield node
        waiting += node.children


def _outer_calls(body: Node) -> Iterator[Node]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if is_call(node):
            yield node
        elif not is_function(node):
            waiting += reversed(node.named_children)


def nodes_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the nodes that have something on a row, each before those in it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start_point[0] <= row <= node.end_point[0]:
            yield node
            waiting += reversed(node.named_children)
