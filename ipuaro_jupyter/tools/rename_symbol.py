"""Rename a symbol wherever it is used."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ipuaro_jupyter.errors import TimeUp, ToolError
from ipuaro_jupyter.index.binding.definitions import bare_name, plain_name
from ipuaro_jupyter.index.binding.new_names import unfit
from ipuaro_jupyter.index.binding.renaming import RenameEdit, Renaming, edited, joined
from ipuaro_jupyter.languages.components.component_code import is_component
from ipuaro_jupyter.languages.registry import is_by_name, is_code
from ipuaro_jupyter.project.search.files_in import text_files_in
from ipuaro_jupyter.project.search.search import search
from ipuaro_jupyter.project.search.search_result import Query
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Output, Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.source_lines import is_notebook, where
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.change_set import SetFile
from ipuaro_jupyter.workspace.files.listing import BUILT
from ipuaro_jupyter.workspace.files.text_file import TextFile

_BY_NAME = "By name only: not known to be this symbol"
_MOST_BY_NAME = 100  # files
_STUBS = {".py": ".pyi", ".js": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
"""The endings of modules, with those of the files beside them that describe them."""
_NAMED = 12  # public files in a note
_SEARCH_S = 5.0


class RenamedFile(Record):
    """A file in which the symbol was renamed: the 1-based lines, one for each place."""

    path: str
    lines: tuple[int, ...]


class RenamedSymbol(Output):
    """A rename as it was made: its files, and what was left as it is."""

    rows_of: ClassVar[str] = "files"

    symbol: str
    to: str
    files: tuple[RenamedFile, ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """What was renamed, by file, and the notes."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The files one by one, the notes after them."""
        return Parts(
            head=f"{self._title()}.",
            entries=tuple(f"{file.path}: {_lines(file.lines)}" for file in self.files),
            tail="".join(f"\n{note}" for note in self.notes),
            note="{left} more files",
        )

    def shape(self) -> Table:
        """A row per file."""
        return Table(
            title=self._title(),
            columns=("file", "places", "lines"),
            rows=tuple((f.path, len(f.lines), _numbers(f.lines)) for f in self.files),
            kinds={"file": "path"},
            places=tuple(Place(path=f.path, line=f.lines[0]) for f in self.files),
            note=" ".join(self.notes),
        )

    def _title(self) -> str:
        places = sum(len(file.lines) for file in self.files)
        return f"Renamed {self.symbol} to {self.to}: {counted(places, 'place')} in " + counted(
            len(self.files), "file"
        )


@tool(
    asks_first=True,
    foreign=("rename", "refactor_rename", "rename_identifier", "rename_function", "rename_class"),
    names={"symbol": "symbol", "declared_in": "file"},
)
def rename_symbol(project: Project, symbol: str, to: str, declared_in: str = "") -> RenamedSymbol:
    """Rename a symbol in all files; the places are found for you. The user is asked first.

    Args:
        symbol: Name, or Class.method.
        to: The new name alone.
        declared_in: The file that declares it, if several do.
    """
    workspace = project.workspace
    to = plain_name(to)
    declared_in = workspace.relative(declared_in) if declared_in else ""
    found = _declaration(project, plain_name(symbol), declared_in)
    if is_by_name(found.path):
        raise ToolError(
            "validation",
            f"{found.qualified} ({found.path}) cannot be renamed: in its language, names are found "
            "by their spelling alone, and some may stand for something else.",
            suggestion="List the places with find_references, and edit those that are meant.",
        )
    is_member = "." in found.qualified
    if why := unfit(to, found.name, [found.path], is_member=is_member):
        raise ToolError(
            "validation", f"{to!r} {why}.", suggestion="Choose another name for the symbol."
        )
    try:
        renaming = project.index.renaming(found.path, found.qualified, to)
        for other in _twins(project, found):
            renaming = joined(renaming, project.index.renaming(other, found.qualified, to))
    except TimeUp:
        raise ToolError(
            "timeout",
            f"The places of {symbol} were not all found in time, so nothing was renamed.",
            suggestion="The user can allow more with the setting tools.timeoutS.",
        ) from None
    if project.index.doubts:
        raise ToolError(
            "conflict",
            f"Nothing was renamed, for places may be missing. {project.index.doubts[0]}",
            suggestion="Try again in a moment.",
        )
    notes = list(_notes(project, renaming))
    places = sum(len(edits) for path, edits in renaming.certain.items() if not is_notebook(path))
    files = list(_set_files(project, renaming))
    title = f"Rename {found.qualified} to {to}: {counted(places, 'place')}"
    changes = workspace.apply_set(
        files,
        tool="rename_symbol",
        title=f"{title} in {counted(sum(file.is_chosen for file in files), 'file')}",
        reason=" ".join(notes),
        problems=renaming.clashes,
    )
    return _renamed(found.qualified, renaming, changes, (*renaming.clashes, *notes))


def _twins(project: Project, found: SymbolLocation) -> list[str]:
    """The files beside that of a declaration that declare it once more: its stub, or its module."""
    paths = {one.path for one in project.index.definitions(found.qualified)}
    return [
        there
        for module, stub in _STUBS.items()
        for one, other in ((module, stub), (stub, module))
        if found.path.endswith(one)
        if (there := found.path.removesuffix(one) + other) in paths
    ]


def _declaration(project: Project, symbol: str, declared_in: str) -> SymbolLocation:
    """The one declaration that is meant.

    Raises:
        ToolError: "validation" when there is none, or more than one.
    """
    if not symbol:
        raise ToolError("validation", "The symbol is empty.", suggestion="Name the symbol.")
    places = [place for place in project.index.definitions(symbol) if is_code(place.path)]
    if not places:
        near = project.index.similar(symbol)
        told = ", ".join(f"{one.qualified} ({one.path}:{one.line})" for one in near)
        hint = f"Did you mean {told}?" if near else "find_definition looks for similar names."
        unread = project.index.unread.of(bare_name(symbol)).remark
        told = f"No code declares {symbol!r}." + f" [{unread}]" * bool(unread)
        raise ToolError("validation", told, suggestion=hint)
    bare = symbol.rpartition(".")[2]
    if places[0].name != bare:
        raise ToolError(
            "validation",
            f"{symbol!r} is another name, given in an export, of {_listed(places)}.",
            suggestion="Rename that symbol, or edit the export.",
        )
    chosen = [place for place in places if declared_in in ("", place.path)]
    if not chosen:
        raise ToolError(
            "validation",
            f"{declared_in} does not declare {symbol}.",
            suggestion=f"It is declared in {_listed(places)}.",
        )
    stubs = {other for place in chosen for other in _twins(project, place)}
    if not declared_in:  # a stub and its module are one
        chosen = [one for one in chosen if not (one.path in stubs and _is_stub(one.path))]
    is_one_file = len({place.path for place in chosen}) == 1
    if is_one_file:  # a name at the top has no longer form
        chosen = [place for place in chosen if place.qualified == symbol] or chosen
    if len({(place.path, place.qualified) for place in chosen}) > 1:
        hint = "Give its qualified name" if is_one_file else "Give declared_in"
        raise ToolError(
            "validation",
            f"{symbol} is declared {len(chosen)} times: {_listed(chosen)}.",
            suggestion=f"{hint} to say which one to rename.",
        )
    if is_notebook(chosen[0].path):
        raise ToolError(
            "validation",
            f"{symbol} is declared in the notebook {chosen[0].path}, which is not edited.",
            suggestion="Tell the user to rename it there.",
        )
    if chosen[0].line == 1 and is_component(chosen[0].path, chosen[0].qualified):
        raise ToolError(
            "validation",
            f"{symbol} is the component {chosen[0].path}, which has the name of its file.",
            suggestion="Rename the file and adjust the imports, or rename a name in its script.",
        )
    return chosen[0]


def _is_stub(path: str) -> bool:
    return path.endswith(tuple(_STUBS.values()))


def _set_files(project: Project, renaming: Renaming) -> Iterator[SetFile]:
    """Yield the certain changes, then those by name only, which are not chosen."""
    read = {}
    for path, edits in renaming.certain.items():
        if not is_notebook(path):
            read[path] = _read(project, renaming, path)
            yield _set_file(read[path], edits, note="")
    for path in _by_name(renaming)[:_MOST_BY_NAME]:
        edits = renaming.by_name[path]
        here = {edit.line for edit in edits}
        both = [edit for edit in renaming.certain.get(path, ()) if edit.line in here]
        note = _lines([edit.line for edit in edits])
        if both:
            note += f"; with the certain places of {_lines([edit.line for edit in both])}"
        file = read[path] if path in read else _read(project, renaming, path)
        yield _set_file(file, [*edits, *both], note=note, group=_BY_NAME)


def _by_name(renaming: Renaming) -> list[str]:
    """The files with places by name only that could be changed."""
    return [path for path in renaming.by_name if not is_notebook(path)]


def _set_file(
    file: TextFile, edits: Sequence[RenameEdit], *, note: str, group: str = ""
) -> SetFile:
    change = Change(
        path=file.path, before=file.data, after=edited(file.data, edits), mode=file.mode
    )
    return SetFile(
        change,
        file,
        is_chosen=not group,
        group=group,
        note=note,
        is_computed=True,
        includes_earlier=bool(group),
    )


def _read(project: Project, renaming: Renaming, path: str) -> TextFile:
    file = project.workspace.read(path)
    if file.data != renaming.texts[path][0]:
        raise ToolError(
            "conflict",
            f"{path} has been changed while the places were being found.",
            suggestion="Try again.",
        )
    return file


def _notes(project: Project, renaming: Renaming) -> Iterator[str]:
    """Yield what the user should know beside the changes."""
    if renaming.public:
        listed = ", ".join(renaming.public[:_NAMED])
        yield f"It is public ({listed}): code outside of this project may use the name."
    if renaming.outer_bases:
        bases = ", ".join(renaming.outer_bases)
        yield f"It may override a member of {bases}, which is outside of this project."
    if more := _by_name(renaming)[_MOST_BY_NAME:]:
        yield f"Not listed: {counted(len(more), 'more file')} that have the name: {named(more)}."
    if renaming.unlisted:
        count = counted(renaming.unlisted, "file")
        yield f"Not listed: {count} with the same name that do not import the symbol."
    notebooks = [path for path in renaming.certain if is_notebook(path)]
    if notebooks:
        yield f"Notebooks use it and are not changed: {named(notebooks)}."
    skipped = project.index.summary().skipped
    if built := [folder for folder, reason in skipped.items() if reason == BUILT]:
        yield f"Not renamed in built files: {named(built)}."
    if unread := project.index.unread.of(renaming.name).remark:
        yield f"{unread[0].upper()}{unread[1:]}."
    yield from _mentions(project, renaming)


def _mentions(project: Project, renaming: Renaming) -> Iterator[str]:
    """Yield a note on the same word in strings, comments and files that are no code."""
    name = renaming.name
    query = Query(
        pattern=rf"(?<![\w$]){re.escape(name)}(?![\w$])",
        use_regex=True,
        case_sensitive=True,
        max_results=1000,
        context_lines=0,
        first_match_s=_SEARCH_S,
        total_s=_SEARCH_S,
    )
    try:
        files = text_files_in(project.workspace, "").files
        found = search(project.workspace, files, query, project.cancel)
    except ToolError:
        yield "There was no time to look for the name in strings and comments."
        return
    code = {path: Counter(lines) for path, lines in renaming.code_lines.items()}
    words = [
        where(match.path, match.line)
        for match in found.matches
        if not is_notebook(match.path)
        and len(match.spans) > code.get(match.path, Counter())[match.line]
    ]
    if words:
        yield f"In strings, comments and other texts, not changed: {named(words)}."
    if not found.is_total:
        yield "Not all texts were searched for the name."


def _renamed(
    symbol: str, renaming: Renaming, changes: Sequence[Change], notes: tuple[str, ...]
) -> RenamedSymbol:
    """What was made of the rename after the decision."""
    files = [
        RenamedFile(path=change.path, lines=_renamed_lines(renaming, change)) for change in changes
    ]
    made = {change.path for change in changes}
    left = [path for path in renaming.certain if path not in made and not is_notebook(path)]
    if left:
        notes = (f"Left out by the user, so the code is inconsistent: {named(left)}.", *notes)
    by_name = [
        where(path, edit.line)
        for path in _by_name(renaming)[:_MOST_BY_NAME]
        if path not in made or not _has_by_name(renaming, path, changes)
        for edit in renaming.by_name[path]
    ]
    if by_name:
        notes = (f"Not renamed, for they may be another {symbol}: {named(by_name)}.", *notes)
    return RenamedSymbol(symbol=symbol, to=renaming.to, files=tuple(files), notes=notes)


def _has_by_name(renaming: Renaming, path: str, changes: Sequence[Change]) -> bool:
    """Whether a file's change holds its places by name, too."""
    change = next(change for change in changes if change.path == path)
    return change.after != edited(change.before or b"", renaming.certain.get(path, ()))


def _renamed_lines(renaming: Renaming, change: Change) -> tuple[int, ...]:
    """The 1-based lines of the places that a change renames, one for each place."""
    certain, by_name = (
        found.get(change.path, ()) for found in (renaming.certain, renaming.by_name)
    )
    before, after = change.before or b"", change.after or b""
    versions = [text.split(b"\n") for text in (before, edited(before, certain), after)]
    changed, with_others = set(), set()
    for line, (old, expected, new) in enumerate(zip(*versions, strict=False), 1):
        if old != new:
            changed.add(line)
            if new != expected:
                with_others.add(line)
    places = [edit.line for edit in certain if edit.line in changed]
    places += [edit.line for edit in by_name if edit.line in with_others]
    return tuple(sorted(places or changed))


def _listed(places: Sequence[SymbolLocation]) -> str:
    told = [f"{place.qualified} ({place.kind}, {place.path}:{place.line})" for place in places]
    return named(told)


def _lines(numbers: Sequence[int]) -> str:
    return f"line{'s' * (len(set(numbers)) > 1)} {_numbers(numbers)}"


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, dict.fromkeys(numbers)))
