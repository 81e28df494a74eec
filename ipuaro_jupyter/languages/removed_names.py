"""Names that a change of a file no longer imports or declares, and the file still uses.

Told only where that is certain: nothing else in the new text declares such a name, in any scope.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from tree_sitter import Node

from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.components.component_code import code_in
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.offered_names import is_offered_to_ecmascript, is_offered_to_python
from ipuaro_jupyter.languages.python_errors import python_error
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import parse_fitting

LARGEST = 1_000_000
"""Larger files are not judged, in bytes."""
_MOST_TOLD = 5
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
_JSX = {"jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"}
Verb = Literal["imported", "declared"]
Found = tuple[int, str, Verb]
"""The 1-based line of a name's first use, the name, and what has been done with it before."""


@lru_cache(maxsize=8)
def removed_name_problems(path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """The names that a change leaves without a meaning, one line each, as a proposal tells them.

    None for a text with syntax errors, and for names that exist without an import. Declarations
    count in Python and in modules: what a script declares may stand in another one.

    Args:
        path: Its name decides the language: Python, TypeScript, JavaScript, or a component.
        before: The file as it is; None when there is none.
        after: The file as it would be; None when it is deleted.
    """
    if not before or not after or before == after or max(len(before), len(after)) > LARGEST:
        return ()
    language = language_for(path)
    if language is None:
        return ()
    try:
        if language.name == "python":
            found = _python(path, before, after)
        elif _is_ecmascript(language):
            found = _ecmascript(path, before, after)
        else:
            return ()
    except (ParsingTooSlow, SyntaxError, ValueError, RecursionError):
        return ()
    told = [f'line {line} uses "{name}", which is no longer {verb}' for line, name, verb in found]
    return tuple(told[:_MOST_TOLD])


def _is_ecmascript(language: Language) -> bool:
    is_read = language.is_code and language.reader in {"declarations", "component"}
    return is_read and language.modules == "ecmascript"


def _python(path: str, before: bytes, after: bytes) -> list[Found]:
    """The first use of each such name of Python."""
    if python_error(before) is not None or python_error(after) is not None:
        return []
    gone = dict(_of_module(ast.parse(before).body))
    new = list(ast.walk(ast.parse(after)))
    bound = {name for node in new for name in _bound(node)}
    if "*" in bound:
        return []
    bound |= {name for name in gone if is_offered_to_python(name, path)} | {*dir(builtins)}
    first: dict[str, int] = {}
    for node in new:
        if isinstance(node, ast.Name) and node.id in gone.keys() - bound:
            first[node.id] = min(node.lineno, first.get(node.id, node.lineno))
    return sorted((line, name, gone[name]) for name, line in first.items())


def _of_module(body: list[ast.stmt]) -> Iterator[tuple[str, Verb]]:
    """Yield the names that a module binds, not those in functions and classes."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from ((name, "imported") for name in _bound(statement))
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name, "declared"
        elif isinstance(statement, ast.Assign):
            yield from ((one, "declared") for target in statement.targets for one in _named(target))
        elif isinstance(statement, ast.AnnAssign):
            yield from ((one, "declared") for one in _named(statement.target))
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for field in ("body", "orelse", "finalbody"):
                yield from _of_module(getattr(statement, field, []))


def _named(target: ast.expr) -> Iterator[str]:
    """Yield the names that an assignment to a target binds."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Starred(value=inner):
            yield from _named(inner)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _named(part)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node itself binds, whatever its scope; "*" for unknown ones."""
    match node:
        case ast.Import(names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case ast.ImportFrom(module, names):
            if module != "__future__":
                yield from (one.asname or one.name for one in names)
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.Global(names) | ast.Nonlocal(names):
            yield from names
        case ast.MatchMapping(rest=str(name)):
            yield name
        case _ if not isinstance(node, ast.alias):  # functions, classes, handlers, patterns, types
            given = getattr(node, "name", None)
            if isinstance(given, str):
                yield given


def _ecmascript(path: str, before: bytes, after: bytes) -> list[Found]:
    """The first use of each such name of TypeScript or JavaScript."""
    (language, old), (other, new) = code_in(path, before), code_in(path, after)
    if language is None or other is None:
        return []
    tree = parse_fitting(other, new)[1]
    if tree.root_node.has_error:
        return []
    is_module = any(one.type in _OF_MODULES for one in tree.root_node.named_children)
    gone = dict(_at_top(parse_fitting(language, old)[1].root_node))
    there = {name for name, _ in _at_top(tree.root_node)} | _global_by_comment(new)
    names = {
        name
        for name, verb in gone.items()
        if (is_module or verb == "imported")
        and name not in there
        and not is_offered_to_ecmascript(name, imported=verb == "imported")
    }
    places = _places(other, new, names) if names else {}
    if not 0 < sum(map(len, places.values())) <= _MOST_PLACES:
        return []
    found = []
    for name, starts in places.items():
        size = len(name.encode())
        nodes = [tree.root_node.descendant_for_byte_range(at, at + size) for at in starts]
        whole = [node for node in nodes if node is not None and _text(node) == name]
        named = [node for node in whole if node.type in _READ]
        if any(_declares(node) or _may_be_absent(node, other) for node in named):
            continue
        uses = [node.start_point.row + 1 for node in named if _uses(node)]
        if uses:
            found.append((min(uses), name, gone[name]))
    return sorted(found)


def _at_top(root: Node) -> Iterator[tuple[str, Verb]]:
    """Yield the names that the statements of a module or script bind."""
    for statement in root.named_children:
        exported = statement.child_by_field_name("declaration")
        inner = exported if exported is not None else statement
        if inner.type == "import_statement":
            clauses = [one for one in inner.named_children if one.type.startswith("import_")]
            names = (node for clause in clauses for node in _names_in(clause))
            yield from ((_text(node), "imported") for node in names if _declares(node))
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
        if pattern is not None:
            verb: Verb = "imported" if _requires(declarator) else "declared"
            yield from ((_text(node), verb) for node in _names_in(pattern) if _declares(node))


def _requires(declarator: Node) -> bool:
    value = declarator.child_by_field_name("value")
    function = value.child_by_field_name("function") if value is not None else None
    return function is not None and function.text == b"require"


def _names_in(node: Node) -> Iterator[Node]:
    """Yield the names in a node, itself included."""
    open_ = [node]
    while open_:
        one = open_.pop()
        if one.type in _NAMES:
            yield one
        open_.extend(one.named_children)


def _places(language: Language, data: bytes, names: set[str]) -> dict[str, list[int]]:
    """Where names stand outside of comments and strings, in bytes."""
    words = b"|".join(re.escape(name.encode()) for name in sorted(names))
    masked = mask(data, language.comments).text
    found: dict[str, list[int]] = {}
    for match in re.finditer(rb"(?<![\w$])(?:%b)(?![\w$])" % words, masked):
        found.setdefault(match[0].decode(), []).append(match.start())
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


def _global_by_comment(data: bytes) -> set[str]:
    """The names that comments for ESLint declare."""
    lists = re.findall(rb"/\*\s*globals?\s([^*]*)\*/", data)
    return {word.decode() for names in lists for word in re.findall(rb"[\w$]+", names)}


def _uses(node: Node) -> bool:
    """Whether a name that declares nothing stands for what it names."""
    parent = node.parent
    if parent is None or parent.type == "import_specifier" or node.type == _MEMBER:
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
