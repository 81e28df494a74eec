"""The files of a patch, as git prints it, with their hunks."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.hunks import WORD_STEPS, Hunk, Row, marked
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget

MOST_LINES = 20_000
"""A file with a changed line beyond this one is drawn without colours."""
_FILE = re.compile(r"(?m)^(?=diff --git )")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_NOTED = (
    "old mode",
    "new mode",
    "rename from",
    "rename to",
    "copy from",
    "copy to",
    "Binary files",
    "* Unmerged",
)


class PatchedFile(NamedTuple):
    """A file of a patch.

    ``diff`` has the lines of the hunks at their numbers, and empty ones in place of the others.
    ``notes`` are git's lines about what else has changed: the name, the mode, a binary file.
    """

    diff: Diff
    hunks: tuple[Hunk, ...]
    notes: tuple[str, ...]

    @property
    def is_short(self) -> bool:
        """Whether it is short enough to be coloured."""
        last = (row for hunk in self.hunks[-1:] for row in hunk.rows)
        return all(max(row.old or 0, row.new or 0) <= MOST_LINES for row in last)


def patched_files(patch: str) -> list[PatchedFile]:
    """The files in git's order; a text before the first is left out."""
    words = ComparisonBudget(WORD_STEPS)
    return [_file(part, words) for part in _FILE.split(patch) if part.startswith("diff --git ")]


def _file(part: str, words: ComparisonBudget) -> PatchedFile:
    lines = part.removesuffix("\n").split("\n")
    at = next((at for at, line in enumerate(lines) if _HUNK.match(line)), len(lines))
    head = lines[:at]
    found = tuple(_hunks(lines[at:], words))
    old, new = _names(head)
    is_new = any(line.startswith("new file mode") for line in head)
    is_gone = any(line.startswith("deleted file mode") for line in head)
    notes = tuple(line for line in head if line.startswith(_NOTED))
    diff = Diff(
        title=new if old == new else f"{old} \u2192 {new}",
        path=new,
        old=None if is_new else _side(found, "old"),
        new=None if is_gone else _side(found, "new"),
    )
    return PatchedFile(diff, found, notes)


def _names(head: Sequence[str]) -> tuple[str, str]:
    """The old and the new name, which git gives apart only where they differ."""
    renamed = [line.split(" ", 2)[2] for line in head if line.startswith(("rename ", "copy "))]
    if len(renamed) == 2:  # noqa: PLR2004 - from and to
        return plain_name(renamed[0]), plain_name(renamed[1])
    both = head[0].removeprefix("diff --git ")
    name = plain_name(both[: len(both) // 2]).removeprefix("a/")
    return name, name


def plain_name(name: str) -> str:
    """A name as it is, without git's quotes and escapes for special characters."""
    if not name.startswith('"'):
        return name
    inner = name[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(_unescaped, inner).decode("utf-8", "replace")


def _unescaped(found: re.Match[bytes]) -> bytes:
    said = found[1]
    return bytes([int(said, 8) & 255]) if len(said) > 1 else _ESCAPES.get(said, said)


def _hunks(lines: Sequence[str], words: ComparisonBudget) -> Iterator[Hunk]:
    header, rows = "", list[Row]()
    old = new = 0
    for line in lines:
        if begun := _HUNK.match(line):
            if header:
                yield Hunk(header, tuple(marked(rows, words)))
            header, rows = begun[0], []
            old, new = int(begun[1]), int(begun[2])
        elif line.startswith("\\"):  # "\ No newline at end of file"
            rows[-1] = rows[-1]._replace(ends_file_bare=True)
        elif line[:1] == "-":
            rows.append(Row("-", old, None, line[1:]))
            old += 1
        elif line[:1] == "+":
            rows.append(Row("+", None, new, line[1:]))
            new += 1
        elif line[:1] not in {"", " "}:  # says that the middle of a very long diff is left out
            rows.append(Row(" ", None, None, line))
        else:
            rows.append(Row(" ", old, new, line[1:]))
            old, new = old + 1, new + 1
    if header:
        yield Hunk(header, tuple(marked(rows, words)))


def _side(found: Sequence[Hunk], side: str) -> str:
    """The known lines of one side at their numbers; the others end as the known ones do."""
    known = [row for hunk in found for row in hunk.rows if getattr(row, side) is not None]
    if not known or getattr(known[-1], side) > MOST_LINES:
        return "".join(f"{row.text}\n" for row in known)
    filler = "\r" if all(row.text.endswith("\r") for row in known) else ""
    lines = [filler] * getattr(known[-1], side)
    for row in known:
        lines[getattr(row, side) - 1] = row.text
    return "\n".join([*lines, ""])
