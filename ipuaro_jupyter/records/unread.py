"""What an answer did not look at: files that are not read as code, imports that lead nowhere."""

import json
from typing import Literal

from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Output
from ipuaro_jupyter.records.record import Record

_MOST_KINDS = 6
_MOST_NAMED = 5
_MOST_BROKEN = 3
_LONGEST = 80  # characters of a module's name


class UnreadFiles(Record):
    """The number of files with an extension, which has its dot.

    ``install`` is what makes them readable, when that is for want of a package. ``in_part`` is True
    for files with syntax errors, of which the rest is read, else None. ``folders`` is True when it
    is the number of folders that cannot be read, without an extension, else None; so is ``absent``,
    of folders and files that git tracks and has not checked out.
    """

    extension: str
    files: int
    install: str | None = None
    in_part: Literal[True] | None = None
    folders: Literal[True] | None = None
    absent: Literal[True] | None = None

    @property
    def told(self) -> str:
        """Their number, in words."""
        if self.folders:
            return f"{counted(self.files, 'folder')} that cannot be read"
        if self.absent:
            return f"{counted(self.files, 'path')} not checked out (git sparse-checkout)"
        told = counted(self.files, f"{self.extension} file")
        return f"parts of {told} with syntax errors" if self.in_part else told


class NotLookedAt(Record):
    """Files that may hold code and are not read as such.

    Attributes:
        kinds: Their number by extension, the most frequent first.
        naming: Those in whose text a name occurs, by path; None when that is not known.
    """

    kinds: tuple[UnreadFiles, ...] = ()
    naming: tuple[str, ...] | None = None

    @property
    def whole(self) -> tuple[UnreadFiles, ...]:
        """The kinds of which nothing is read."""
        return tuple(kind for kind in self.kinds if not kind.in_part)

    @property
    def remark(self) -> str:
        """A remark on them; "" when there are none."""
        if not self.kinds:
            return ""
        told = [kind.told for kind in self.kinds[:_MOST_KINDS]]
        if rest := self.kinds[_MOST_KINDS:]:
            told.append(counted(sum(kind.files for kind in rest), "file") + " of other kinds")
        hints = dict.fromkeys(f" ({kind.install})" for kind in self.kinds if kind.install)
        return f"not looked at: {', '.join(told)}{self._with_name()}{''.join(hints)}"

    def _with_name(self) -> str:
        if self.naming is None:
            return ""
        if not self.naming:
            return " (none contains the name)"
        verb = "contains" if len(self.naming) == 1 else "contain"
        return f" ({len(self.naming):,} {verb} the name: {named(self.naming, _MOST_NAMED)})"


class BrokenImport(Record):
    """An import that leads to no file, with the module as written; ``line`` is 1-based.

    In a notebook the line counts in ``cell``.
    """

    path: str
    cell: int | None = None
    line: int
    source: str


class BrokenImports(Record):
    """Imports that may mean what was asked for, and lead to no file; ``first`` are some of them."""

    total: int
    first: tuple[BrokenImport, ...]

    @property
    def remark(self) -> str:
        """A remark on them."""
        places = [
            f"{_quoted(one.source)} in {one.path}"
            f"{'' if one.cell is None else f' cell {one.cell}'}:{one.line}"
            for one in self.first[:_MOST_BROKEN]
        ]
        told, verb = counted(self.total, "import"), "lead" if self.total > 1 else "leads"
        told += f" that may mean it {verb} to no file: {', '.join(places)}"
        rest = self.total - len(places)
        return told + f" and {rest:,} more" * (rest > 0)


def _quoted(source: str) -> str:
    """A module as written, in quotes and one line; of a long one, its beginning and end."""
    text = json.dumps(source, ensure_ascii=False)
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"


class IncompleteOutput(Output):
    """The output of a tool that cannot see into all files.

    ``not_looked_at`` counts the files that may hold code and are not read as such, by extension;
    ``unread_with_name`` are those of them that contain the name, None when that is not known.
    ``broken_imports`` lead to no file, and may have meant what was asked for, as after its folder
    was renamed; None when there are none. ``placed`` says which of the files a framework loads by
    their place, without an import; None when it loads none.
    """

    not_looked_at: tuple[UnreadFiles, ...] = ()
    unread_with_name: tuple[str, ...] | None = None
    broken_imports: BrokenImports | None = None
    placed: str | None = None

    @property
    def unread_remark(self) -> str:
        """A remark on what was not looked at, and what leads nowhere; "" for nothing."""
        unread = NotLookedAt(kinds=self.not_looked_at, naming=self.unread_with_name).remark
        broken = "" if self.broken_imports is None else self.broken_imports.remark
        return "; ".join(filter(None, (unread, broken, self.placed)))

    @property
    def unread_line(self) -> str:
        """The remark as a last line of a text, with the line end before it."""
        return f"\n[{remark}]" if (remark := self.unread_remark) else ""
