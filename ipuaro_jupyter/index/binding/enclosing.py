"""The functions and classes around places, from the stored facts of their files."""

from collections.abc import Iterable

from ipuaro_jupyter.index.extract.facts_format import declared_spans
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.records.code import Reference

_ENCLOSING = frozenset({"function", "class", "interface"})


class Enclosing:
    """What is around places in one state of the index; that of files is kept.

    Args:
        stored: The index.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self._stored = stored
        self._around: dict[str, list[str]] = {}

    def of(self, references: Iterable[Reference]) -> dict[tuple[str, int], str]:
        """The qualified name of what is around each of their lines, by path and line."""
        places = {(one.path, one.line) for one in references}
        missing = {path for path, _ in places} - self._around.keys()
        facts = self._stored.blobs([*missing]) if missing else {}
        for path in missing:
            self._around[path] = _around(facts[path]) if path in facts else []
        return {
            (path, line): self._around[path][line]
            for path, line in places
            if line < len(self._around[path])
        }


def _around(facts: bytes) -> list[str]:
    """The name around each 1-based line of a file, as far as any; "" where several share it."""
    spans = [
        (first - last, len(name), first, last, name)
        for _, name, kind, first, last in declared_spans(facts)
        if kind in _ENCLOSING
    ]
    lines = [""] * (1 + max((span[3] for span in spans), default=0))
    before = (0, 0, "")
    for _, _, first, last, name in sorted(spans):  # the largest first
        is_same = before[:2] == (first, last) and not f"{name}.".startswith(f"{before[2]}.")
        lines[first : last + 1] = [name * (not is_same)] * (last - first + 1)
        before = first, last, name
    return lines
