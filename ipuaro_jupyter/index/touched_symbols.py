"""The declarations whose lines a change touches, before and after it."""

from ipuaro_jupyter.index.declared_ranges import declared_ranges
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.impact import TouchedSymbol
from ipuaro_jupyter.views.hunks import hunks


def touched_symbols(change: Change) -> list[TouchedSymbol]:
    """The declarations of which a change adds, changes or removes lines, by line.

    Of nested ones, the innermost counts. The line of a removed one is the one it had.
    """
    old, new = _touched(change)
    before, after = _ranges(change.path, change.before), _ranges(change.path, change.after)
    names = _innermost(before, old) | _innermost(after, new)
    found = []
    for name in names:
        how = "changed" if name in before and name in after else None
        if how is None:
            how = "added" if name in after else "removed"
        line = (after.get(name) or before[name])[0]
        found.append(TouchedSymbol(name=name, path=change.path, line=line, how=how))
    return sorted(found, key=lambda one: (one.line, one.name))


def _touched(change: Change) -> tuple[set[int], set[int]]:
    """The lines that are removed, and those that are added."""
    rows = [
        row
        for hunk in hunks(text_of(change.before), text_of(change.after))
        for row in hunk.rows
        if row.sign != " "
    ]
    old = {row.old for row in rows if row.sign == "-" and row.old is not None}
    return old, {row.new for row in rows if row.sign == "+" and row.new is not None}


def _ranges(path: str, data: bytes | None) -> dict[str, tuple[int, int]]:
    """The first and last line of each declaration in a text; overloads are one."""
    if data is None:
        return {}
    parsed, _ = parse_file(path, data)
    found: dict[str, tuple[int, int]] = {}
    for name, start, end in declared_ranges(FileFacts.model_validate(unpack_facts(parsed.facts))):
        first, last = found.get(name, (start, end))
        found[name] = min(first, start), max(last, end)
    return found


def _innermost(ranges: dict[str, tuple[int, int]], lines: set[int]) -> set[str]:
    """The smallest declaration around each line."""
    found = set[str]()
    for line in lines:
        around = [
            (end - start, name) for name, (start, end) in ranges.items() if start <= line <= end
        ]
        if around:
            found.add(min(around)[1])
    return found
