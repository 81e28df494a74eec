"""The callers of what a change touches that none of the given tests reaches."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.declared_ranges import declared_ranges
from ipuaro_jupyter.index.extract.notebooks.notebook_code import shown_text
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.views.hunks import hunks

_MOST_NAMES = 20
_MOST_USES = 1000


def uncovered_callers(
    index: CodeIndex, changes: Sequence[Change], tests: Collection[str]
) -> tuple[str, ...]:
    """The callers that no test covers, one "path:line" for each, sorted by path.

    A caller is a file that is neither changed nor a test, that imports a changed file directly or
    through others, and that has a confirmed reference to a declaration whose lines are changed; its
    line is that of the first such reference that is no import. It is covered when one of ``tests``
    imports it, directly or through others.

    The first 20 changed declarations count, with the first 1000 references to each.

    Args:
        index: The index of the project as it is without the changes.
        changes: What is proposed.
        tests: The test files that would run.
    """
    graph = index.imports.graph()
    changed = {change.path for change in changes}
    importing = _reachable(changed, graph.dependents)
    covered = _reachable(tests, graph.dependencies)
    found: dict[str, set[int]] = {}
    for name in list(dict.fromkeys(_changed_names(index, changes)))[:_MOST_NAMES]:
        for use in index.uses(name, limit=_MOST_USES).first:
            is_caller = use.resolved and not use.is_definition and use.path in importing - changed
            if is_caller and use.path not in covered:
                found.setdefault(use.path, set()).add(use.line)
    callers = [node.path for node in index.imports.nodes(sorted(found)) if node.file_type != "test"]
    return tuple(f"{path}:{_first_use(index, path, found[path])}" for path in callers)


def _first_use(index: CodeIndex, path: str, lines: Collection[int]) -> int:
    facts = index.facts(path)
    imports = {one.line for one in facts.imports} if facts is not None else set()
    return min(set(lines) - imports or lines)


def _reachable(start: Iterable[str], edges: Mapping[str, Collection[str]]) -> frozenset[str]:
    found, border = set[str](), set(start)
    while border:
        found |= border
        border = {to for path in border for to in edges.get(path, ())} - found
    return frozenset(found)


def _changed_names(index: CodeIndex, changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        facts = None if change.before is None else index.facts(change.path)
        if facts is not None:
            lines = _changed_lines(change)
            yield from (
                name
                for name, start, end in declared_ranges(facts)
                if any(start <= line <= end for line in lines)
            )


def _changed_lines(change: Change) -> set[int]:
    """The changed lines of the old text, 1-based; for added lines, the one before them."""
    touched: set[int] = set()
    for hunk in hunks(
        shown_text(change.path, change.before), shown_text(change.path, change.after)
    ):
        last = 0
        for row in hunk.rows:
            if row.old is not None:
                last = row.old
            if row.sign != " ":
                touched.add(last)
    return touched
