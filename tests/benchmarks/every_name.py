"""What `find_references` and `find_definition` take for every name of many popular packages.

    python tests/benchmarks/every_name.py [PACKAGE…] [--sample N] [--seed SEED]

Every name that a package declares at the top of a file is asked, with both tools, in one process.
A line for each package: its files and names, the median and the slowest answer in milliseconds of
processor time, that of all threads of the kernel, so that other programs on the machine do not
count. At the end the slowest of all, and an error when it took more than two seconds. Answers that
do not come within a minute end the run, with the place in the code. PACKAGE chooses among `POPULAR`
by the beginning of its name; with ``--sample``, so many names of each package are drawn by SEED.
"""

import argparse
import faulthandler
import random
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

from corpora import POPULAR, package
from scratch_home import scratch_home

LIMIT_S = 2.0
_HANGS_S = 60.0
_TOOLS = ("find_references", "find_definition")


class Slowest(NamedTuple):
    """The answer that took longest, in seconds of processor time."""

    seconds: float
    package: str
    tool: str
    name: str

    def __str__(self) -> str:
        return f"{1000 * self.seconds:.0f} ms: {self.tool} of {self.name} in {self.package}"


class Totals(NamedTuple):
    """What was asked of all packages."""

    packages: int
    names: int
    answers: int
    median_s: float
    slowest: Slowest


def top_names(index) -> list[str]:
    """Return the names that are declared at the top of a file, sorted."""
    stored = index._stored
    names = [name for name in stored.symbol_names() if "." not in name]
    found = stored.symbols(names)
    return sorted(name for name in names if any(e.qualified == name for e in found.get(name, ())))


def asked(root: Path, spec: str, chosen: random.Random, sample: int | None) -> list[Slowest]:
    """Ask all names of a package, or some, print a line, and return how long each took."""
    import ipuaro_jupyter

    times = []
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        names = top_names(assistant.project().index)
        if sample is not None and sample < len(names):
            names = chosen.sample(names, sample)
        for name in names:
            for tool in _TOOLS:
                faulthandler.dump_traceback_later(_HANGS_S, exit=True)
                began = time.process_time()
                result = assistant.call(tool, {"symbol": name})
                times.append(Slowest(time.process_time() - began, spec, tool, name))
                faulthandler.cancel_dump_traceback_later()
                assert result.success, result.text()
        files = assistant.status().files
    median = 1000 * statistics.median([one.seconds for one in times]) if times else 0.0
    worst = str(max(times)).rpartition(" in ")[0] if times else "nothing to ask"
    print(f"{spec:24} {files:6} files {len(names):6} names  median {median:6.1f} ms  {worst}")
    sys.stdout.flush()
    return times


def ask_all(wanted: list[tuple[str, str]], *, sample: int | None, seed: int) -> Totals:
    """Ask the names of packages.

    Args:
        wanted: Their registries and specs.
        sample: How many names of each; None: every one.
        seed: Chooses the names of a sample.
    """
    chosen, times = random.Random(seed), list[Slowest]()
    with scratch_home():
        for registry, spec in wanted:
            times += asked(package(registry, spec), spec, chosen, sample)
    median = statistics.median([one.seconds for one in times])
    return Totals(len(wanted), len(times) // len(_TOOLS), len(times), median, max(times))


def main() -> int:
    """Print the figures; return 1 when an answer took too long."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help="beginnings of names; all packages by default")
    parser.add_argument("--sample", type=int, help="ask so many names of each package only")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    beginnings = tuple(options.packages) or ("",)
    every = [(registry, spec) for registry, specs in POPULAR.items() for spec in specs]
    wanted = [pair for pair in every if pair[1].startswith(beginnings)]
    totals = ask_all(wanted, sample=options.sample, seed=options.seed)
    median_ms = 1000 * totals.median_s
    print(f"\n{totals.names:,} names of {totals.packages} packages, median {median_ms:.1f} ms")
    print(f"slowest: {totals.slowest}")
    return int(totals.slowest.seconds > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
