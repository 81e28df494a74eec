"""What the server holds of each project, key by key."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import SCHEMA, Keys

Part = Literal["index", "sessions", "undo", "other"]
PARTS: tuple[Part, ...] = ("index", "sessions", "undo", "other")
_PREFIX = f"{SCHEMA}:project:"
_KEY = re.compile(re.escape(_PREFIX) + r"\{([^{}]+)\}:(.+)", re.DOTALL)
_INDEX = frozenset(
    {
        *("files", "ast", "meta", "modules", "definitions", "symbols", "postings", "tokens"),
        *("dependencies", "dependents", "lookups", "lookup_files", "file_ids", "index_info"),
        *("known", "known_before", "answers"),  # the last one by earlier versions
    }
)
_AT_ONCE = 200


class Holding(NamedTuple):
    """What is held of one project.

    Attributes:
        project_id: The project.
        sizes: The size of each key in bytes.
    """

    project_id: str
    sizes: Mapping[str, int]

    def keys_of(self, *parts: Part) -> list[str]:
        """The keys of some parts."""
        return [key for key in self.sizes if part_of(key) in parts]

    def bytes_of(self, *parts: Part) -> int:
        """The size of some parts."""
        return sum(self.sizes[key] for key in self.keys_of(*parts))


def part_of(key: str) -> Part:
    """The part of a project that a key belongs to; "other" of one that is not known."""
    found = _KEY.fullmatch(key)
    name, _, rest = found[2].partition(":") if found else ("", "", "")
    if name == "session":
        return "undo" if rest.rpartition(":")[2] in {"undo", "redo"} else "sessions"
    if name in {"sessions", "history"}:
        return "sessions"
    return "index" if name in _INDEX else "other"


def holdings(store: Store) -> dict[str, Holding]:
    """What the server holds of every project, by its id; listed or not."""
    return dict(_measured(store, f"{_PREFIX}*"))


def holding(store: Store, identity: str) -> Holding:
    """What the server holds of one project."""
    found = dict(_measured(store, Keys(identity).pattern))
    return found.get(identity, Holding(identity, {}))


def _measured(store: Store, pattern: str) -> Iterator[tuple[str, Holding]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for raw in store.scan(pattern):
        key = raw.decode(errors="replace")
        if (parts := _KEY.fullmatch(key)) and key.encode() == raw:  # no other one is ours
            found[parts[1]].append(key)
    for identity, keys in found.items():
        sizes: list[int] = []
        for start in range(0, len(keys), _AT_ONCE):
            sizes += store.memory(*keys[start : start + _AT_ONCE])
        yield identity, Holding(identity, dict(zip(keys, sizes, strict=True)))
