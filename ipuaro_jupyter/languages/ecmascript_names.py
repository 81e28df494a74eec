"""Names of TypeScript and JavaScript that a change takes away and the file still uses."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from ipuaro_jupyter.languages.ecmascript_source import EcmascriptSource, source_of
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.lost_name import LostName, Verb
from ipuaro_jupyter.languages.offered_names import is_offered_to_ecmascript
from ipuaro_jupyter.languages.syntax import parse_fitting

_MOST_PLACES = 2000
_SHORTHAND = "shorthand_property_identifier_pattern"
_NAMES = {"identifier", "type_identifier", "shorthand_property_identifier", _SHORTHAND}
_MEMBER = "property_identifier"
_ENUMS = {"enum_body", "enum_assignment"}
_READ = {*_NAMES, _MEMBER}
_PATTERNS = {
    *("object_pattern", "array_pattern", "pair_pattern", "rest_pattern"),
    *("assignment_pattern", "object_assignment_pattern"),
}
_DECLARING = re.compile(
    r".*_parameters?|.*_declarat(?:ion|or)|.*_signature|(?:generator_)?function(?:_expression)?"
    r"|class|abstract_class|internal_module|module|import_\w+|namespace_import|catch_clause|for_in_statement"
    r"|arrow_function|index_signature|infer_type|mapped_type_clause|type_predicate|asserts"
    r"|namespace_export"
)
_OF_MODULES = {"import_statement", "export_statement"}
_DECLARATION = re.compile(
    r"(?:(?:generator_)?function|(?:abstract_)?class|interface|type_alias|enum)_declaration"
)
_VALUES = {"value", "right", "body", "type", "return_type", "constraint", "default_type", "object"}
_NO_USES = {"import_specifier", "jsx_namespace_name"}
_JSX = {"jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"}
_GLOBAL_OBJECTS = {b"window", b"globalThis", b"global", b"self"}
_EXPORTS = re.compile(rb"(?:module\.)?exports\b")
_GLOBAL = re.compile(rb"\b(?:window|globalThis|global|self)\.([\w$]+)\s*=(?!=)")
_USING = re.compile(rb"\busing\s+([\w$]+)\s*=(?!=)")  # the grammars do not know it


def lost_in_ecmascript(path: str, before: bytes, after: bytes) -> list[LostName]:
    """The first use of each name that a file no longer binds at its top, in the order of lines.

    Args:
        path: The file's path: TypeScript, JavaScript, or a component, of which the template counts
            as far as it is read.
        before: The old text.
        after: The new text.

    Raises:
        ParsingTooSlow: A text took too long.
    """
    old, new = source_of(path, before), source_of(path, after)
    if old is None or new is None:
        return []
    tree = parse_fitting(new.language, new.text)[1]
    if tree.root_node.has_error:
        return []
    gone = dict(_at_top(parse_fitting(old.language, old.text)[1].root_node))
    there = {name for name, _ in _at_top(tree.root_node)} | _bound_otherwise(new) | new.bound
    is_module = new.is_module or _is_module(tree.root_node)
    names = {
        name
        for name, verb in gone.items()
        if (is_module or verb == "imported")
        and name not in there
        and not is_offered_to_ecmascript(name, imported=verb == "imported")
    }
    lost = []
    for name, starts in (_places(new, names) if names else {}).items():
        if len(starts) > _MOST_PLACES:
            continue
        nodes = [tree.root_node.descendant_for_byte_range(*place) for place in starts]
        whole = [node for node in nodes if node is not None and _text(node) in {name, f"${name}"}]
        named = [node for node in whole if node.type in _READ]
        if any(_declares(node) or _may_be_absent(node, new.language) for node in named):
            continue
        uses = [node for node in named if _uses(node) and not new.may_be_given(node, old)]
        if uses:
            line = min(node.start_point.row for node in uses) + 1
            lost.append(LostName(line, name, gone[name]))
    return sorted(lost)


def _is_module(root: Node) -> bool:
    """Whether a text imports or exports at its top, by statements or as CommonJS does."""
    for statement in root.named_children:
        if statement.type in _OF_MODULES or "imported" in dict(_of_variables(statement)).values():
            return True
        inner = statement.named_children[0] if statement.named_children else statement
        left = inner.child_by_field_name("left") if inner.type == "assignment_expression" else None
        if left is not None and _EXPORTS.match(left.text or b""):
            return True
    return False


def _at_top(root: Node) -> Iterator[tuple[str, Verb]]:
    """Yield the names that the statements of a module or script bind."""
    for statement in root.named_children:
        exported = statement.child_by_field_name("declaration")
        inner = exported if exported is not None else statement
        if inner.type == "import_statement":
            clauses = [one for one in inner.named_children if one.type.startswith("import_")]
            names = (node for clause in clauses for node in _names_in(clause))
            yield from ((_text(node), "imported") for node in names if _declares(node))
        elif inner.type == "import_alias":
            yield _text(inner.named_children[0]), "declared"
        elif inner.type in {"lexical_declaration", "variable_declaration"}:
            yield from _of_variables(inner)
        elif _DECLARATION.fullmatch(inner.type):
            name = inner.child_by_field_name("name")
            if name is not None and name.type in _NAMES:
                yield _text(name), "declared"


def _of_variables(statement: Node) -> Iterator[tuple[str, Verb]]:
    """Yield the names of a ``const``, ``let`` or ``var``."""
    for declarator in statement.named_children:
        pattern = declarator.child_by_field_name("name")
        if pattern is None:
            continue
        value = declarator.child_by_field_name("value")
        verb: Verb = "imported" if _requires(value) else "declared"
        for node in _names_in(pattern):
            if _declares(node) and not _is_global(node, value):
                yield _text(node), verb


def _is_global(node: Node, value: Node | None) -> bool:
    """Whether a name is taken from the global object, where it is called the same."""
    if value is None or value.type != "member_expression":
        return node.type == _SHORTHAND and value is not None and value.text in _GLOBAL_OBJECTS
    owner, member = (value.child_by_field_name(field) for field in ("object", "property"))
    is_of_all = owner is not None and owner.text in _GLOBAL_OBJECTS
    return is_of_all and member is not None and member.text == node.text


def _requires(value: Node | None) -> bool:
    """Whether a value is what ``require`` gives, or a part or a call of it."""
    while value is not None:
        if value.type == "member_expression":
            value = value.child_by_field_name("object")
            continue
        function = value.child_by_field_name("function")
        if function is not None and function.text == b"require":
            return True
        value = function
    return False


def _names_in(node: Node) -> Iterator[Node]:
    """Yield the names in a node, itself included."""
    open_ = [node]
    while open_:
        one = open_.pop()
        if one.type in _NAMES:
            yield one
        open_.extend(one.named_children)


def _places(source: EcmascriptSource, names: set[str]) -> dict[str, list[tuple[int, int]]]:
    """Where names stand outside of comments and strings: first and last + 1, in bytes."""
    words = b"|".join(re.escape(name.encode()) for name in sorted(names))
    dollar = rb"\$?" if source.has_stores else b""
    found: dict[str, list[tuple[int, int]]] = {}
    for match in re.finditer(rb"(?<![\w$])%b(%b)(?![\w$])" % (dollar, words), source.masked):
        found.setdefault(match[1].decode(), []).append(match.span())
    return found


def _declares(node: Node) -> bool:
    """Whether a name stands where it is declared, perhaps in a pattern."""
    child, parent = node, node.parent
    if node.type in {_SHORTHAND, _MEMBER}:  # in an enum its members are names
        return node.type == _SHORTHAND or (parent is not None and parent.type in _ENUMS)
    while parent is not None and parent.type in _PATTERNS:
        if _field(parent, child) in {"right", "key"}:
            return False
        child, parent = parent, parent.parent
    field = _field(parent, child) if parent is not None else None
    if parent is not None and parent.type == "for_in_statement":
        return field == "left" and parent.child_by_field_name("kind") is not None
    if parent is None or parent.type == "assignment_expression":
        return field == "left" and parent is not None and _is_reactive(parent)
    if parent.type == "import_specifier" and parent.child_by_field_name("alias") is not None:
        return field == "alias"
    return bool(_DECLARING.fullmatch(parent.type)) and field not in _VALUES


def _is_reactive(assignment: Node) -> bool:
    """Whether it is one as ``$: a = b`` of Svelte, which declares what it assigns to."""
    statement = assignment.parent
    while statement is not None and statement.type in {
        "expression_statement",
        "parenthesized_expression",
    }:
        statement = statement.parent
    label = statement.child_by_field_name("label") if statement is not None else None
    return label is not None and label.text == b"$"


def _may_be_absent(node: Node, language: Language) -> bool:
    """Whether ``typeof`` asks if the name is there at all, as only JavaScript lets it."""
    parent = node.parent
    if parent is None or parent.type != "unary_expression" or language.name != "javascript":
        return False
    return parent.children[0].type == "typeof"


def _bound_otherwise(source: EcmascriptSource) -> set[str]:
    """The names that comments for ESLint declare, members of the global object, and ``using``."""
    lists = re.findall(rb"/\*\s*globals?\s([^*]*)\*/", source.text)
    words = [word for names in lists for word in re.findall(rb"[\w$]+", names)]
    assigned = (*_GLOBAL.findall(source.masked), *_USING.findall(source.masked))
    return {word.decode() for word in (*words, *assigned)}


def _uses(node: Node) -> bool:
    """Whether a name that declares nothing stands for what it names."""
    parent = node.parent
    if parent is None or parent.type in _NO_USES or node.type == _MEMBER:
        return False
    if parent.type in _JSX:
        return not _text(node)[:1].islower()
    if parent.type == "export_specifier":
        statement = parent.parent.parent if parent.parent is not None else None
        is_from = statement is not None and statement.child_by_field_name("source") is not None
        return _field(parent, node) == "name" and not is_from
    is_nested = parent.type.startswith("nested_")
    if is_nested and _text(node) == "React":  # its types are there without an import
        return False
    return not (is_nested and _field(parent, node) in {"name", "property"})


def _field(parent: Node, child: Node) -> str | None:
    """The field of a node that a child is."""
    return next(
        (
            parent.field_name_for_child(number)
            for number, one in enumerate(parent.children)
            if one.id == child.id
        ),
        None,
    )


def _text(node: Node) -> str:
    return (node.text or b"").decode()
