"""Checksums of stored values, so that a damaged one is noticed where it is read."""

from zlib import crc32

from ipuaro_jupyter.errors import StorageError

_SIZE = 4


class IndexDamagedError(StorageError):
    """A value of the index is not what was written there; the index has to be made anew."""

    def __init__(self) -> None:
        super().__init__("The index on the server is damaged; it is made anew. Ask again.")


def sealed(field: str | bytes, value: bytes | bytearray) -> bytes:
    """A value with its checksum, which is good for this field only."""
    return bytes(value) + _checksum(field, value)


def unsealed(field: str | bytes, value: bytes) -> bytes:
    """The value that was sealed.

    Raises:
        IndexDamagedError: It was not, or it was for another field.
    """
    data = value[:-_SIZE]
    if value[-_SIZE:] != _checksum(field, data):
        raise IndexDamagedError
    return data


def _checksum(field: str | bytes, value: bytes | bytearray) -> bytes:
    name = field.encode() if isinstance(field, str) else field
    return crc32(value, crc32(name)).to_bytes(_SIZE, "little")
