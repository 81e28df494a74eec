"""The names of the types in a type annotation."""

import re
from collections.abc import Iterator
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
_PYTHON_WRAPPERS = frozenset(
    {"Optional", "Annotated", "Final", "ClassVar", "Type", "type", "Awaitable"}
)


@lru_cache(maxsize=2048)
def type_names(text: str) -> tuple[tuple[str, ...], ...]:
    """The names of the types whose members a value of this type may have.

    Unions and intersections give all their parts, an array or promise its elements or value; a
    dotted name is a tuple of several.
    """
    names: list[tuple[str, ...]] = []
    for part in split_outside(text, "|&"):
        plain = re.sub(r"^readonly\s+|(?:\s*\[\])+$", "", part.strip())
        found = _NAMED.fullmatch(plain)
        if plain.startswith("(") and plain.endswith(")"):
            names += type_names(plain[1:-1])
        elif found is not None and found[1] in _WRAPPERS and found[2]:
            names += type_names(split_outside(found[2], ",")[0])
        elif found is not None:
            names.append(tuple(found[1].split(".")))
    return tuple(names)


def type_parts(text: str) -> Iterator[str]:
    """Yield the parts of a union type in Python, without what is wrapped around them."""
    for part in text.replace('"', " ").replace("'", " ").split("|"):
        head, bracket, rest = part.strip().partition("[")
        if bracket and head.rpartition(".")[2] in _PYTHON_WRAPPERS:
            yield rest.rstrip("] ").partition(",")[0].partition("[")[0].strip()
        else:
            yield head.strip()


def split_outside(text: str, signs: str, brackets: str = "<>()[]{}") -> list[str]:
    """The parts of ``text`` between signs that are not inside brackets."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        if sign in brackets[::2]:
            depth += 1
        elif sign in brackets[1::2] and text[place - 1 : place] != "=":
            depth -= 1
        elif depth == 0 and sign in signs:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return parts
