"""The names of the types in a type annotation."""

import re
from collections.abc import Iterator

_NAMED = re.compile(
    r"(?:typeof\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:<(.*)>)?", re.DOTALL
)
_WRAPPERS = frozenset(
    {
        *("Promise", "PromiseLike", "Awaited", "Array", "ReadonlyArray", "Readonly", "Partial"),
        *("Required", "NonNullable", "InstanceType", "Omit", "Pick", "Set", "Iterable", "Ref"),
        *("MutableRefObject", "RefObject", "Observable", "WeakRef", "DeepPartial", "Mocked"),
    }
)
"""Types that stand, for our purpose, for their first argument."""
_OPENING = "<([{"
_CLOSING = ">)]}"


def type_names(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the names that a value of a type may have members of.

    Unions and intersections give all their parts, an array or promise what it holds; a dotted
    name is a tuple of several.
    """
    for part in _split(text, "|&"):
        plain = re.sub(r"^readonly\s+|(?:\s*\[\])+$", "", part.strip())
        if plain.startswith("(") and plain.endswith(")"):
            yield from type_names(plain[1:-1])
            continue
        found = _NAMED.fullmatch(plain)
        if found is None:
            continue
        if found[1] in _WRAPPERS and found[2]:
            yield from type_names(_split(found[2], ",")[0])
        else:
            yield tuple(found[1].split("."))


def _split(text: str, signs: str) -> list[str]:
    """Return the parts of ``text`` between signs that are in no brackets."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING and text[place - 1 : place] != "=":
            depth -= 1
        elif depth == 0 and sign in signs:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return parts
