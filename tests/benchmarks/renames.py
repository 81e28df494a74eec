"""Compare computed renames with those of TypeScript's language service and of pyright.

    python tests/benchmarks/renames.py [NAME…] [--symbols N] [--seed N] [--check] [--long]
        [--members]

Exported symbols whose name is declared once in the project are renamed: N drawn at random, by the
seed, or with ``--long`` all of them. The places that we are certain of are compared with those that
the other program renames; extra ones are the serious kind. With ``--check`` 200 renames at a time
are written into a scratch copy, and the errors of the type checker are compared before and after.
``--members`` takes members of classes and interfaces instead, in TypeScript only.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from compare_references import project
from corpora import cache, package, run_node

_TYPESCRIPT = ("rxjs", "zod", "theia-core", "effect")
_PYTHON = ("requests==2.32.3", "flask==3.1.0", "rich==13.9.4")
_AT_ONCE = 200
_NEW = "Renamed_{}"


@dataclass
class Figures:
    """The outcome for one corpus; the lists have an entry for each symbol."""

    symbols: int = 0
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
            f"{name:14} {self.symbols:5} symbols  equal {self.equal:6}  missing {self.missing:4}"
            f" (listed by name {self.listed})"
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


def compare(name: str, root: Path, entries: list[dict], options) -> list:
    """Print the figures of one corpus; return the renamings."""
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
            figures.add(ours, theirs, places_of(renaming, renaming.by_name), seconds)
            renamings.append(renaming)
            for sign, differing in (("+", ours - theirs), ("-", theirs - ours)):
                listed = places_of(renaming, renaming.by_name) if options.members else set()
                for place in sorted(differing - listed)[: options.show]:
                    print(f"    {sign} {entry['name']} ({entry['path']}:{entry['line']}) {place}")
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
                for path, listed in renaming.certain.items():
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
    script = Path(__file__).with_name("rename_locations.cjs")
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        count = 0 if options.long else options.symbols
        kind = "members" if options.members else "exported"
        told = run_node(script, str(root), str(count), str(options.seed), kind)
        renamings = compare(name, root, [json.loads(line) for line in told.splitlines()], options)
        if options.check:
            check(name, root, renamings, "typescript")


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
    given = parser.parse_args()
    home = tempfile.mkdtemp(prefix="ipuaro-renames-")
    os.environ["IPUARO_HOME"] = home
    from ipuaro_jupyter.store.embedded import stop

    try:
        for wanted in given.names:
            (_python if "==" in wanted else _typescript)(wanted, given)
    finally:
        stop()
        shutil.rmtree(home, ignore_errors=True)
