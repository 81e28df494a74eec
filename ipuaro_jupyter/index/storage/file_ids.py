"""The numbers that files have in the index.

A number is a hash of the path, so that the same files give the same index whatever happened
before; only where two paths have the same hash, the later one has the next number that is free.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from ipuaro_jupyter.index.storage.stored_index import FileEntry

_MOST = 0xFFFFFFFF


def numbers_for(paths: Iterable[str], known: Mapping[str, FileEntry]) -> dict[str, int]:
    """Return a number for each path, never 0, no number twice: the one that it has, or a new one.

    Args:
        paths: The files.
        known: All files that the index has.
    """
    found = {path: known[path].number if path in known else 0 for path in sorted(paths)}
    taken = {entry.number for entry in known.values()} if 0 in found.values() else set()
    for path, number in found.items():
        if not number:
            found[path] = _free(path, taken)
            taken.add(found[path])
    return found


def _free(path: str, taken: set[int]) -> int:
    number = int.from_bytes(blake2b(path.encode(), digest_size=4).digest(), "little") or 1
    while number in taken:
        number = number % _MOST + 1
    return number
