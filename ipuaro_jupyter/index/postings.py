"""Where each name occurs in a file, in a form that is searched without being decoded.

A blob is: a u32 with the length of the names, the names sorted and joined by NUL, a u32 for each
name with the number of offsets up to and including its own, then the offsets, u32 each. All
numbers are little-endian; offsets are in bytes from the start of the file, ascending.
"""

import struct
from collections.abc import Iterable, Mapping

_U32 = struct.Struct("<I")


def encode(places: Mapping[bytes, list[int]]) -> bytes:
    """Return the blob for names and their offsets. The lists are sorted in place."""
    names = sorted(places)
    head = b"\0".join(names)
    ends: list[int] = []
    offsets: list[int] = []
    for name in names:
        found = places[name]
        found.sort()
        offsets += found
        ends.append(len(offsets))
    return b"".join(
        (
            _U32.pack(len(head)),
            head,
            struct.pack(f"<{len(ends)}I", *ends),
            struct.pack(f"<{len(offsets)}I", *offsets),
        )
    )


def offsets(blob: bytes, name: str) -> list[int]:
    """Return the offsets of ``name`` in bytes, ascending; empty when it does not occur."""
    position = _position(blob, name.encode())
    if position is None:
        return []
    table, count, index = position
    start = _U32.unpack_from(blob, table + 4 * (index - 1))[0] if index else 0
    (end,) = _U32.unpack_from(blob, table + 4 * index)
    return list(struct.unpack_from(f"<{end - start}I", blob, table + 4 * (count + start)))


def count(blob: bytes, name: str) -> int:
    """Return how often ``name`` occurs."""
    position = _position(blob, name.encode())
    if position is None:
        return 0
    table, _, index = position
    start = _U32.unpack_from(blob, table + 4 * (index - 1))[0] if index else 0
    (end,) = _U32.unpack_from(blob, table + 4 * index)
    return int(end) - int(start)


def names(blob: bytes) -> list[str]:
    """Return all names, sorted by their bytes."""
    if not blob:
        return []
    (length,) = _U32.unpack_from(blob)
    return blob[4 : 4 + length].decode().split("\0") if length else []


def decode(blob: bytes) -> dict[str, list[int]]:
    """Return everything: names with their offsets."""
    return {name: offsets(blob, name) for name in names(blob)}


def group(places: Iterable[tuple[bytes, int]]) -> dict[bytes, list[int]]:
    """Return the offsets by name, in the order given."""
    grouped: dict[bytes, list[int]] = {}
    for name, offset in places:
        grouped.setdefault(name, []).append(offset)
    return grouped


def _position(blob: bytes, name: bytes) -> tuple[int, int, int] | None:
    """Return where the table begins, how many names there are, and the place of ``name``."""
    if not blob or not name or b"\0" in name:
        return None
    (length,) = _U32.unpack_from(blob)
    end = 4 + length
    at = _find(blob, name, end)
    if at < 0:
        return None
    return end, blob.count(b"\0", 4, end) + 1, blob.count(b"\0", 4, at)


def _find(blob: bytes, name: bytes, end: int) -> int:
    """Return where ``name`` stands as a whole among the names, or -1."""
    if blob.startswith(name, 4, end) and (4 + len(name) == end or blob[4 + len(name)] == 0):
        return 4
    at = blob.find(b"\0" + name + b"\0", 4, end)
    if at >= 0:
        return at + 1
    last = end - len(name)
    if last > 4 and blob[last - 1] == 0 and blob.endswith(name, 4, end):  # noqa: PLR2004 - header
        return last
    return -1
