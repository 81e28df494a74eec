"""The targets of a name in ``exports`` or ``imports`` of a package.json, in the order to try.

See ``loadModuleFromExportsOrImports`` in TypeScript. Unlike Node, TypeScript goes on with the next
condition when a target is null, not allowed or missing.
"""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ipuaro_jupyter.index.resolve.version_ranges import is_in_range

_FORBIDDEN = frozenset({"..", ".", "node_modules"})


class Target(NamedTuple):
    """The target of an entry: a path ("./…") in the package, or, if `is_name`, another module."""

    text: str
    is_name: bool


class ExportMap:
    """The ``exports`` or ``imports`` of a package.

    Args:
        field: The value of the field, of any type.
        is_imports: The field is ``imports``: its targets may be other modules.
    """

    def __init__(self, field: object, *, is_imports: bool = False) -> None:
        self._is_imports = is_imports
        self._table: dict[str, Any] = {}
        self._patterns: list[str] = []
        named = [key for key in field if key[:1] == "."] if isinstance(field, dict) else []
        if isinstance(field, dict) and (is_imports or len(named) == len(field)):
            self._table = field
            patterns = (key for key in field if key.count("*") == 1 or key.endswith("/"))
            self._patterns = sorted(patterns, key=_specificity)
        elif named and isinstance(field, dict):  # conditions beside names: only "." counts
            self._table = {".": field.get(".")}
        elif not is_imports:
            self._table = {".": field}

    def targets(self, name: str, conditions: Collection[str]) -> Iterator[Target]:
        """Yield the targets of a name, in the order to try.

        The entry of the name itself counts, else the most specific pattern.

        Args:
            name: "." or "./sub/path", or "#name".
            conditions: The conditions that hold, such as "import" and "types".
        """
        if name == "#" or name.startswith("#/"):
            return
        if name in self._table and "*" not in name and not name.endswith("/"):
            yield from self._substituted(name, "", conditions, is_pattern=False)
            return
        for key in self._patterns if name != "." else ():
            prefix, star, suffix = key.partition("*")
            if name.startswith(prefix) and name.endswith(suffix):
                start, end = sorted((len(prefix), len(name) - len(suffix)))
                subpath = name[start:end]
                yield from self._substituted(key, subpath, conditions, is_pattern=bool(star))
                return

    def _substituted(
        self, key: str, subpath: str, conditions: Collection[str], *, is_pattern: bool
    ) -> Iterator[Target]:
        for target in _targets(self._table[key], conditions):
            found = _substituted(
                target, subpath, is_pattern=is_pattern, is_imports=self._is_imports
            )
            if found is not None:
                yield found


def every_target(field: object) -> Iterator[str]:
    """Yield every string in ``exports``, ``bin`` or ``browser``, under any condition."""
    waiting = [field]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += reversed(item.values())
        elif isinstance(item, list):
            waiting += reversed(item)


def _specificity(key: str) -> tuple[int, bool, int]:
    """The sort key of patterns: PATTERN_KEY_COMPARE of Node's documentation."""
    star = key.find("*")
    return -(star + 1 or len(key)), star < 0, -len(key)


def _targets(target: object, conditions: Collection[str]) -> Iterator[str]:
    """Yield the strings that a target resolves to under the conditions."""
    waiting = [target]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
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


def _substituted(target: str, subpath: str, *, is_pattern: bool, is_imports: bool) -> Target | None:
    """A target with its ``*`` filled in; None when it is not allowed."""
    if subpath and not is_pattern and not target.endswith("/"):
        return None
    text = target.replace("*", subpath) if is_pattern else target + subpath
    if target.startswith("./"):
        parts = (*target.split("/")[1:], *subpath.split("/"))
        return None if _FORBIDDEN.intersection(parts) else Target(text, is_name=False)
    is_name = is_imports and not target.startswith(("../", "/"))
    return Target(text, is_name=True) if is_name else None
