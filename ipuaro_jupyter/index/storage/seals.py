"""Checksums of stored values, so that a damaged one is noticed where it is read.

The values of a very large project are compressed; the checksum of such a value is inverted.
"""

from collections.abc import Mapping
from contextlib import suppress
from zlib import compress, crc32, decompress, error

from ipuaro_jupyter.errors import StorageError

_SIZE = 4
_ALL_BITS = 0xFFFFFFFF
_LEAST_BYTES = 100  # shorter values hardly shrink


class IndexDamagedError(StorageError):
    """A value of the index is not what was written there; the index has to be made anew."""

    def __init__(self) -> None:
        super().__init__("The index on the server is damaged; it is made anew. Ask again.")


def sealed(field: str | bytes, value: bytes | bytearray, *, compressed: bool = False) -> bytes:
    """A value with its checksum, which is good for this field only.

    Args:
        field: The name of the field.
        value: Its content.
        compressed: Compress the value, unless that makes it no smaller.
    """
    if compressed and len(value) >= _LEAST_BYTES:
        smaller = compress(value)
        if len(smaller) < len(value):
            return smaller + _bytes(_checksum(field, smaller) ^ _ALL_BITS)
    return bytes(value) + _bytes(_checksum(field, value))


def sealed_fields(
    fields: Mapping[str, bytes] | Mapping[bytes, bytes], *, compressed: bool = False
) -> dict[bytes, bytes]:
    """The fields of a hash, each as `sealed` makes it; for many, this takes half the time."""
    if compressed:
        return {
            _encoded(name): sealed(name, value, compressed=True) for name, value in fields.items()
        }
    return {
        (name := field.encode() if isinstance(field, str) else field): value
        + crc32(value, crc32(name)).to_bytes(_SIZE, "little")
        for field, value in fields.items()
    }


def unsealed(field: str | bytes, value: bytes) -> bytes:
    """The value that was sealed.

    Raises:
        IndexDamagedError: It was not, or it was for another field.
    """
    data, seal = value[:-_SIZE], value[-_SIZE:]
    checksum = _checksum(field, data)
    if seal == _bytes(checksum):
        return data
    if seal == _bytes(checksum ^ _ALL_BITS):
        with suppress(error):
            return decompress(data)
    raise IndexDamagedError


def _checksum(field: str | bytes, value: bytes | bytearray) -> int:
    return crc32(value, crc32(_encoded(field)))


def _encoded(field: str | bytes) -> bytes:
    return field.encode() if isinstance(field, str) else field


def _bytes(checksum: int) -> bytes:
    return checksum.to_bytes(_SIZE, "little")
