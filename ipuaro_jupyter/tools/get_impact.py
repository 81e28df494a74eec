"""Show what a change may affect."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from posixpath import dirname, relpath
from typing import Annotated, NamedTuple

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.binding.definitions import bare_name
from ipuaro_jupyter.index.relations.users import UserSearch
from ipuaro_jupyter.index.touched_symbols import touched
from ipuaro_jupyter.languages.registry import is_by_name
from ipuaro_jupyter.project.checks.reach import distances, is_test, may_be_test
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.impact import (
    Impact,
    LostExport,
    MovedFile,
    ReachedSymbol,
    ReachedTest,
    Touch,
    TouchedSymbol,
)
from ipuaro_jupyter.tools.call_trees import declared
from ipuaro_jupyter.tools.declaring_files import broken_imports
from ipuaro_jupyter.tools.placed_files import placed
from ipuaro_jupyter.tools.source_lines import SourceLines, is_notebook
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.git.compared import changes_in, exact_renames, is_unified_diff

_DECLARED = frozenset({"changed", "added", "removed"})
_DYNAMIC = "not seen: calls through names made at run time, and uses outside of the project"


@tool(
    aliases=("impact_analysis", "analyze_impact", "get_affected"),
    rare=("limit", "declared_in"),
    names={"symbol": "symbol", "declared_in": "file"},
)
def get_impact(
    project: Project,
    diff: str = "",
    depth: Annotated[int, Field(ge=1, le=10)] = 3,
    limit: Annotated[int, Field(ge=1)] = 200,
    *,
    symbol: str = "",
    declared_in: str = "",
) -> Impact:
    """Show which declarations a change touches, who uses them, and which tests reach them.

    Args:
        diff: A unified diff, a revision, or a range such as main..HEAD. Default: uncommitted.
        depth: How many uses to follow back. Default: 3.
        limit: The most users to return. Default: 200.
        symbol: A declaration, instead of a diff: Name, or Class.method.
        declared_in: The file that declares the symbol, if several do.
    """
    if symbol and diff.strip():
        raise ToolError(
            "validation", "Both diff and symbol are given.", suggestion="Give one of them."
        )
    if declared_in and not symbol:
        raise ToolError(
            "validation", "declared_in is given without a symbol.", suggestion="Name the symbol."
        )
    subject = _of_symbol(project, symbol, declared_in) if symbol else _of_diff(project, diff)
    compared, changed, symbols, lost, given, renamed, notes = subject
    if not (changed or notes):
        return Impact.of_nothing(compared)
    targets = [(one.path, one.name) for one in symbols if one.how in _DECLARED]
    removed = [one.name for one in symbols if one.how == "removed"]
    found = project.index.ask(
        lambda asked: UserSearch(asked).of(targets, removed, lost, given=given, depth=depth)
    )
    symbols = list(_settled(symbols, lost, found.fates))
    dependents = project.index.imports.graph(gone=changed).dependents
    far = distances(changed, dependents)
    users = {user.path for user in found.listed if user.certain}
    lines = SourceLines(project.workspace)
    unread = project.index.unread.of(bare_name(symbol) if symbol else "")
    return Impact(
        compared=compared,
        changed=tuple(changed),
        touched=tuple(symbols),
        reached=tuple(_in_cell(lines, one) for one in found.listed[:limit]),
        total_reached=len(found.listed),
        files=tuple(sorted(far.keys() - set(changed))),
        direct_files=sum(1 for distance in far.values() if distance == 1),
        tests=_tests(users, far, dependents),
        notes=(*notes, *found.notes, *_by_name(changed), _DYNAMIC),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
        broken_imports=broken_imports(project, changed),
        placed=placed(project, changed),
        renamed=tuple(_with_importers(dict(renamed), dependents)),
    )


def _with_importers(
    renamed: Mapping[str, str], dependents: Mapping[str, Collection[str]]
) -> Iterator[MovedFile]:
    """Yield the renamed files with who imports the old path, but for files that moved along."""
    for old, new in renamed.items():
        importers = [
            path
            for path in sorted(dependents.get(old, ()))
            if path not in renamed or _way(path, old) != _way(renamed[path], new)
        ]
        yield MovedFile(old=old, new=new, importers=tuple(importers))


def _way(importer: str, path: str) -> str:
    """The path of a file as seen from the folder of another."""
    return relpath(path, dirname(importer) or ".")


def _settled(
    symbols: Iterable[TouchedSymbol],
    lost: Iterable[LostExport],
    fates: Mapping[tuple[str, str], Touch | None],
) -> Iterator[TouchedSymbol]:
    """Yield what is touched, with what becomes of exports by what the index knows."""
    known = {(one.path, one.shown): fates.get((one.path, one.shown), one.how) for one in lost}
    for one in symbols:
        how = one.how if one.how in _DECLARED else known.get((one.path, one.name), one.how)
        if how is not None:
            yield one.model_copy(update={"how": how})


def _by_name(changed: Iterable[str]) -> Iterator[str]:
    """Yield a note for each file whose uses cannot be followed."""
    for path in changed:
        if is_by_name(path):
            yield f"{path}: uses are known by name only and not followed; see find_references"


class _Subject(NamedTuple):
    """What is compared, the files that change, what is touched in them, and notes.

    ``given`` is as in `UserSearch.of`; ``renamed`` are the old and new paths of renamed files.
    """

    title: str
    changed: list[str]
    symbols: list[TouchedSymbol]
    lost: list[LostExport]
    given: dict[str, frozenset[str]]
    renamed: list[tuple[str, str]]
    notes: list[str]


def _of_symbol(project: Project, symbol: str, declared_in: str) -> _Subject:
    """A change of the declarations that a name means.

    Raises:
        ToolError: Nothing declares it.
    """
    lines, symbols = SourceLines(project.workspace), list[TouchedSymbol]()
    meant = declared(project, symbol, declared_in)
    for path, name in meant:
        places = [at.line for at in project.index.definitions(name) if at.path == path]
        cell, line = lines.place(path, min(places, default=1))
        symbols.append(TouchedSymbol(name=name, path=path, cell=cell, line=line, how="changed"))
    changed = sorted({path for path, _ in meant})
    return _Subject(f"a change of {symbol}", changed, symbols, [], {}, [], [])


def _of_diff(project: Project, diff: str) -> _Subject:
    """What a diff or a revision changes, with notes on what is not understood.

    Raises:
        ToolError: The given diff changes nothing, or there is no repository or no such revision.
    """
    notes, renamed = list[str](), list[tuple[str, str]]()
    if is_unified_diff(diff):
        compared = "the given diff"
        changes, misfits, renamed = changes_in(diff, lambda path: _present(project, path))
        if misfits:
            notes.append(f"the diff does not fit these files as they are: {named(misfits)}")
        changes = [change for change in changes if change.before != change.after]
        if not (changes or renamed or notes):
            raise ToolError("command", "The given diff changes nothing.")
    else:
        revision = diff.strip()
        compared = revision if ".." in revision else f"the files with {revision or 'HEAD'}"
        changes, unreadable = project.repositories.versions(revision)
        notes += unreadable
    exact = exact_renames(changes)
    moved = {path for pair in exact for path in pair}
    changes = [change for change in changes if change.path not in moved]
    renamed = [*renamed, *exact]
    parts = [touched(change) for change in changes]
    return _Subject(
        compared,
        sorted({change.path for change in changes}.union(*renamed)),
        [one for part in parts for one in part.symbols],
        [one for part in parts for one in part.exports],
        {change.path: part.given for change, part in zip(changes, parts, strict=True)},
        renamed,
        notes,
    )


def _present(project: Project, path: str) -> bytes | None:
    """The content of a file that a diff names; None when there is none in the project."""
    try:
        inside = project.workspace.relative(path)
        return project.workspace.read(inside).data
    except ToolError:
        return None


def _tests(
    users: set[str], far: dict[str, int], dependents: Mapping[str, Collection[str]]
) -> tuple[ReachedTest, ...]:
    """The test files among those that are reached, users first."""
    paths = {path for path in users | far.keys() if is_test(path) or may_be_test(path, dependents)}
    found = (ReachedTest(path=p, uses=p in users, distance=far.get(p)) for p in paths)
    return tuple(sorted(found, key=lambda test: (not test.uses, test.distance or 0, test.path)))


def _in_cell(lines: SourceLines, one: ReachedSymbol) -> ReachedSymbol:
    """A user in a notebook with its cell, and the line in that."""
    if not is_notebook(one.path):
        return one
    cell, line = lines.place(one.path, one.line)
    return one.model_copy(update={"cell": cell, "line": line})
