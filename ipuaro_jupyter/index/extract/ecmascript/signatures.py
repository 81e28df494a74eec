"""Read parameters, return types, modifiers and patterns."""

import re

from ipuaro_jupyter.index.extract.scope_stack import (
    LONGEST_KNOWN,
    MOST_KNOWN,
    Facts,
    SourceBytes,
    uncommented,
)
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.tables import Parameter

_SIGN = re.compile(r"(?:[-+]?\??:|->)\s*")  # between a name and its type


def parameters(source: SourceBytes, node: Node) -> list[Facts]:
    """The parameters of a function as dicts of `records.code.Param`.

    Equal text is read once and shared: callers must not change the dicts.
    """
    listed = source.child(node, "parameters") or source.child(node, "parameter")
    if listed is None:
        return []
    start, end = listed.start_byte, listed.end_byte
    if source.is_irregular or end - start > LONGEST_KNOWN:
        return _listed(source, listed)
    known, text = source.language.parameters, source.data[start:end]
    found = known.get(text)
    if found is None:
        found = _listed(source, listed)
        if len(known) < MOST_KNOWN:
            known[text] = found
    return found.copy()


def _listed(source: SourceBytes, listed: Node) -> list[Facts]:
    """The parameters in a parameter list, or in a single parameter; see `parameters`."""
    known = source.tables.parameters
    how = known.get(listed.type)
    if how is not None:  # x => x
        return [_parameter(source, listed, how)]
    found = []
    for child in listed.named_children:
        how = known.get(child.type)
        if how is not None:
            parameter = _parameter(source, child, how)
            if parameter["name"] not in source.tables.receivers:
                found.append(parameter)
    return found


def _parameter(source: SourceBytes, node: Node, how: Parameter) -> Facts:
    """One parameter; a rest pattern or default is unwrapped."""
    given = node.child_by_field_name(how.type) if how.type else None
    type_ = type_text(source, given)
    is_optional = how.optional
    is_rest = how.rest
    if how.default and node.child_by_field_name(how.default):
        is_optional = True
    inner = node.child_by_field_name(how.name) if how.name else None
    if how.place is not None and how.place < node.named_child_count:
        inner = node.named_children[how.place]
    if inner is None and how.rest and node.named_child_count:
        inner = node.named_children[-1]
    if inner is None:
        inner = node
    elif inner is not node:
        below = source.tables.parameters.get(inner.type)
        if below is not None and below.rest and inner.named_child_count:
            is_rest = True
            inner = inner.named_children[-1]
    return {
        "name": source.flat(inner),
        "type": type_,
        "is_optional": is_optional,
        "is_rest": is_rest,
    }


def parameter_properties(source: SourceBytes, node: Node) -> list[tuple[Facts, int]]:
    """The constructor parameters that are also fields, with the byte offsets of their names.

    They are dicts of `records.code.Property`.
    """
    listed = source.child(node, "parameters")
    found: list[tuple[Facts, int]] = []
    for child in listed.named_children if listed is not None else ():
        how = source.tables.parameters.get(child.type)
        fields = source.tables.parameter_properties
        if how is not None and any(part.type in fields for part in child.children):
            parameter = _parameter(source, child, how)
            field: Facts = {
                "name": parameter["name"],
                "line_start": child.start_point.row + 1,
                "line_end": child.end_point.row + 1,
                "type": parameter["type"],
                "is_static": False,
                "is_readonly": "readonly" in source.modifiers(child),
                "function": None,
            }
            name = child.child_by_field_name(how.name) if how.name else None
            found.append((field, (name or child).start_byte))
    return found


def type_text(source: SourceBytes, node: Node | None) -> str | None:
    """The text of a type without the sign before it; None when there is none."""
    if node is None:
        return None
    if source.is_irregular:
        return _type_text(source.type(node))
    text = source.data[node.start_byte : node.end_byte]
    known = source.language.types
    if text in known:
        return known[text]
    found = _type_text(text.decode())
    if len(known) < MOST_KNOWN and len(text) < LONGEST_KNOWN:
        known[text] = found
    return found


def _type_text(text: str) -> str | None:
    found = _SIGN.match(text)
    if found is not None:
        text = text[found.end() :]
    return " ".join(uncommented(text).split()) or None


def bound_names(source: SourceBytes, pattern: Node) -> list[tuple[str, Node]]:
    """The names that a pattern binds, in order, with their nodes."""
    tables = source.tables
    found = []
    open_ = [pattern]
    while open_:
        node = open_.pop()
        if node.type in tables.pattern_leaves:
            found.append((source.text(node), node))
        elif (follow := tables.pattern_follow.get(node.type)) is not None:
            inner = node.child_by_field_name(follow)
            if inner is None and node.named_child_count:
                inner = node.named_children[0]
            if inner is not None:
                open_.append(inner)
        else:
            open_.extend(reversed(node.named_children))
    return found


def bound_pairs(source: SourceBytes, pattern: Node) -> list[tuple[str, str]]:
    """The (key, name) pairs that a pattern takes out of an object; key "*" is the whole object."""
    if pattern.type in source.tables.pattern_leaves:
        return [("*", source.text(pattern))]
    found = []
    for child in pattern.named_children:
        how = source.tables.parameters.get(child.type)
        key = source.child(child, "key")
        for name, _ in bound_names(source, child):
            if how is not None and how.rest:
                found.append(("*", name))
            else:
                found.append((source.name(key) if key is not None else name, name))
    return found
