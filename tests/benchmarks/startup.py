"""How soon the extension and the command line are there: medians, beside what is empty.

    python tests/benchmarks/startup.py [ROUNDS]

Medians of ROUNDS (15), of the time and of the processor time. ``%load_ext ipuaro_jupyter`` runs in
a fresh kernel after an empty cell, which is subtracted; the kernel's own start is printed beside
it, and ``python -c pass`` beside the command line.
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from corpora import cache
from hand import Kernel

Took = tuple[float, float]
"""Milliseconds, and those of processor time."""


def program(*words: str) -> Took:
    """Return what a program takes from its start to its end."""
    before, began_s = _children_s(), time.perf_counter()
    run = [sys.executable, *words]
    subprocess.run(run, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - began_s), 1000 * (_children_s() - before)


def kernels() -> tuple[Took, Took]:
    """Return what a fresh kernel takes until it answers, and the extension in it."""
    began_s = time.perf_counter()
    kernel = Kernel()
    try:
        started = 1000 * (time.perf_counter() - began_s), 1000 * kernel.cpu_s()
        nothing = cell(kernel, "")
        loaded = cell(kernel, "%load_ext ipuaro_jupyter")
        return started, (loaded[0] - nothing[0], loaded[1] - nothing[1])
    finally:
        kernel.stop()


def cell(kernel: Kernel, code: str) -> Took:
    """Return what a cell takes."""
    before_s = kernel.cpu_s()
    took_s = kernel.run(code).took_s
    return 1000 * took_s, 1000 * (kernel.cpu_s() - before_s)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, and print a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    os.environ["PYTHONPYCACHEPREFIX"] = str(cache() / "pycache")  # compiled once, as for a user
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    programs: dict[str, Callable[[], Took]] = {
        "`python -c pass`": lambda: program("-c", "pass"),
        "`ipuaro --help`": lambda: program("-m", "ipuaro_jupyter.cli", "--help"),
    }
    found: dict[str, list[Took]] = {}
    kernels()  # everything is compiled, and read from the disk
    for _ in range(rounds):
        for name, run in programs.items():
            found.setdefault(name, []).append(run())
        started, loaded = kernels()
        found.setdefault("a kernel, until it answers", []).append(started)
        found.setdefault("`%load_ext ipuaro_jupyter` in it", []).append(loaded)
    limits = {"`ipuaro --help`": "<= 250", "`%load_ext ipuaro_jupyter` in it": "<= 150"}
    print(f"Medians of {rounds}\n\n| | ms | of processor time | limit |\n| --- | --- | --- | --- |")
    for name, figures in found.items():
        took, used = map(statistics.median, zip(*figures, strict=True))
        print(f"| {name} | {took:.0f} | {used:.0f} | {limits.get(name, '')} |")


if __name__ == "__main__":
    main()
