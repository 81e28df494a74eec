"""The names of the types in a type annotation."""

import re
from functools import lru_cache

_NAMED = re.compile(
    r"(?:typeof\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:<(.*)>)?", re.DOTALL
)
_WRAPPERS = frozenset(
    {
        *("Promise", "PromiseLike", "Awaited", "Array", "ReadonlyArray", "Readonly", "Partial"),
        *("Required", "NonNullable", "InstanceType", "Omit", "Pick", "Set", "Iterable", "Ref"),
        *("MutableRefObject", "RefObject", "Observable", "WeakRef", "DeepPartial", "Mocked"),
        *("PropsWithChildren", "PropsWithRef"),
    }
)
"""Types that, for our purpose, stand for their first argument."""
_OPENING = "<([{"
_CLOSING = ">)]}"


@lru_cache(maxsize=2048)
def type_names(text: str) -> tuple[tuple[str, ...], ...]:
    """The names of the types whose members a value of this type may have.

    Unions and intersections give all their parts, an array or promise its elements or value; a
    dotted name is a tuple of several.
    """
    names: list[tuple[str, ...]] = []
    for part in _split(text, "|&"):
        plain = re.sub(r"^readonly\s+|(?:\s*\[\])+$", "", part.strip())
        found = _NAMED.fullmatch(plain)
        if plain.startswith("(") and plain.endswith(")"):
            names += type_names(plain[1:-1])
        elif found is not None and found[1] in _WRAPPERS and found[2]:
            names += type_names(_split(found[2], ",")[0])
        elif found is not None:
            names.append(tuple(found[1].split(".")))
    return tuple(names)


def _split(text: str, signs: str) -> list[str]:
    """The parts of ``text`` between signs that are not inside brackets."""
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
