"""The return values and arguments of functions, in the syntax tree of JavaScript and TypeScript."""

from ipuaro_jupyter.languages.language import Node

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
