"""``exports`` and ``imports`` of a package.json: what they give for a name, in the order to try.

See ``loadModuleFromExportsOrImports`` in TypeScript. Other than Node, TypeScript goes on with
the next condition when a target is null, not allowed or not there.
"""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ipuaro_jupyter.index.version_ranges import is_in_range

_FORBIDDEN = frozenset({"..", ".", "node_modules"})


class Target(NamedTuple):
    """Where an entry leads: a path ("./…") in the package, or, if `is_name`, another module."""

    text: str
    is_name: bool


def exported(exports: object, subpath: str, conditions: Collection[str]) -> Iterator[Target]:
    """Yield what ``exports`` offers.

    Args:
        exports: The field.
        subpath: "." or "./sub/path".
        conditions: The conditions that hold, such as "import" and "types".
    """
    has_dots = isinstance(exports, dict) and any(key.startswith(".") for key in exports)
    if subpath != ".":
        if isinstance(exports, dict) and all(key.startswith(".") for key in exports):
            yield from _matching(exports, subpath, conditions, is_imports=False)
        return
    main = exports.get(".") if isinstance(exports, dict) and has_dots else exports
    if main:
        yield from _targets(main, "", conditions, is_pattern=False, is_imports=False)


def imported(imports: object, name: str, conditions: Collection[str]) -> Iterator[Target]:
    """Yield what ``imports`` gives for "#name"; the arguments are those of `exported`."""
    if isinstance(imports, dict) and name != "#" and not name.startswith("#/"):
        yield from _matching(imports, name, conditions, is_imports=True)


def every_target(field: object) -> Iterator[str]:
    """Yield every text in ``exports``, ``bin`` or ``browser``, whatever the conditions."""
    waiting = [field]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += reversed(item.values())
        elif isinstance(item, list):
            waiting += reversed(item)


def _matching(
    table: dict[str, Any], name: str, conditions: Collection[str], *, is_imports: bool
) -> Iterator[Target]:
    """Yield the targets of the entry for ``name``: itself, else the most special pattern."""
    if name in table and "*" not in name and not name.endswith("/"):
        yield from _targets(table[name], "", conditions, is_pattern=False, is_imports=is_imports)
        return
    patterns = [key for key in table if key.count("*") == 1 or key.endswith("/")]
    for key in sorted(patterns, key=_speciality):
        prefix, star, suffix = key.partition("*")
        if not name.startswith(prefix) or not name.endswith(suffix):
            continue
        start, end = sorted((len(prefix), len(name) - len(suffix)))
        yield from _targets(
            table[key],
            name[start:end],
            conditions,
            is_pattern=bool(star),
            is_imports=is_imports,
        )
        return


def _speciality(key: str) -> tuple[int, bool, int]:
    """Return what patterns are sorted by: PATTERN_KEY_COMPARE of Node's documentation."""
    star = key.find("*")
    return -(star + 1 or len(key)), star < 0, -len(key)


def _targets(
    target: object,
    subpath: str,
    conditions: Collection[str],
    *,
    is_pattern: bool,
    is_imports: bool,
) -> Iterator[Target]:
    """Yield what a target leads to under the conditions."""
    waiting = [target]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found = _filled(item, subpath, is_pattern=is_pattern, is_imports=is_imports)
            if found is not None:
                yield found
        elif isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict):
            waiting += [item[key] for key in reversed(item) if _applies(key, conditions)]


def _applies(condition: str, conditions: Collection[str]) -> bool:
    if condition in conditions or condition == "default":
        return True
    return (
        condition.startswith("types@")
        and "types" in conditions
        and is_in_range(condition.removeprefix("types@"))
    )


def _filled(target: str, subpath: str, *, is_pattern: bool, is_imports: bool) -> Target | None:
    """Return a target with what its pattern stands for; None when it is not allowed."""
    if subpath and not is_pattern and not target.endswith("/"):
        return None
    text = target.replace("*", subpath) if is_pattern else target + subpath
    if target.startswith("./"):
        parts = (*target.split("/")[1:], *subpath.split("/"))
        return None if _FORBIDDEN.intersection(parts) else Target(text, is_name=False)
    is_name = is_imports and not target.startswith(("../", "/"))
    return Target(text, is_name=True) if is_name else None
