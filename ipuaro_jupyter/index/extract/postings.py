"""The occurrences of each name in a file, in a form that is searched without decoding.

A blob is: a u32 with the length of the names, the names sorted and joined by NUL, a u32 for each
name with the number of places up to and including its own, then the places, u32 each, ascending.
All numbers are little-endian. A place is an offset in bytes from the start of the file, times four,
plus a role: 0 for a name that means what it means at the top of the file, or one of the constants
below.
"""

import struct
import sys
from array import array
from collections.abc import Mapping
from operator import sub

MEMBER = 1
"""The name of a member, a key or a label: not a name of the enclosing scopes.

In Python, a name in quotes in the list of exports.
"""
INNER = 2
"""A name that an inner scope binds, and that the top of the file binds to something else."""
UNSURE = 3
"""A name that only the syntax tree can resolve; in Python, one in a type that is in quotes."""

ROLE_BITS = 2
"""The number of low bits of a place that hold its role."""

_IS_PLAIN = sys.byteorder == "little" and array("I").itemsize == 4  # noqa: PLR2004 - bytes of u32
_U32 = struct.Struct("<I")


def place_of(offset: int) -> int:
    """Return the place of a name at an offset, without a role."""
    return offset << ROLE_BITS


def offset_of(place: int) -> int:
    """Return the offset of a place."""
    return place >> ROLE_BITS


def encode(by_name: Mapping[bytes, list[int]]) -> bytes:
    """Return the blob for names and their places. The lists are sorted in place."""
    names = sorted(by_name)
    head = b"\0".join(names)
    ends: list[int] = []
    all_places: list[int] = []
    for name in names:
        found = by_name[name]
        found.sort()
        all_places += found
        ends.append(len(all_places))
    return b"".join((_U32.pack(len(head)), head, _packed(ends), _packed(all_places)))


def _packed(numbers: list[int]) -> bytes:
    """Return numbers as u32, little-endian."""
    if _IS_PLAIN:
        return array("I", numbers).tobytes()
    return struct.pack(f"<{len(numbers)}I", *numbers)


def role_of(place: int) -> int:
    """Return the role of a place, 0 for none."""
    return place & UNSURE


def places(blob: bytes, name: str) -> tuple[int, ...]:
    """Return the places of ``name``, ascending; empty when it does not occur."""
    position = _position(blob, name.encode())
    if position is None:
        return ()
    table, count, index = position
    start = _U32.unpack_from(blob, table + 4 * (index - 1))[0] if index else 0
    (end,) = _U32.unpack_from(blob, table + 4 * index)
    return struct.unpack_from(f"<{end - start}I", blob, table + 4 * (count + start))


def offsets(blob: bytes, name: str) -> list[int]:
    """Return the offsets of ``name`` in bytes, ascending; empty when it does not occur."""
    return [offset_of(place) for place in places(blob, name)]


def names(blob: bytes) -> list[str]:
    """Return all names, sorted by their bytes."""
    if not blob:
        return []
    (length,) = _U32.unpack_from(blob)
    return blob[4 : 4 + length].decode().split("\0") if length else []


def counts(blob: bytes) -> list[tuple[str, int]]:
    """Return all names, sorted by their bytes, with how often each occurs."""
    found = names(blob)
    table = 4 + _U32.unpack_from(blob)[0] if blob else 0
    ends = struct.unpack_from(f"<{len(found)}I", blob, table)
    return list(zip(found, map(sub, ends, (0, *ends)), strict=False))


def decode(blob: bytes) -> dict[str, list[int]]:
    """Return everything: names with their offsets."""
    return {name: offsets(blob, name) for name in names(blob)}


def _position(blob: bytes, name: bytes) -> tuple[int, int, int] | None:
    """The start of the table, the number of names, and the index of ``name``; None if absent."""
    if not blob or not name or b"\0" in name:
        return None
    (length,) = _U32.unpack_from(blob)
    end = 4 + length
    at = _find(blob, name, end)
    if at < 0:
        return None
    return end, blob.count(b"\0", 4, end) + 1, blob.count(b"\0", 4, at)


def _find(blob: bytes, name: bytes, end: int) -> int:
    """The offset of ``name``, as a whole, among the names; -1 if absent."""
    if blob.startswith(name, 4, end) and (4 + len(name) == end or blob[4 + len(name)] == 0):
        return 4
    at = blob.find(b"\0" + name + b"\0", 4, end)
    if at >= 0:
        return at + 1
    last = end - len(name)
    if last > 4 and blob[last - 1] == 0 and blob.endswith(name, 4, end):  # noqa: PLR2004 - header
        return last
    return -1
