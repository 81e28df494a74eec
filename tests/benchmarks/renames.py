"""Compare computed renames with those of TypeScript's language service and of pyright.

    python tests/benchmarks/renames.py [NAME…] [--symbols N] [--seed N] [--check] [--long]
        [--members] [--kept FILE] [--minutes N] [--only-check]

Exported symbols whose name is declared once in the project are renamed: N drawn at random, by the
seed, or with ``--long`` all of them. The places that we are certain of are compared with those that
the other program renames; extra ones are the serious kind. With ``--check`` 200 renames at a time
are written into a scratch copy, and the errors of the type checker are compared before and after.
``--members`` takes members of classes and interfaces instead, in TypeScript only.

The language service takes hours for all symbols of a large project. ``--kept`` keeps its places in
a file, and a later run goes on from there; ``--minutes`` says how long it is asked for each
project. The symbols come in the order drawn by the seed, so those reached are a random sample.
``--only-check`` does not ask it, so that all renames of a large project can be type checked.
"""

import argparse
import json
import math
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from compare_references import project
from corpora import CORPORA, cache, node_lines, package, run_node
from scratch_home import scratch_home

_TYPESCRIPT = ("rxjs", "zod", "theia-core", "effect")
_PYTHON = ("requests==2.32.3", "flask==3.1.0", "rich==13.9.4")
_AT_ONCE = 200
_NEW = "Renamed_{}"


@dataclass
class Figures:
    """The outcome for one corpus; the lists have an entry for each symbol."""

    symbols: int = 0
    of: int = 0
    equal: int = 0
    missing: int = 0
    extra: int = 0
    listed: int = 0
    by_name: int = 0
    differing: int = 0
    seconds: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def add(self, ours: set, theirs: set, by_name: set, seconds: float) -> None:
        """Count one symbol."""
        self.symbols += 1
        self.equal += len(ours & theirs)
        self.missing += len(theirs - ours)
        self.extra += len(ours - theirs)
        self.by_name += len(by_name)
        self.listed += len((theirs - ours) & by_name)
        self.differing += ours != theirs
        self.seconds.append(seconds)
        self.shares.append(len(ours & theirs) / max(1, len(ours | theirs)))

    def line(self, name: str) -> str:
        """The figures in one line."""
        return (
            f"{name:14} {self.symbols:5} of {self.of:5} symbols"
            f"  equal {self.equal:6}  missing {self.missing:4} (listed by name {self.listed})"
            f"  extra {self.extra:4}  by name only {self.by_name:4}"
            f"  symbols that differ {self.differing:3}"
            f"  share of a symbol's places: median {statistics.median(self.shares):.3f}"
            f" worst {min(self.shares):.3f}"
            f"  median {1000 * statistics.median(self.seconds):.0f} ms"
            f" worst {1000 * max(self.seconds):.0f} ms"
        )


def places_of(renaming, edits) -> set[tuple[str, int, int]]:
    """The places of edits: path, line and column, 1-based, the column in UTF-16 units."""
    found = set()
    for path, listed in edits.items():
        data = renaming.texts[path][0]
        for edit in listed:
            begin = data.rfind(b"\n", 0, edit.offset) + 1
            before = data[begin : edit.offset].decode().removeprefix("\ufeff")
            found.add((path, edit.line, len(before.encode("utf-16-le")) // 2 + 1))
    return found


def compare(name: str, root: Path, entries: Iterable[dict], options) -> list:
    """Print the figures of one corpus; return the certain edits of each rename, by path."""
    import ipuaro_jupyter

    figures, renamings = Figures(), []
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        index = assistant._index
        for number, entry in enumerate(entries):
            new = _NEW.format(number)
            began = time.perf_counter()
            renaming = index.renaming(entry["path"], entry["name"], new)
            seconds = time.perf_counter() - began
            ours = places_of(renaming, renaming.certain)
            theirs = {tuple(place) for place in entry["places"]}
            figures.of = entry["of"]
            figures.add(ours, theirs, places_of(renaming, renaming.by_name), seconds)
            renamings.append(renaming.certain)
            if options.only_check:
                continue
            for sign, differing in (("+", ours - theirs), ("-", theirs - ours)):
                listed = places_of(renaming, renaming.by_name) if options.members else set()
                for place in sorted(differing - listed)[: options.show]:
                    print(f"    {sign} {entry['name']} ({entry['path']}:{entry['line']}) {place}")
    if not options.only_check:
        print(figures.line(name), flush=True)
    return renamings


def check(name: str, root: Path, renamings: list, language: str) -> None:
    """Write renames into scratch copies, 200 at a time; print the errors before and after."""
    from ipuaro_jupyter.index.binding.renaming import edited

    errors = {"typescript": typescript_errors, "python": python_errors}[language]
    before = errors(root)
    for start in range(0, len(renamings), _AT_ONCE):
        some = renamings[start : start + _AT_ONCE]
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            copy = Path(temporary) / "copy"
            shutil.copytree(root, copy)
            by_path: dict[str, set] = {}
            for renaming in some:
                for path, listed in renaming.items():
                    by_path.setdefault(path, set()).update(listed)
            for path, edits in by_path.items():
                (copy / path).write_bytes(edited((root / path).read_bytes(), edits))
            after = errors(copy)
        more = after - before
        print(
            f"{name:14} {len(some)} renames at once: {before.total()} errors before,"
            f" {after.total()} after, {more.total()} of them new",
            flush=True,
        )
        for error, count in list(more.items())[:20]:
            print("   ", count, error)


def typescript_errors(root: Path) -> Counter:
    """The errors of TypeScript's checker: file, line and number."""
    script = Path(__file__).with_name("type_errors.cjs")
    return Counter(run_node(script, str(root)).splitlines())


def python_errors(root: Path) -> Counter:
    """The errors of pyright: file, line and rule."""
    from pyright_renames import errors

    return Counter(errors(root))


def _typescript(name: str, options) -> None:
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        renamings = compare(name, root, _entries(name, root, options), options)
        if options.check or options.only_check:
            check(name, root, renamings, "typescript")


def _entries(name: str, root: Path, options) -> Iterator[dict]:
    """Yield what the language service renames: what is kept, then what it is asked for."""
    script = Path(__file__).with_name("rename_locations.cjs")
    count = 0 if options.long else options.symbols
    kind = "members" if options.members else "exported"
    which = [CORPORA[name], kind, options.seed]
    if options.only_check:
        with node_lines(script, *map(str, (root, count, options.seed, kind, 0, "list"))) as lines:
            yield from map(json.loads, lines)
        return
    known = _known(options.kept, which)[: count or None]
    yield from known
    ends = time.monotonic() + 60 * options.minutes
    if len(known) == count > 0 or (known and (len(known) == known[0]["of"] or not options.minutes)):
        return
    given = map(str, (root, count, options.seed, kind, len(known)))
    with node_lines(script, *given) as lines:
        for line in lines:
            entry = json.loads(line)
            if options.kept is not None:
                with options.kept.open("a") as written:
                    written.write(json.dumps([which, entry]) + "\n")
            yield entry
            if time.monotonic() > ends:
                return


def _known(kept: Path | None, which: list) -> list[dict]:
    """Return what was kept by earlier runs."""
    if kept is None or not kept.exists():
        return []
    rows = map(json.loads, kept.read_text().splitlines())
    return [entry for of, entry in rows if of == which]


def _python(spec: str, options) -> None:
    from pyright_renames import renames

    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = Path(temporary) / "project"
        shutil.copytree(package("pypi", spec), root, ignore=shutil.ignore_patterns(".git"))
        entries = renames(root, None if options.long else options.symbols, options.seed)
        renamings = compare(spec, root, entries, options)
        if options.check:
            check(spec, root, renamings, "python")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=[*_TYPESCRIPT, *_PYTHON])
    parser.add_argument("--symbols", type=int, default=60)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--members", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument(
        "--only-check", action="store_true", help="only the type checker (TypeScript)"
    )
    parser.add_argument("--kept", type=Path, help="where places are kept, to go on from")
    parser.add_argument("--minutes", type=float, default=math.inf)
    given = parser.parse_args()
    with scratch_home():
        for wanted in given.names:
            (_python if "==" in wanted else _typescript)(wanted, given)
