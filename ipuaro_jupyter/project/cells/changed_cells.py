"""A notebook file's bytes after a change of one cell: all other bytes stay as they are.

What is new is written as the file is: with its indentation, its separators, its way to write a
source (a list of lines, or one string) and, where it escapes what is not ASCII, escaped.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple
from uuid import uuid4

from ipuaro_jupyter.project.cells.cell_bytes import ByteSpan, CellBytes, items

_ESCAPED = re.compile(rb"\\u(?!00[01])")


def with_source(notebook: CellBytes, number: int, source: str) -> bytes:
    """The file with another source of a cell, 1-based. Equal lines of a list keep their bytes."""
    cell = notebook.cell(number)
    span = cell["source"]
    data = notebook.data
    if notebook.source(number) == source:
        return data
    style = _Style.of(notebook)
    if data[span.start : span.start + 1] == b'"':
        made = style.text(source)
    else:
        made = _lines(notebook, span, pieces(source), style)
    return data[: span.start] + made + data[span.end :]


def with_cell(notebook: CellBytes, after: int, kind: str, source: str) -> bytes:
    """The file with a new cell after a cell, 1-based; 0 for the beginning.

    From format 4.5 on, it has an id of its own.
    """
    style = _Style.of(notebook)
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}}
    cell["source"] = pieces(source) if _is_listed(notebook, after) else source
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if notebook.has_ids:
        cell["id"] = _unused(notebook)
    made = style.cell(dict(sorted(cell.items())))
    data, cells = notebook.data, notebook.cells
    if not cells:
        start, end = notebook.list
        return data[:start] + b"[" + style.lead + made + style.end + b"]" + data[end:]
    if after:
        at = cells[after - 1].end
        return data[:at] + style.between(notebook, after) + made + data[at:]
    at = cells[0].start
    return data[:at] + made + style.between(notebook, 1) + data[at:]


def without_cell(notebook: CellBytes, number: int) -> bytes:
    """The file without a cell, 1-based."""
    data, cells = notebook.data, notebook.cells
    if len(cells) == 1:
        start, end = notebook.list
        return data[:start] + b"[]" + data[end:]
    if number < len(cells):
        return data[: cells[number - 1].start] + data[cells[number].start :]
    return data[: cells[number - 2].end] + data[cells[number - 1].end :]


def with_moved_cell(notebook: CellBytes, number: int, after: int) -> bytes:
    """The file with a cell after another one, both 1-based as numbered now; 0: the beginning."""
    data, cells = notebook.data, notebook.cells
    order = [*range(len(cells))]
    order.remove(number - 1)
    order.insert(after if after < number else after - 1, number - 1)
    parts, end = [], 0
    for place, which in zip(cells, order, strict=True):
        parts += [data[end : place.start], data[cells[which].start : cells[which].end]]
        end = place.end
    return b"".join([*parts, data[end:]])


def pieces(source: str) -> list[str]:
    """The lines of a source with their ends, as notebooks list them."""
    lines = [f"{line}\n" for line in source.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


class _Style(NamedTuple):
    """How a notebook file is written.

    Attributes:
        lead: What stands before a cell: a line end and blanks, or nothing where all is one line.
        unit: The blanks of one level; "" where all is one line.
        end: What stands before the bracket that closes the list of cells.
        comma: What separates values where all is one line.
        colon: What stands between a key and its value.
        is_ascii: Whether what is not ASCII is escaped.
    """

    lead: bytes
    unit: str
    end: bytes
    comma: str
    colon: str
    is_ascii: bool

    @classmethod
    def of(cls, notebook: CellBytes) -> "_Style":
        """The style of a notebook."""
        data, cells = notebook.data, notebook.cells
        found = [*notebook.members.values()]
        top = _before(data, data.find(b"{") + 1)
        if cells:
            lead = _before(data, notebook.list.start + 1)
            inner = _before(data, cells[0].start + 1)
            end = data[cells[-1].end : notebook.list.end - 1]
        else:
            lead, inner, end = (_deeper(top, levels) for levels in (2, 3, 1))
        is_deeper = b"\n" in lead and inner.startswith(lead)
        unit = inner[len(lead) :].decode() if is_deeper else " "
        key = data.rfind(b'"', 0, found[0].start)
        comma = _before(data, found[0].end + 1).decode() if len(found) > 1 else " "
        return cls(
            lead,
            unit if b"\n" in lead else "",
            end,
            "," if "\n" in comma else f",{comma}",
            data[key + 1 : found[0].start].decode().strip("\r\n"),
            data.isascii() and _ESCAPED.search(data) is not None,
        )

    def text(self, text: str) -> bytes:
        """A string."""
        return json.dumps(text, ensure_ascii=self.is_ascii).encode()

    def cell(self, cell: dict[str, Any]) -> bytes:
        """A cell, to be put after ``lead``."""
        separators = ("," if self.unit else self.comma, self.colon)
        made = json.dumps(
            cell, indent=self.unit or None, separators=separators, ensure_ascii=self.is_ascii
        )
        return made.encode().replace(b"\n", self.lead)

    def comma_after(self, lead: bytes) -> bytes:
        """What separates two values of which each is written after ``lead``."""
        return b"," + lead if b"\n" in lead else self.comma.encode()

    def between(self, notebook: CellBytes, number: int) -> bytes:
        """What stands between a cell, 1-based, and the next one, or would."""
        data, cells = notebook.data, notebook.cells
        if len(cells) == 1:
            return self.comma_after(self.lead)
        number = min(number, len(cells) - 1)
        return data[cells[number - 1].end : cells[number].start]


def _before(data: bytes, at: int) -> bytes:
    """The blanks at a place."""
    end = at
    while data[end : end + 1] in {b" ", b"\t", b"\r", b"\n"}:
        end += 1
    return data[at:end]


def _deeper(lead: bytes, levels: int) -> bytes:
    """The beginning of a line so many levels deep, after the one of the first level."""
    head, end, blanks = lead.rpartition(b"\n")
    return head + end + blanks * levels if end else b""


def _lines(notebook: CellBytes, span: ByteSpan, new: Sequence[str], style: _Style) -> bytes:
    """The JSON list of a source's lines in the place of another one."""
    data = notebook.data
    found = [*items(data, span)]
    if not new:
        return b"[]"
    if not found:
        blanks = _empty_list(style)
        return b"[" + blanks[0] + blanks[1].join(map(style.text, new)) + blanks[2] + b"]"
    lead = data[span.start + 1 : found[0].start]
    old = [str(notebook.value(one)) for one in found]
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    sep = data[found[0].end : found[1].start] if len(found) > 1 else style.comma_after(lead)
    made = sep.join(map(style.text, new[head : len(new) - tail]))
    first, last = head, len(found) - tail - 1  # the lines that go
    if first <= last and made:
        start, end = found[first].start, found[last].end
    elif first <= last and tail:
        start, end = found[first].start, found[last + 1].start
    elif first <= last:
        start, end = found[first - 1].end, found[last].end
    elif head:
        start = end = found[head - 1].end
        made = sep + made
    else:
        start = end = found[0].start
        made += sep
    return data[span.start : start] + made + data[end : span.end]


def _empty_list(style: _Style) -> tuple[bytes, bytes, bytes]:
    """The blanks at the beginning, between the lines and at the end of a list that is empty yet."""
    if not style.unit:
        return b"", style.comma.encode(), b""
    end = style.lead + style.unit.encode()
    lead = end + style.unit.encode()
    return lead, b"," + lead, end


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines at the beginning."""
    pairs = zip(old, new, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _is_listed(notebook: CellBytes, after: int) -> bool:
    """Whether the nearest cell lists the lines of its source; so it is where there is none."""
    if not notebook.cells:
        return True
    source = notebook.cell(max(1, after))["source"]
    return notebook.data[source.start : source.start + 1] == b"["


def _unused(notebook: CellBytes) -> str:
    """An id that no cell has."""
    return next(one for one in _ids() if one not in notebook.ids)


def _ids() -> Iterator[str]:
    while True:
        yield uuid4().hex[:8]
