"""The ids of the files in the index, and how they are packed in its rows.

An id is a hash of the path, so that the same files give the same index whatever happened before;
when two paths have the same hash, the later one gets the next free id.
"""

import struct
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ipuaro_jupyter.index.storage.stored_index import FileEntry

_MOST = 0xFFFFFFFF


def file_ids_for(paths: Iterable[str], known: "Mapping[str, FileEntry]") -> dict[str, int]:
    """An id for each path, unique and never 0: the one it has, or a new one.

    Args:
        paths: The files.
        known: All files in the index.
    """
    found = {path: known[path].number if path in known else 0 for path in sorted(paths)}
    taken = {entry.number for entry in known.values()} if 0 in found.values() else set()
    for path, number in found.items():
        if not number:
            found[path] = _free(path, taken)
            taken.add(found[path])
    return found


def pack(counts: Iterable[tuple[int, int]]) -> bytes:
    """Pack file ids, each with the count of a token, as stored in `tokens`."""
    numbers = [number for pair in counts for number in pair]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def unpack(value: bytes) -> dict[int, int]:
    """The count of a token, by file id."""
    numbers = struct.unpack(f"<{len(value) // 4}I", value)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def pack_numbers(kind: Literal["H", "I"], numbers: Iterable[int]) -> bytes:
    """Pack numbers, sorted, as 16 ("H") or 32 bits ("I") each."""
    listed = sorted(numbers)
    return struct.pack(f"<{len(listed)}{kind}", *listed)


def unpack_numbers(kind: Literal["H", "I"], value: bytes) -> tuple[int, ...]:
    """The numbers that `pack_numbers` packed."""
    return struct.unpack(f"<{len(value) // struct.calcsize(kind)}{kind}", value)


def _free(path: str, taken: set[int]) -> int:
    number = int.from_bytes(blake2b(path.encode(), digest_size=4).digest(), "little") or 1
    while number in taken:
        number = number % _MOST + 1
    return number
