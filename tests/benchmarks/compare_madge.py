"""Compare the graph of imports with madge's; TypeScript's resolver says which edges there are.

    python tests/benchmarks/compare_madge.py [NAME…] [--show N]

An edge is a pair of files of the project of which one imports the other. Both are timed by the
clock with all that they do: madge makes the graph and nothing else, we make the whole index.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from compare_imports import Project, compiler_answers
from compare_references import project
from corpora import cache, run_node
from scratch_home import scratch_home

from ipuaro_jupyter.workspace.files.listing import list_files

NAMES = ("theia-core", "effect")
_CODE = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_SCRIPT = Path(__file__).with_name("madge_graph.cjs")
Edges = set[tuple[str, str]]


class Compared(NamedTuple):
    """What one of the two found: edges, how many of them there are, and the seconds it took."""

    name: str
    who: str
    edges: int
    right: int
    real: int
    seconds: float


def of_compiler(root: Path, files: list[str]) -> Edges:
    """Return the edges that TypeScript's resolver finds."""
    (answers,) = compiler_answers([Project(root, files)])
    known = set(files)
    found = ((answer.path, answer.resolved) for answer in answers)
    return {(path, target) for path, target in found if target in known and target != path}


def of_madge(root: Path) -> tuple[Edges, float]:
    """Return madge's edges, and the seconds."""
    began = time.monotonic()
    graph = json.loads(run_node(_SCRIPT, str(root)))
    seconds = time.monotonic() - began
    return {(path, target) for path, targets in graph.items() for target in targets}, seconds


def of_index(root: Path) -> tuple[Edges, float]:
    """Return our edges, and the seconds of making the index."""
    import ipuaro_jupyter

    began = time.monotonic()
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        seconds = time.monotonic() - began
        files = list(assistant.dump())
    return {(file["path"], target) for file in files for target in file["dependencies"]}, seconds


def compare(name: str, *, show: int = 0) -> list[Compared]:
    """Return what madge and we find in one corpus."""
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        files = [path for path in list_files(root).files if path.endswith(_CODE)]
        real = of_compiler(root, files)
        rows = []
        for who, (edges, seconds) in (("ours", of_index(root)), ("madge", of_madge(root))):
            code = {(path, target) for path, target in edges if {path, target} <= set(files)}
            right = len(code & real)
            rows.append(Compared(name, who, len(code), right, len(real), seconds))
            for sign, some in (("+", code - real), ("-", real - code)):
                for path, target in sorted(some)[:show]:
                    print(f"    {sign} {who}: {path} -> {target}", file=sys.stderr)
    return rows


def compare_all(names: tuple[str, ...], show: int = 0) -> list[Compared]:
    """Return what is found in all of them, with a server of our own that is gone afterwards."""
    with scratch_home():
        return [row for name in names for row in compare(name, show=show)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--show", type=int, default=0, help="how many differences to show")
    options = parser.parse_args()
    print(f"{'project':16} {'who':8} {'edges':>8} {'right':>8} {'there are':>10} {'seconds':>8}")
    for row in compare_all(tuple(options.names), options.show):
        counts = f"{row.edges:8} {row.right:8} {row.real:10}"
        print(f"{row.name:16} {row.who:8} {counts} {row.seconds:8.2f}")


if __name__ == "__main__":
    main()
