"""The names that a pattern binds: ``{ a, b: [c], ...rest }``, ``item``, ``a, b``."""

from collections.abc import Iterator

from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.language import Language, Node

_PARSING_S = 0.2
_LONGEST = 4000
_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_BEGIN, _END = b"(", b") => 0"


def bound_names(language: Language, pattern: bytes) -> tuple[list[tuple[str, int]], list[range]]:
    """The names with their offsets, and the ranges of default values.

    Args:
        language: The language of the code.
        pattern: What stands between the parentheses of a parameter list.
    """
    if len(pattern) > _LONGEST:
        return [], []
    try:
        tree = parse(language, _BEGIN + pattern + _END, seconds=_PARSING_S)
    except ParsingTooSlow:
        return [], []
    values: list[range] = []
    names = [
        (node.text.decode(), node.start_byte - len(_BEGIN))
        for node in _parts(tree.root_node, values)
        if node.type in _NAMES and node.text is not None
    ]
    return names, values


def _parts(root: Node, values: list[range]) -> Iterator[Node]:
    """Yield the nodes of the parameters but for types, keys and default values."""
    open_ = [node for node in _descendants(root) if node.type == "formal_parameters"][:1]
    while open_:
        node = open_.pop()
        yield node
        value = node.child_by_field_name("value" if "parameter" in node.type else "right")
        if value is not None and node.type != "pair_pattern":
            values.append(range(value.start_byte - len(_BEGIN), value.end_byte - len(_BEGIN)))
        skipped = {value.id} if value is not None and node.type != "pair_pattern" else set()
        for child in node.named_children:
            if child.id not in skipped and child.type not in {"type_annotation", "decorator"}:
                open_.append(child)


def _descendants(root: Node) -> Iterator[Node]:
    open_ = [root]
    while open_:
        node = open_.pop()
        yield node
        open_.extend(reversed(node.children))
