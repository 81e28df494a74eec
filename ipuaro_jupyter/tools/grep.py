"""Search the text of files."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import (
    Notebook,
    NotebookError,
    read_notebook,
)
from ipuaro_jupyter.project.search.files_in import FilesIn, text_files_in
from ipuaro_jupyter.project.search.glob_patterns import GlobPatterns
from ipuaro_jupyter.project.search.search import search
from ipuaro_jupyter.project.search.search_result import Match, Query, SearchResult
from ipuaro_jupyter.records.outputs import Table, TextOutput
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.source_lines import cells_of, is_notebook, opened_at, where
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.listing import FileStat
from ipuaro_jupyter.workspace.workspace import Workspace

_FEW_FILES = 50  # are searched directly, which is faster than asking the index
_FILES_A_SECOND = 10_000  # at least, on a busy machine
_MOST_TEXT = 100_000  # characters
_RULE = "=" * 60
_IDENTIFIER = re.compile(r"(?:\\b)?([A-Za-z_$][\w$]*)(?:\\b)?")
_ACROSS_LINES = re.compile(
    r"(?<!\\)(?:\\\\)*\\(?:[nr]|x0[aAdD]|u000[aAdD])|\[\\[sS]\\[sS]\]|\(\?[aim]*s"
)
_LOOKS_LIKE_REGEX = re.compile(r"\\[bdswBDSW.()\[]|\.[*+]|\w\|\w|\[[^\]]+\][*+]|^\^|\$$")


@tool(
    aliases=(
        *("search", "search_text", "search_files", "search_code", "search_content"),
        *("find_in_files", "find_text", "grep_search", "ripgrep", "rg"),
    ),
    rare=("exclude_files", "limit", "context_lines", "search_type"),
    names={"path": "place"},
)
def grep(
    project: Project,
    pattern: Annotated[str, Field(min_length=1, max_length=1000)],
    path: str = ".",
    *,
    case_sensitive: bool = False,
    use_regex: bool = False,
    include_files: str = "",
    exclude_files: str = "",
    limit: Annotated[int, Field(ge=1, le=10_000)] = 50,
    context_lines: Annotated[int, Field(ge=0, le=100)] = 2,
    search_type: Literal["smart", "ripgrep", "python", "hybrid"] = "smart",
) -> TextOutput:
    """Search the text of files. Ignored files are left out.

    Args:
        pattern: Text to find in a line; with use_regex, a regular expression.
        path: Folder or file. Default: the project.
        case_sensitive: Default: false.
        use_regex: Default: false.
        include_files: Only these files, such as "*.py" or "src/**".
        exclude_files: Not these files and folders, such as "*.min.js,tests/*".
        limit: The most lines to show. Default: 50.
        context_lines: Lines to show before and after each. Default: 2.
        search_type: Accepted for compatibility; all give the same result.
    """
    query = Query(
        pattern=pattern.removesuffix("\n"),
        use_regex=use_regex,
        case_sensitive=case_sensitive,
        max_results=limit,
        context_lines=context_lines,
        strategy=search_type,
    )
    place = text_files_in(project.workspace, path, project.index.listing)
    chosen = _chosen(
        place, GlobPatterns(include_files), GlobPatterns(exclude_files), project.cancel
    )
    files = _likeliest_first(project, query, chosen.files)
    query = _with_time_for(query, len(files))
    found = search(project.workspace, files, query, project.cancel, read_as=_read_as)
    shown = _as_many_as_fit(found)
    for file, hash_ in {match.path: match.hash for match in shown}.items():
        if not is_notebook(file):
            project.workspace.note_shown(file, hash_)
    title, notes = _summary(query, found, shown)
    notes = "; ".join(filter(None, (notes, chosen.remark)))
    head = [title, f"Strategy: {found.strategy} | Candidates: {len(files)} files | {notes}"]
    if not shown:
        return TextOutput(content="\n".join([*head, *_hints(query, files)]))
    placed = list(_placed(project.workspace, shown))
    rows = tuple((where(m.path, m.line, cell), m.text.strip()) for cell, m in placed)
    pieces = Parts(
        head="\n".join([*head, _RULE]),
        entries=tuple(_block(cell, match) for cell, match in placed),
        brief=tuple(
            _block(cell, replace(match, before=(), after=())).removeprefix("\n")
            for cell, match in placed
        ),
        without="the lines around are left out: narrow with path",
        groups=tuple(match.path for _, match in placed),
        note="{left} more matches {inside}: narrow with path or include_files, or give limit",
    )
    return TextOutput(
        content=pieces.text(),
        pieces=pieces,
        shown=Table(
            title=title,
            columns=("where", "text"),
            rows=rows,
            note=notes,
            kinds={"where": "path"},
            places=tuple(opened_at(match.path, match.line, cell) for cell, match in placed),
        ),
    )


def _chosen(
    place: FilesIn, included: GlobPatterns, excluded: GlobPatterns, cancel: CancelToken
) -> FilesIn:
    """The selected files; patterns are relative to the folder or to the project."""
    if not (included or excluded):
        return place

    def is_wanted(path: str) -> bool:
        cancel.check()
        ways = {path, place.inner(path)}
        if included and not any(included.match(way) for way in ways):
            return False
        return not (excluded and any(excluded.match_within(way) for way in ways))

    return replace(
        place,
        files={path: stat for path, stat in place.files.items() if is_wanted(path)},
        badly_named=tuple(filter(is_wanted, place.badly_named)),
    )


def _likeliest_first(
    project: Project, query: Query, files: dict[str, FileStat]
) -> dict[str, FileStat]:
    """The files in the order in which they are searched.

    For an identifier, files whose indexed code contains it come first: the first match is found in
    time, and uses in code are not left out when there is too much to search.
    """
    identifier = _IDENTIFIER.fullmatch(query.pattern)
    if identifier is None or len(files) <= _FEW_FILES:
        return files
    try:
        naming = project.index.naming(identifier[1])
    except StorageError:  # the text is still on the disk
        return files
    return {path: stat for path, stat in files.items() if path in naming} | files


def _with_time_for(query: Query, files: int) -> Query:
    """The query with a limit of time for the first match that very many files need."""
    needed_s = min(files / _FILES_A_SECOND, query.total_s)
    return replace(query, first_match_s=max(query.first_match_s, needed_s))


def _as_many_as_fit(found: SearchResult) -> tuple[Match, ...]:
    size = 0
    for number, match in enumerate(found.matches):
        size += sum(map(len, (*match.before, match.text, *match.after)))
        if size > _MOST_TEXT and number:
            return found.matches[:number]
    return found.matches


def _summary(query: Query, found: SearchResult, shown: tuple[Match, ...]) -> tuple[str, str]:
    """The first line of the result, and further remarks."""
    if not shown:
        return f"No matches found for pattern: {query.pattern}", "; ".join(found.notes)
    notes = list(found.notes)
    if len(shown) < found.total:
        total = f"{found.total}" if found.is_total else f"more than {found.total}"
        notes.insert(0, f"the best of {total}")
    elif not found.is_total and "there may be more" not in "".join(notes):
        notes.insert(0, "there may be more")
    return f"Found {len(shown)} matches for pattern: {query.pattern}", "; ".join(notes)


def _hints(query: Query, files: dict[str, FileStat]) -> list[str]:
    if not files:
        return ["There is no such file: see path, include_files and exclude_files."]
    if not query.use_regex and _LOOKS_LIKE_REGEX.search(query.pattern):
        return ["The pattern was taken as text; with use_regex=true it is a regular expression."]
    if query.use_regex and _ACROSS_LINES.search(query.pattern):
        return ["Matches are within a line: search one line of it, then read the file around it."]
    if query.case_sensitive:
        return ["With case_sensitive=false upper and lower case are the same."]
    return []


def _read_as(path: str) -> Callable[[bytes], bytes] | None:
    """What turns the content of a file into the text that is searched; None: it is the text."""
    return _cell_text if is_notebook(path) else None


def _cell_text(data: bytes) -> bytes:
    """The sources of a notebook's cells, one below the other."""
    try:
        return "".join(f"{line}\n" for line in read_notebook(data).lines).encode()
    except NotebookError:
        return data


def _placed(workspace: Workspace, matches: tuple[Match, ...]) -> Iterator[tuple[int | None, Match]]:
    """Yield the matches; those in notebooks with their cell and lines counted within it."""
    notebooks: dict[str, Notebook | None] = {}
    for match in matches:
        if is_notebook(match.path) and match.path not in notebooks:
            try:
                notebooks[match.path] = cells_of(workspace.read(match.path))
            except ToolError:
                notebooks[match.path] = None
        notebook = notebooks.get(match.path)
        yield (None, match) if notebook is None else _in_cell(notebook, match)


def _in_cell(notebook: Notebook, match: Match) -> tuple[int, Match]:
    cell, line = notebook.place(match.line)
    length = len(notebook.cells[cell - 1].lines) if notebook.cells else line
    before = match.before[max(0, len(match.before) - line + 1) :]
    after = match.after[: max(0, length - line)]
    return cell, replace(match, line=line, before=before, after=after)


def _block(cell: int | None, match: Match) -> str:
    first = match.line - len(match.before)
    around = [f"  {number:4d}│ {line}" for number, line in enumerate(match.before, first)]
    around.append(f"▶ {match.line:4d}│ {_marked(match)}")
    around += [f"  {number:4d}│ {line}" for number, line in enumerate(match.after, match.line + 1)]
    return "\n".join(["", f"📁 {where(match.path, match.line, cell)}", *around])


def _marked(match: Match) -> str:
    """The line with ⟨ ⟩ around the matches."""
    pieces, last = [], 0
    for start, end in match.spans:
        pieces += [match.text[last:start], "⟨", match.text[start:end], "⟩"]
        last = end
    return "".join([*pieces, match.text[last:]])
