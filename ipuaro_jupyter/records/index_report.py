"""A summary of the index."""

from collections.abc import Iterator, Mapping

from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

_NAMED = 5


class IndexReport(Drawn, Record):
    """A summary of the index.

    Attributes:
        files: The number of indexed files.
        parsed: How many of them were read and parsed when the project was opened, or `reindex` was
            called after that; 0 when none had changed.
        known: How many more of them were new then and not parsed, since their content was known
            from before.
        languages: The number of files by language.
        skipped: Files and folders that are not indexed at all, with the reason, by path.
        not_analysed: Indexed files of which only size, hash and lines are known, with the reason.
        symlinks: Links with their targets as written, by path.
        edges: The number of pairs of files of which one imports the other.
        symbols: The number of declarations.
        size_bytes: The total size of the indexed files.
        seconds: The time that took.
        notice: A sentence for the user, or "".
    """

    files: int
    parsed: int = 0
    known: int = 0
    languages: dict[str, int]
    skipped: dict[str, str]
    not_analysed: dict[str, str]
    symlinks: dict[str, str]
    edges: int
    symbols: int
    size_bytes: int
    seconds: float
    notice: str = ""

    def __str__(self) -> str:
        counts = (
            *(("file", self.files), ("symbol", self.symbols), ("import", self.edges)),
            ("symlink", len(self.symlinks)),
        )
        told = ", ".join(counted(count, name) for name, count in counts if count or name == "file")
        lines = [f"Index: {told}; {indexing(self.parsed, self.known, self.seconds)}"]
        if self.languages:
            lines.append(f"Languages: {', '.join(f'{k} {v:,}' for k, v in self.languages.items())}")
        lines += self.remarks()
        return visible("\n".join(lines))

    def remarks(self, most: int = _NAMED) -> Iterator[str]:
        """Yield a sentence for each of the first few incomplete files of each kind.

        Args:
            most: How many of a kind are named; of the others only the number is given.
        """
        if self.notice:
            yield self.notice
        yield from _named("Not indexed", "skipped", self.skipped, most)
        yield from _named("Only its lines are known", "not_analysed", self.not_analysed, most)


def indexing(parsed: int, known: int, seconds: float) -> str:
    """What bringing the index up to date took: "12 parsed, 828 known in 0.77 s"."""
    return f"{parsed:,} parsed" + (f", {known:,} known" if known else "") + f" in {seconds:.2f} s"


def _named(what: str, where: str, reasons: Mapping[str, str], most: int) -> Iterator[str]:
    for path, reason in list(reasons.items())[:most]:
        yield f"{what}: {path} ({reason.removeprefix('Not analysed: ').rstrip('.')})"
    if len(reasons) > most:
        yield f"{what}: {len(reasons) - most:,} more, see Assistant.index_report().{where}"
