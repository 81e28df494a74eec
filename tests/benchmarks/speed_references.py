"""How long questions about symbols take, beside ripgrep looking for the word.

    python tests/benchmarks/speed_references.py [ROUNDS] [--names N] [--only PROJECT…]
        [--processor | --kinds]

For the N (20) names that occur most often in each project of `frequent_names.PROJECTS`: the
milliseconds of ``find_references`` on the clock, and those of ripgrep, which looks for the same
word in the same folder just before and just after, each a median of ROUNDS (3). What it takes to
find out what has changed on the disk is printed apart. First: the first question of a kernel.
Second: the same question again. All: the first question of a kernel with no limit. Again: that
question again.

With ``--processor``, it is the time of the processor instead, of the thread that asks and of
ripgrep: where other programs keep the machine busy, that says more. Our server's is left out.

With ``--kinds``, the names are those that most files of `speed.mixed` have, of each kind, and
every figure is in milliseconds: the first answer, then medians of later ones, as they pass on the
clock and as the processor of the kernel counts them.
"""

import argparse
import gc
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from frequent_names import PROJECTS, most_frequent, side_by_side
from scratch_home import scratch_home
from speed import mixed

_LIMIT = 200
_NO_LIMIT = 10_000_000
_UNKNOWN = "neverDeclaredAnywhere"
_KINDS = ("class", "function", "interface", "const")
_NAMES_OF_A_KIND = 2
_BARE = ("name", "of", "undefined")


class Clock(NamedTuple):
    """Seconds that have passed for the thread that asks, and for programs that it runs."""

    asking: Callable[[], float]
    programs: Callable[[], float]


def _children_s() -> float:
    """Return the processor time of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


_WALL = Clock(time.perf_counter, time.perf_counter)
_PROCESSOR = Clock(time.thread_time, _children_s)


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


def ripgrep(root: Path, name: str, rounds: int, clock: Clock = _WALL) -> tuple[float, int]:
    """Return how long ripgrep takes, and how many lines it finds."""
    command = ["rg", "-w", "-n", "--no-heading", "-F", "--", name, str(root)]
    walls, lines = [], 0
    for _ in range(rounds):
        began = clock.programs()
        found = subprocess.run(command, capture_output=True, check=False).stdout
        walls.append(1000 * (clock.programs() - began))
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


def measure_kinds(root: Path, rounds: int) -> None:
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


class Asked(NamedTuple):
    """Milliseconds of the answers to a name in new kernels, and of ripgrep."""

    first: float
    second: float
    everything: float
    everything_again: float
    freshness: float
    ripgrep: float


def compare(project: str, *, rounds: int, names: int, clock: Clock) -> None:
    """Print the times for the most frequent names of a project: each, the worst, the median."""
    root = side_by_side(PROJECTS[project])
    with _opened(root) as assistant:
        assistant.call("find_references", {"symbol": _UNKNOWN})  # what is imported on first use
        drawn = most_frequent(assistant._index, names)
        print(f"\n{project}: {assistant.status().files} files, {rounds} rounds\n")
    print("| name | occurrences | first | second | all | again | fresh | ripgrep |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for name, count in drawn:
        found = [_asked(root, name, clock) for _ in range(rounds)]
        rows.append(Asked(*map(statistics.median, zip(*found, strict=True))))
        _print_row(name, f"{count:,}", rows[-1])
    columns = list(zip(*rows, strict=True))
    _print_row("worst", "", Asked(*map(max, columns)))
    _print_row("median", "", Asked(*map(statistics.median, columns)))


def _asked(root: Path, name: str, clock: Clock) -> Asked:
    """Return the figures for a name; each question is asked in a kernel of its own, and again."""
    beside, times = [ripgrep(root, name, 3, clock)[0]], list[float]()
    for given in ({"symbol": name}, {"symbol": name, "limit": _NO_LIMIT}):
        some, fresh = _times(root, given, clock)
        times += some
        beside.append(ripgrep(root, name, 3, clock)[0])
    return Asked(*times, fresh, statistics.median(beside))


def _times(root: Path, given: dict[str, object], clock: Clock) -> tuple[list[float], float]:
    """Return how long a question takes in a new kernel, and again.

    The second figure is what the last look for changes on the disk took, which is not counted.
    """
    with _opened(root) as assistant:
        spent = _time_freshness(assistant._index._sync, clock)
        ask = partial(assistant.call, "find_references", given)
        gc.collect()  # what earlier kernels have left in this process
        times = []
        for _ in range(2):
            spent.clear()
            times.append(milliseconds(ask, clock) - sum(spent))
    return times, sum(spent)


def _time_freshness(sync, clock: Clock) -> list[float]:
    """Return a list that gets the milliseconds of each look for changes on the disk."""
    spent: list[float] = []
    catch_up = sync.catch_up

    def timed_look(**options: object) -> bool:
        began = clock.asking()
        try:
            return catch_up(**options)
        finally:
            spent.append(1000 * (clock.asking() - began))

    sync.catch_up = timed_look
    return spent


def milliseconds(ask: Callable[[], object], clock: Clock) -> float:
    """Return how long an answer takes."""
    began = clock.asking()
    ask()
    return 1000 * (clock.asking() - began)


def _print_row(name: str, count: str, of: Asked) -> None:
    print(f"| {name} | {count} | {' | '.join(f'{figure:,.1f}' for figure in of)} |", flush=True)


def _opened(root: Path):
    import ipuaro_jupyter

    return ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([]))


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int)
    parser.add_argument("--names", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=tuple(PROJECTS), default=tuple(PROJECTS))
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--kinds", action="store_true")
    options = parser.parse_args()
    if options.kinds:
        measure_kinds(mixed(), options.rounds or 21)
        return
    for project in options.only:
        clock = _PROCESSOR if options.processor else _WALL
        compare(project, rounds=options.rounds or 3, names=options.names, clock=clock)


if __name__ == "__main__":
    with scratch_home():
        main()
