"""How long questions about symbols take, beside ripgrep looking for the word.

    python tests/benchmarks/speed_references.py [ROUNDS]

The project is that of `speed.mixed`; the names are those that most of its files have, of each
kind. Every figure is in milliseconds: the first answer, then medians of ROUNDS (21) later ones, as
they pass on the clock and as the processor of the kernel counts them. Ripgrep looks for the same
word in the same folder, its median of ROUNDS too.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from speed import mixed

_LIMIT = 200
_KINDS = ("class", "function", "interface", "const")
_NAMES_OF_A_KIND = 2
_BARE = ("name", "of", "undefined")


class Times(NamedTuple):
    """Milliseconds: the first answer, and medians of the later ones by clock and by processor."""

    first: float
    wall: float
    cpu: float


def timed(ask: Callable[[], object], rounds: int) -> Times:
    """Return how long an answer takes."""
    walls, cpus = [], []
    for _ in range(rounds + 1):
        began, used = time.perf_counter(), time.process_time()
        ask()
        walls.append(1000 * (time.perf_counter() - began))
        cpus.append(1000 * (time.process_time() - used))
    return Times(walls[0], statistics.median(walls[1:]), statistics.median(cpus[1:]))


def ripgrep(root: Path, name: str, rounds: int) -> tuple[float, int]:
    """Return how long ripgrep takes, and how many lines it finds."""
    command = ["rg", "-w", "-n", "--no-heading", "-F", "--", name, str(root)]
    walls, lines = [], 0
    for _ in range(rounds):
        began = time.perf_counter()
        found = subprocess.run(command, capture_output=True, check=False).stdout
        walls.append(1000 * (time.perf_counter() - began))
        lines = found.count(b"\n")
    return statistics.median(walls), lines


def frequent(index) -> Iterator[tuple[str, str]]:
    """Yield what kind of symbol a name is, and the name: those that most files have."""
    stored = index._stored
    by_kind: dict[str, list[tuple[int, str]]] = {}
    names = [name for name in stored.symbol_names() if "." not in name]
    files = {name: len(found) for name, found in stored.tokens(names).items()}
    for name, entries in stored.symbols(names).items():
        tops = {entry.kind for entry in entries if entry.qualified == name}
        if len(entries) == 1 and len(tops) == 1:
            by_kind.setdefault(tops.pop(), []).append((files.get(name, 0), name))
    for kind in _KINDS:
        for _, name in sorted(by_kind.get(kind, ()), reverse=True)[:_NAMES_OF_A_KIND]:
            yield kind, name
    for name in _BARE:
        yield "any", name


def measure(root: Path, rounds: int) -> None:
    """Print the figures for one project."""
    import ipuaro_jupyter

    model = ipuaro_jupyter.ScriptedModel([])
    with ipuaro_jupyter.start(root, model=model) as assistant:
        index = assistant._index
        print(f"{root.name}: {assistant.status().files} files, {rounds} rounds\n")
        print(f"{'':39}|  uses: first   wall    cpu | find_references wall  cpu ", end="")
        print("| rg wall  lines | definitions first wall  cpu | find_definition wall  cpu")
        for kind, name in list(frequent(index)):
            defined = timed(lambda name=name: index.definitions(name), rounds)
            uses = timed(lambda name=name: index.uses(name, limit=_LIMIT), rounds)
            arguments = {"symbol": name}
            tool = timed(lambda given=arguments: assistant.call("find_references", given), rounds)
            goto = timed(lambda given=arguments: assistant.call("find_definition", given), rounds)
            rg, lines = ripgrep(root, name, min(rounds, 7))
            total = index.uses(name, limit=_LIMIT).total
            print(
                f"{kind:10}{name[:20]:20} {total:7} |  {uses.first:9.1f} {uses.wall:7.2f}"
                f"{uses.cpu:7.2f} | {tool.wall:15.2f} {tool.cpu:10.2f}| {rg:7.1f} {lines:6}"
                f" | {defined.first:12.2f} {defined.wall:6.2f} {defined.cpu:5.2f}"
                f" | {goto.wall:14.2f} {goto.cpu:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    home = tempfile.mkdtemp(prefix="ipuaro-references-")
    os.environ["IPUARO_HOME"] = home
    from ipuaro_jupyter.store.embedded import stop

    try:
        measure(mixed(), int(sys.argv[1]) if len(sys.argv) > 1 else 21)
    finally:
        stop()
        shutil.rmtree(home, ignore_errors=True)
