"""The two spaces of TypeScript's names: a type and a value may share a name, and nothing else.

``const Key = …`` leaves the type ``Key`` to whoever else declares it, even in the same file.
https://www.typescriptlang.org/docs/handbook/declaration-merging.html#basic-concepts
"""

from typing import Literal

from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.languages.language import Node

Space = Literal["type", "value"]
BOTH: frozenset[Space] = frozenset({"type", "value"})

_VALUES = frozenset(
    {
        *("variable_declarator", "function_declaration", "generator_function_declaration"),
        *("function_signature", "object_pattern", "array_pattern", "pair_pattern"),
    }
)
_TYPES = frozenset({"interface_declaration", "type_alias_declaration"})
# Parents of names that stand for everything of that name, or for a namespace.
_ANY_SPACE = frozenset(
    {
        *("import_specifier", "export_specifier", "import_clause", "export_statement"),
        *("namespace_import", "namespace_export", "import_alias", "import_require_clause"),
        *("nested_type_identifier", "nested_identifier"),
    }
)


def is_typescript(path: str) -> bool:
    """Whether a file is in TypeScript; in JavaScript, a function may be the type it constructs."""
    language = is_understood(path)
    return language is not None and language.name != "javascript"


def spaces_of(name: Node | None) -> frozenset[Space]:
    """The spaces in which a declaration has its name; both when that is not known.

    Args:
        name: The declared name.
    """
    parent = name.parent if name is not None else None
    if parent is None:
        return BOTH
    if parent.type in _VALUES:
        return frozenset({"value"})
    return frozenset({"type"}) if parent.type in _TYPES else BOTH


def is_in(name: Node, spaces: frozenset[Space]) -> bool:
    """Whether a name at its place is looked up in one of the spaces."""
    if name.type == "type_identifier":
        return "type" in spaces
    parent = name.parent
    is_value = name.type.startswith("shorthand_property_identifier") or (
        name.type == "identifier" and parent is not None and parent.type not in _ANY_SPACE
    )
    return not is_value or "value" in spaces
