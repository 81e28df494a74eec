"""Where the cells of a notebook file, and the parts of one, stand in its bytes.

The parser tells how long each value is, at its full speed, so that outputs of many megabytes are
passed over and never taken apart.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from ipuaro_jupyter.languages.data_errors import without_nan

BOM = b"\xef\xbb\xbf"
_BLANKS = re.compile(rb"[ \t\r\n]*")
_KEY = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class CellsError(ValueError):
    """The cells of a file cannot be found in its bytes; the message says why, in a sentence."""


class ByteSpan(NamedTuple):
    """Bytes of a file; 0-based, the end excluded."""

    start: int
    end: int


class _NotebookHead(msgspec.Struct):
    cells: list[msgspec.Raw] | None = None
    nbformat: int = 0
    nbformat_minor: int = 0


class _Identified(msgspec.Struct):
    id: Any = None


_read_head = msgspec.json.Decoder(_NotebookHead).decode
_read_id = msgspec.json.Decoder(_Identified).decode
_read_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_read_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_read_source = msgspec.json.Decoder(str | list[str]).decode


class CellBytes:
    """The cells of a notebook file.

    Args:
        data: The file.

    Raises:
        CellsError: It is not a notebook of version 4.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._finite = without_nan(data) if b"NaN" in data or b"Infinity" in data else data
        try:
            head = _read_head(self._raw(self._all))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise CellsError(f"not a notebook: {str(error) or 'nested too deeply'}") from None
        if head.nbformat != 4:  # noqa: PLR2004 - the version
            raise CellsError(
                f"in the notebook format {head.nbformat}: convert it with "
                "jupyter nbconvert --to notebook --nbformat 4 --inplace"
            )
        if head.cells is None:
            raise CellsError("not a notebook: there is no list of cells")
        self.has_ids = head.nbformat_minor >= 5  # noqa: PLR2004 - the version that has them
        self.members = members(self._finite, self._all)
        self.list = self.members["cells"]
        self.cells = tuple(items(self._finite, self.list))

    @property
    def _all(self) -> ByteSpan:
        """The JSON value that is the file."""
        start = len(BOM) if self.data.startswith(BOM) else 0
        return ByteSpan(_after_blanks(self.data, start), len(self.data))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all cells."""
        found = (_read_id(self._raw(cell)).id for cell in self.cells)
        return frozenset(one for one in found if isinstance(one, str))

    def cell(self, number: int) -> dict[str, ByteSpan]:
        """The values of a cell, 1-based, by their keys.

        Raises:
            CellsError: It has no source, or a key twice.
        """
        found = members(self._finite, self.cells[number - 1])
        if "source" not in found:
            raise CellsError(f"not a valid notebook: cell {number} has no source")
        return found

    def source(self, number: int) -> str:
        """The text of a cell, 1-based, with the line ends that it has.

        Raises:
            CellsError: It has none, or it is no text.
        """
        try:
            found = _read_source(self._raw(self.cell(number)["source"]))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            why = f"not a valid notebook: the source of cell {number} is no text"
            raise CellsError(why) from None
        return found if isinstance(found, str) else "".join(found)

    def value(self, span: ByteSpan) -> Any:
        """The JSON value that stands there."""
        return msgspec.json.decode(self._raw(span))

    def _raw(self, span: ByteSpan) -> memoryview:
        return memoryview(self._finite)[span.start : span.end]


def members(data: bytes, span: ByteSpan) -> dict[str, ByteSpan]:
    """The values of a JSON object, by their keys, in their order.

    Raises:
        CellsError: It has a key twice.
    """
    raws = _read_members(memoryview(data)[span.start : span.end])
    lengths = {key: len(memoryview(raw)) for key, raw in raws.items()}
    found: dict[str, ByteSpan] = {}
    at = span.start + 1
    while (key := _KEY.match(data, _after_blanks(data, at))) is not None:
        name = msgspec.json.decode(key[0], type=str)
        if name in found or name not in lengths:
            break
        value = _after_blanks(data, _after_blanks(data, key.end()) + 1)
        found[name] = ByteSpan(value, value + lengths[name])
        at = _after_blanks(data, found[name].end)
        if data[at : at + 1] != b",":
            break
        at += 1
    if len(found) < len(lengths) or (found and data[at : at + 1] != b"}"):
        raise CellsError("ambiguous: an object in it has a key twice")
    return found


def items(data: bytes, span: ByteSpan) -> Iterator[ByteSpan]:
    """Yield the values of a JSON array."""
    at = span.start + 1
    for raw in _read_items(memoryview(data)[span.start : span.end]):
        value = _after_blanks(data, at)
        end = value + len(memoryview(raw))
        yield ByteSpan(value, end)
        at = _after_blanks(data, end) + 1


def _after_blanks(data: bytes, at: int) -> int:
    found = _BLANKS.match(data, at)
    return at if found is None else found.end()
