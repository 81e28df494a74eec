"""How many answers that were found ahead outlive an edit, and how long the next question takes.

    python tests/benchmarks/speed_after_edits.py [EDITS] [--only PROJECT…] [--seed N]

In a copy of each project of `frequent_names.PROJECTS`, the answers about its most frequent names
are found ahead. Then EDITS (10) times a comment or a statement is put into a function drawn at
random, and every name is asked for the first time in a kernel of its own. Share: the answers that
were given as found before. Ratio: the processor time of the thread that asks over ripgrep's, for
these answers, beside the cost of freshness; our server's is left out.
"""

import argparse
import gc
import random
import shutil
import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from frequent_names import PROJECTS, side_by_side
from scratch_home import scratch_home
from speed_references import _PROCESSOR, _opened, _time_freshness, milliseconds, ripgrep

_CODE = (".ts", ".tsx", ".js", ".jsx")
_PARSED_BYTES = 2_000_000


def measure(project: str, home: Path, *, edits: int, seed: int) -> None:
    """Print the figures for one project."""
    from ipuaro_jupyter.index.binding.frequent_uses import find, most_frequent

    source, draw = side_by_side(PROJECTS[project]), random.Random(seed)
    root = home / "copies" / source.name
    shutil.copytree(source, root)
    with _opened(root) as assistant:
        assistant.call("find_references", {"symbol": "anything"})  # what is imported on first use
        stored = assistant._index._stored
        find(stored, root.resolve(), most_bytes=_PARSED_BYTES)
        names = most_frequent(stored)
        code = [path for path in assistant._index.paths() if path.endswith(_CODE)]
    shares, ratios = [], []
    for number in range(edits):
        path = root / draw.choice(code)
        before = path.read_text()
        path.write_text(edited(draw, before, "// edited" if number % 2 else "void 0"))
        asked = list(_asked(root, names))
        peer = ripgrep(root, names[0], 5, _PROCESSOR)[0]
        shares.append(sum(is_kept for _, is_kept in asked) / len(names))
        ratios += [spent / peer for spent, is_kept in asked if is_kept]
        path.write_text(before)
        with _opened(root) as assistant:
            assistant._index.refresh()
            find(assistant._index._stored, root.resolve(), most_bytes=_PARSED_BYTES)
    print(
        f"| {project} | {len(names)} | {statistics.mean(shares):.2f} ({min(shares):.2f}) "
        f"| {statistics.median(ratios):.2f} ({max(ratios):.2f}) |",
        flush=True,
    )


def edited(draw: random.Random, text: str, line: str) -> str:
    """Return a text with a line more at the beginning of a function, or else of the file."""
    lines = text.split("\n")
    begins = [at for at, one in enumerate(lines, 1) if one.rstrip().endswith(") {")]
    lines.insert(draw.choice(begins) if begins else 0, line)
    return "\n".join(lines)


def _asked(root: Path, names: list[str]) -> Iterator[tuple[float, bool]]:
    """Yield the milliseconds of each first question, and whether the answer was kept."""
    from ipuaro_jupyter.index.binding.references import ReferenceFinder

    find_uses, made = ReferenceFinder.of, []
    ReferenceFinder.of = lambda *given, **rest: made.append(1) or find_uses(*given, **rest)
    try:
        for name in names:
            with _opened(root) as assistant:
                spent = _time_freshness(assistant._index._sync, _PROCESSOR)
                ask = partial(assistant.call, "find_references", {"symbol": name})
                made.clear()
                gc.collect()  # what earlier kernels have left in this process
                used = milliseconds(ask, _PROCESSOR)
                yield used - sum(spent), not made
    finally:
        ReferenceFinder.of = find_uses


def main() -> None:
    """Print a row for each project."""
    parser = argparse.ArgumentParser()
    parser.add_argument("edits", nargs="?", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=tuple(PROJECTS), default=tuple(PROJECTS))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with scratch_home() as home:
        print(
            "| project | names | share, mean (least) | ratio, median (worst) |\n|---|---|---|---|"
        )
        for project in options.only:
            measure(project, home, edits=options.edits, seed=options.seed)


if __name__ == "__main__":
    main()
