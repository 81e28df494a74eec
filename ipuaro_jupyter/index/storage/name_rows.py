"""The rows that many files share, gathered by name before they are stored."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Generic, TypeVar
from zlib import compress, decompress

import msgspec

_PARTS = 8
_FASTEST = 1
_MOST_LOOSE_BYTES = 48_000_000
_NAME_BYTES = 100
"""What a name and its value take beside their own content."""

Name = TypeVar("Name", str, bytes)


class NameRows(Generic[Name]):
    """Values by name, to which files append theirs.

    Those of very many files would take more memory than all else. So what has come is compressed
    whenever it is large, by parts of the names, and put together again part by part.

    Args:
        kind: The type of the names.
        most_loose_bytes: How much memory what is kept as it is takes, about.
    """

    def __init__(self, kind: type[Name], *, most_loose_bytes: int = _MOST_LOOSE_BYTES) -> None:
        self._decode = msgspec.msgpack.Decoder(dict[kind, bytes]).decode  # type: ignore[valid-type]
        self._most_loose_bytes = most_loose_bytes
        self._loose: dict[Name, bytes | bytearray] = {}
        self._loose_bytes = 0
        self._packed: list[list[bytes]] = [[] for _ in range(_PARTS)]
        self._noted = [0] * _PARTS

    def __len__(self) -> int:
        """The number of names; one that was compressed several times counts as often."""
        return len(self._loose) + sum(self._noted)

    def extend(self, more: Mapping[Name, bytes]) -> None:
        """Append to the values of names."""
        known = len(self._loose)
        self._loose_bytes += _extend(self._loose, more)
        self._loose_bytes += _NAME_BYTES * (len(self._loose) - known)
        if self._loose_bytes >= self._most_loose_bytes:
            self._pack()

    def portions(self, most: int) -> Iterator[tuple[Mapping[Name, bytes], int]]:
        """Yield and forget all, ``most`` names at a time, with how many of `__len__` these are.

        Each name comes once, its value in the order in which it was appended.
        """
        for part, noted in self._parts():
            items = iter(part.items())
            while some := {name: bytes(value) for name, value in islice(items, most)}:
                yield some, len(some) * noted // len(part)

    def _parts(self) -> Iterator[tuple[Mapping[Name, bytes | bytearray], int]]:
        if not any(self._packed):
            loose, self._loose = self._loose, {}
            yield loose, len(loose)
            return
        self._pack()
        for place, pieces in enumerate(self._packed):
            part: dict[Name, bytes | bytearray] = {}
            for piece in pieces:
                _extend(part, self._decode(decompress(piece)))
            noted, self._noted[place] = self._noted[place], 0
            pieces.clear()
            yield part, noted

    def _pack(self) -> None:
        parts: list[dict[Name, bytes | bytearray]] = [{} for _ in range(_PARTS)]
        for name, value in self._loose.items():
            parts[hash(name) % _PARTS][name] = value
        self._loose.clear()
        self._loose_bytes = 0
        for place, part in enumerate(parts):
            self._packed[place].append(compress(msgspec.msgpack.encode(part), _FASTEST))
            self._noted[place] += len(part)


def _extend(rows: dict[Name, bytes | bytearray], more: Mapping[Name, bytes]) -> int:
    """Append to rows; return the size of values and new names.

    Most names occur once and keep the value as it came.
    """
    size = sum(map(len, more.values()))
    for name, value in more.items():
        known = rows.get(name)
        if known is None:
            rows[name] = value
            size += len(name)
        elif isinstance(known, bytearray):
            known += value
        else:
            rows[name] = bytearray(known + value)
    return size
