"""The return values and arguments of functions, in the syntax tree of JavaScript and TypeScript."""

from ipuaro_jupyter.languages.language import Node

_EXPRESSIONS = frozenset({"arrow_function", "function_expression"})
_MOST_LEVELS = 3
_MOST_RETURNS = 50
_STATEMENTS = frozenset(
    {
        *("return_statement", "statement_block", "if_statement", "else_clause", "for_statement"),
        *("for_in_statement", "while_statement", "do_statement", "try_statement", "catch_clause"),
        *("finally_clause", "switch_statement", "switch_body", "switch_case", "switch_default"),
        "labeled_statement",
    }
)


def arguments(call: Node) -> list[Node]:
    """The arguments of a call."""
    listed = call.child_by_field_name("arguments")
    if listed is None or listed.type != "arguments":
        return []
    return [child for child in listed.named_children if not child.is_extra]


def returned_values(function: Node) -> list[Node]:
    """The expressions that a function returns."""
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return [] if body is None else [body]
    found: list[Node] = []
    open_ = [body]
    while open_ and len(found) < _MOST_RETURNS:
        node = open_.pop()
        if node.type == "return_statement":
            found += node.named_children[:1]
        else:
            open_ += [child for child in node.named_children if child.type in _STATEMENTS]
    return found


def function_of(node: Node | None) -> Node | None:
    """The function that a declaration is, or has as its value."""
    for _ in range(2):
        if node is None or node.child_by_field_name("body") is not None:
            break
        node = node.child_by_field_name("value") or node.child_by_field_name("right")
    return node


def receives_first(parameter: Node) -> Node | None:
    """The function of the call whose first argument is a function with this first parameter."""
    function: Node | None = parameter
    for _ in range(_MOST_LEVELS):
        if function is None or function.type in _EXPRESSIONS:
            break
        function = function.parent
    given = function.parent if function is not None else None
    if function is None or given is None or given.type != "arguments" or given.parent is None:
        return None
    listed = function.child_by_field_name("parameters")
    first = parameter if listed is None else next(iter(listed.named_children), None)
    if first != parameter or next(iter(given.named_children), None) != function:
        return None
    return given.parent.child_by_field_name("function")
