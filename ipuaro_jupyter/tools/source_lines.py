"""Source lines in the forms that several tools show."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.binding.uses import Context, Contexts
from ipuaro_jupyter.index.extract.notebooks.cell_lines import (
    Notebook,
    NotebookError,
    read_notebook,
)
from ipuaro_jupyter.languages.data_errors import conflict_line
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.counted import line_range
from ipuaro_jupyter.records.outputs import Code, Place
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.files.text_lines import TextLines
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

_CONFLICT_BYTES = 16_000
_AROUND = 1
"""How many lines before and after a place are shown with it."""

BODY_LINES = 40
"""How long a declaration may be that is shown whole beside an answer."""

NOT_SHOWN = "-"
"""In place of the version of a cell that was not shown."""


def numbered(lines: Sequence[str], start: int) -> str:
    """``lines`` as ``cat -n`` prints them, the first with the number ``start``."""
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, start))


def declared_around(facts: FileFacts | None, line: int) -> str:
    """The innermost function or class around a line, with its lines; "" for none."""
    if facts is None:
        return ""
    known = [(one.line_start, one.line_end, one.qualified) for one in facts.functions]
    for kind in facts.classes:
        known.append((kind.line_start, kind.line_end, kind.qualified))
        known += [(one.line_start, one.line_end, one.qualified) for one in kind.methods]
    around = [one for one in known if one[0] <= line <= one[1]]
    if not around:
        return ""
    start, end, name = min(around, key=lambda one: one[1] - one[0])
    return f"{name}, {line_range(start, end)}"


def as_code(path: str, name: str, *, code: str, start: int) -> Code:
    """Numbered source, made by `numbered`, as a shape that is drawn with its numbers."""
    lines = tuple(line.partition("\t")[2] for line in code.split("\n"))
    language = path.rpartition(".")[2]
    return Code(title=f"{path} · {name}", lines=lines, start=start, language=language)


def source_parts(head: str, code: str, *, path: str, start: int, cell: int | None) -> Parts:
    """A heading and numbered source, of which get_lines can read what is left out."""
    place = "" if cell is None else f", cell={cell}"
    note = f'{{left}} more lines, {{next}} to {{last}}: get_lines with path="{path}"{place}'
    lines = tuple(code.split("\n"))
    return Parts(head=head, entries=lines, note=f"{note}, start={{next}}", first=start)


class Section(NamedTuple):
    """Lines of a file, or of a cell: 1-based, the last one included; ``cell`` is 1-based too."""

    cell: int | None
    start: int
    end: int
    lines: tuple[str, ...]


def where(path: str, line: int | str, cell: int | None = None) -> str:
    """The text of a place: path:line, or "path cell N:line" in a notebook."""
    return f"{path}:{line}" if cell is None else f"{path} cell {cell}:{line}"


def opened_at(path: str, line: int, cell: int | None = None) -> Place:
    """The place to open; for a notebook only the file, because its lines count within cells."""
    return Place(path=path, line=line if cell is None else None)


def is_notebook(path: str) -> bool:
    """Whether a file is read by cells."""
    language = language_for(path)
    return language is not None and language.reader == "cells"


def cells_of(file: TextFile) -> Notebook:
    """The cells of a notebook.

    Raises:
        ToolError: "parse", when it is not a notebook.
    """
    try:
        return read_notebook(file.data)
    except NotebookError as error:
        told = f"{file.path} cannot be read by cells: {error}."
        if conflict_line(file.data) is None:
            raise ToolError("parse", told) from None
        raise ToolError(
            "parse",
            f"{told} Its lines:\n{shortened(numbered(file.lines, 1), _CONFLICT_BYTES)}",
            suggestion="Resolve it with edit_lines, which takes this notebook by lines now; or let "
            f"the user take one side whole: git checkout --ours {file.path}, or --theirs.",
        ) from None


def by_cells(path: str, *, not_by: str) -> ToolError:
    """The error for an edit of a notebook that is not one of a cell.

    Args:
        path: The notebook.
        not_by: How it is not edited, such as "by lines".
    """
    return ToolError(
        "validation",
        f"{path} is a notebook; notebooks are not edited {not_by}.",
        suggestion="Use edit_cell, insert_cell, delete_cell or move_cell.",
    )


def note_cells_shown(
    workspace: Workspace, file: TextFile, notebook: Notebook, number: int | None = None
) -> None:
    """Record that a cell of a notebook was shown, 1-based; None: all of them."""
    workspace.note_shown(file.path, file.hash)
    versions = [cell.version for cell in notebook.cells]
    if number is not None:
        known = workspace.parts_shown(file.path).latest
        if known is None or len(known) != len(versions):
            known = (NOT_SHOWN,) * len(versions)
        versions = [*known[: number - 1], versions[number - 1], *known[number:]]
    workspace.note_parts_shown(file.path, versions)


def section(file: TextFile, start: int, end: int) -> Section:
    """The lines from ``start`` to ``end``, counted as the index does in the file."""
    if not is_notebook(file.path):
        return Section(None, start, end, file.lines[start - 1 : end])
    notebook = cells_of(file)
    cell, line = notebook.place(start)
    return Section(cell, line, line + end - start, notebook.lines[start - 1 : end])


class SourceLines:
    """Lines around places in the project's files; each file is read once.

    Returned lines count as shown to the model.

    Args:
        workspace: The project.
        texts: Files that have already been read, with their hashes; notebooks are ignored.
        contexts: Has lines around places, and gets those in these texts, for the next time.
    """

    def __init__(
        self,
        workspace: Workspace,
        texts: Mapping[str, tuple[bytes, str]] | None = None,
        *,
        contexts: Contexts | None = None,
    ) -> None:
        self._contexts = {} if contexts is None else contexts
        self._workspace = workspace
        self._files: dict[str, TextFile | None] = {}
        self._notebooks: dict[str, Notebook] = {}
        self._texts = {p: text for p, text in (texts or {}).items() if not is_notebook(p)}
        self._split: dict[str, TextLines] = {}
        workspace.note_all_shown({path: hash_ for path, (_, hash_) in self._texts.items()})

    def around(
        self, path: str, line: int, *, before: int = _AROUND, after: int = _AROUND
    ) -> Context:
        """The number of the first line, and the lines around a 1-based line.

        A file that can no longer be read gives no lines. In a notebook, ``line`` is counted as the
        index does; the result has lines of one cell with their numbers in it.
        """
        if before == after == _AROUND:
            known = self._contexts.setdefault(path, {})
            if line not in known and path in self._texts:
                known[line] = self._known(path, max(1, line - before), line + after)
            if line in known:
                return known[line]
        elif path in self._texts:
            return self._known(path, max(1, line - before), line + after)
        file = self._file(path)
        if path in self._notebooks:
            cell, line = self.place(path, line)
            lines = self._notebooks[path].cells[cell - 1].lines if cell is not None else ()
            first = max(1, line - before)
            return first, lines[first - 1 : line + after]
        first = max(1, line - before)
        return first, () if file is None else file.lines[first - 1 : line + after]

    def known(self, path: str) -> Mapping[int, Context]:
        """What `around` gives for some lines of a file that is no notebook, by line."""
        return self._contexts.get(path, {}) if path in self._texts else {}

    def place(self, path: str, line: int) -> tuple[int | None, int]:
        """The cell of a line in a notebook, and the line in it; (None, line) elsewhere."""
        if path not in self._texts:
            self._file(path)
        notebook = self._notebooks.get(path)
        return (None, line) if notebook is None else notebook.place(line)

    def _known(self, path: str, first: int, last: int) -> Context:
        """Lines of a file that has been read; see `around`."""
        if path not in self._split:
            self._split[path] = TextLines(self._texts[path][0])
        return first, self._split[path].between(first, last)

    def _file(self, path: str) -> TextFile | None:
        if path not in self._files:
            try:
                file = self._workspace.read(path)
            except ToolError:
                self._files[path] = None
            else:
                self._files[path] = file
                if is_notebook(path):
                    self._notebooks[path] = _cells_or_none(file)
                self._workspace.note_shown(path, file.hash)
        return self._files[path]


def _cells_or_none(file: TextFile) -> Notebook:
    try:
        return cells_of(file)
    except ToolError:
        return Notebook((), "")
