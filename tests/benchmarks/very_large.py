"""What a very large repository costs: a first index, opening it again, the first questions.

    python tests/benchmarks/very_large.py [FILES…] [--rounds N] [--profile]

FILES (3000 and 100000) are the sizes of the trees, in source files. A tree has the sources of
packages from npm and PyPI, again and again in folders of their own; a comment at the end of each
file makes its content its own. All figures but ratios are CPU seconds of this kernel, of its
workers and of the server, with the clock beside them, and of the second opening on medians of N
(3). Growth is the CPU seconds of a file in the largest tree over that in the smallest.
``--profile`` prints where the kernel's own time goes at an opening, a question and a map.
"""

import argparse
import cProfile
import json
import os
import pstats
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from corpora import CORPORA, cache, corpus, package
from speed import say

_WHEELS = ("django==5.1.4", "pandas==2.2.3", "sympy==1.13.3", "twisted==24.11.0", "mypy==1.13.0")
_ENDS = {".py": "#"} | dict.fromkeys((".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs"), "//")
_LARGEST = 1_000_000  # of longer files only lines are kept
_NOWHERE = "nowhereToBeFound"
_MAP_TOKENS = 2600.0


def sources() -> list[tuple[str, Path]]:
    """Return the files of one round of the packages, with their places in a tree."""
    folders = {name: corpus(name) for name in CORPORA}
    folders |= {spec.partition("==")[0]: package("pypi", spec) for spec in _WHEELS}
    return [
        (f"{name}/{path.relative_to(folder).as_posix()}", path)
        for name, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and (path.suffix in _ENDS or path.name == "package.json")
        and path.stat().st_size < _LARGEST
        and not {".git", "node_modules", "dist", "build"} & set(path.relative_to(folder).parts)
    ]


def tree(files: int) -> Path:
    """Return a folder with so many source files, made when it is not there."""
    target = cache() / f"very-large-{files}"
    mark = target / ".corpus"
    wanted = " ".join((*CORPORA.values(), *_WHEELS))
    if mark.is_file() and mark.read_text() == wanted:
        return target
    shutil.rmtree(target, ignore_errors=True)
    left, once = files, sources()
    for copy in count():
        for name, path in once:
            place = target / f"part-{copy:03}" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            sign = _ENDS.get(path.suffix)
            place.write_bytes(data if sign is None else data + f"\n{sign} {copy}\n".encode())
            left -= sign is not None
            if not left:
                mark.write_text(wanted)
                return target
    raise AssertionError


def cpu_of(server: Any) -> tuple[float, float, float]:
    """Return the CPU seconds of this process, of those that it has waited for, and the server."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own, children = (u.ru_utime + u.ru_stime for u in used)
    times = server.cpu_times()
    return own, children, times.user + times.system


class Meter:
    """Measure what steps take; figures are by name."""

    def __init__(self, server: Any, *, profiled: bool) -> None:
        self.figures: dict[str, float] = {}
        self._server = server
        self._profiled = profiled

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the CPU seconds and the clock of what is inside."""
        profile = cProfile.Profile() if self._profiled else None
        before, began = cpu_of(self._server), time.monotonic()
        if profile is not None:
            profile.enable()
        yield
        if profile is not None:
            profile.disable()
            print(f"--- {name}", file=sys.stderr)
            pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)
        used = [after - start for after, start in zip(cpu_of(self._server), before, strict=True)]
        self.figures[f"{name}, s"] = time.monotonic() - began
        self.figures[f"{name}, CPU"] = sum(used)
        self.figures[f"{name}, CPU of the kernel"] = used[0]


def measured(root: Path, *, is_first: bool, profiled: bool) -> dict[str, float]:
    """Open a tree in this process, ask it when it was open before, and return the figures."""
    import speed_child

    import ipuaro_jupyter
    from ipuaro_jupyter.agent.context.tokens import count_tokens
    from ipuaro_jupyter.index.project_map import project_map
    from ipuaro_jupyter.store.connection import StoreSettings, connect

    store = connect(StoreSettings())
    server = speed_child._server(os.environ["IPUARO_HOME"])
    meter = Meter(server, profiled=profiled)
    model = ipuaro_jupyter.ScriptedModel([])
    with meter.step("open"):
        assistant = ipuaro_jupyter.start(root, model=model)
    with assistant:
        if not is_first:
            index = assistant._index
            ask: Callable[..., Any] = assistant.call
            with meter.step("first question"):
                ask("find_references", {"symbol": "Observable"})
            with meter.step("grep without a hit"):
                ask("grep", {"pattern": _NOWHERE})
            with meter.step("ripgrep"):
                subprocess.run(["rg", "-F", "-i", _NOWHERE, str(root)], check=False)
            with meter.step("map, first"):
                project_map(index, _MAP_TOKENS, size=count_tokens)
            changed = next(path for path in sorted(root.rglob("*.ts")))
            before = changed.read_bytes()
            try:
                changed.write_bytes(before + b"\nexport const changedHere = 1\n")
                index.touch([changed.relative_to(root).as_posix()])
                with meter.step("map after a change"):
                    project_map(index, _MAP_TOKENS, size=count_tokens)
            finally:
                changed.write_bytes(before)
                index.touch([changed.relative_to(root).as_posix()])
        figures = meter.figures
        figures["files"] = assistant.status().files
    figures["kernel, MB at most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    figures["store, MB"] = float(store._run("INFO", "memory")["used_memory"]) / 1e6
    return figures


def child(root: Path, home: str, *words: str) -> dict[str, float]:
    """Return the figures of a process of its own."""
    command = [sys.executable, __file__, "--child", str(root), *words]
    environment = {**os.environ, "IPUARO_HOME": home}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(files: int, rounds: int, *, profiled: bool) -> float:
    """Print the figures of one size; return the CPU seconds of a file."""
    root = tree(files)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 1e6
    print(f"\n{files} files, {size:.0f} MB\n", flush=True)
    home = mkdtemp(prefix="ipuaro-very-large-")
    extra = ["--profile"] if profiled else []
    try:
        first = child(root, home, "--first")
        say("first index, CPU s", first["open, CPU"])
        say("  of that the kernel", first["open, CPU of the kernel"])
        say("  by the clock, s", first["open, s"])
        say("  CPU of a file, ms", 1000 * first["open, CPU"] / first["files"])
        say("kernel, MB at most", first["kernel, MB at most"], "<= 500", 0)
        say("store over source", first["store, MB"] / size, "<= 0.7")
        rows = [child(root, home, *extra) for _ in range(rounds)]
        limits = {"open, s": "<= 2.5", "first question, s": "<= 3", "map, first, CPU": "<= 5"}
        limits |= {"map after a change, CPU": "<= 0.3"}
        for name in rows[0]:
            say(f"again: {name}", statistics.median(r[name] for r in rows), limits.get(name, ""))
        over = [r["grep without a hit, CPU"] / r["ripgrep, CPU"] for r in rows]
        say("grep without a hit over ripgrep, CPU", statistics.median(over), "<= 1.5")
    finally:
        stop = "from ipuaro_jupyter.store.embedded import stop; stop()"
        environment = {**os.environ, "IPUARO_HOME": home}
        subprocess.run([sys.executable, "-c", stop], check=False, env=environment)
        shutil.rmtree(home, ignore_errors=True)
    return first["open, CPU"] / first["files"]


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("files", nargs="*", type=int, default=[3000, 100_000])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--profile", action="store_true")
    given = words.parse_args()
    each = [report(files, given.rounds, profiled=given.profile) for files in given.files]
    say("CPU of a file, largest tree over smallest", each[-1] / each[0], "<= 1.15")


if __name__ == "__main__":
    if "--child" in sys.argv:
        place = Path(sys.argv[sys.argv.index("--child") + 1])
        is_first, is_profiled = "--first" in sys.argv, "--profile" in sys.argv
        print(json.dumps(measured(place, is_first=is_first, profiled=is_profiled)))
    else:
        main()
