"""How much the index costs, beside what it cannot do without: a table of ratios.

    python tests/benchmarks/speed.py [ROUNDS]

Every figure is the median of ROUNDS (5) ratios, each of two things measured one after the other.
CPU seconds are those of the kernel's process, its workers and the server; the cost of opening an
empty project is subtracted. The peers: tree-sitter parsing the same bytes and doing nothing
else, once in one process and once in two side by side, as the index does it; universal-ctags on
the same files, in two processes side by side.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpora import cache, corpus
from speed_child import TYPESCRIPT, sources

_CHILD = Path(__file__).with_name("speed_child.py")
_MIXED = ("theia-core", "theia-plugin-ext", "viem", "tldraw", "ethers", "lexical", "rxjs", "zod")
_CTAGS = ["ctags", "--languages=TypeScript", "--langmap=TypeScript:+.tsx.mts.cts", "-f"]


def child(*words: str | Path, home: str = "") -> dict[str, float]:
    """Return what a measurement in a process of its own found."""
    environment = {**os.environ, "IPUARO_HOME": home}
    command = [sys.executable, str(_CHILD), *map(str, words)]
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def opened(root: Path) -> dict[str, float]:
    """Return the cost of opening a project that has no index."""
    home = tempfile.mkdtemp(prefix="ipuaro-speed-")
    try:
        return child("open", root, home=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def bare(root: Path) -> tuple[float, float]:
    """Return the CPU seconds of tree-sitter alone: in one process, and in two side by side."""
    alone = child("parse", root, "0", "1")["cpu"]
    pair = [
        subprocess.Popen(
            [sys.executable, str(_CHILD), "parse", str(root), str(part), "2"],
            stdout=subprocess.PIPE,
        )
        for part in range(2)
    ]
    both = sum(json.loads(process.communicate()[0])["cpu"] for process in pair)
    return alone, both


def ctags(root: Path) -> float:
    """Return the seconds that universal-ctags takes in two processes, half of the files each."""
    files = sources(root)
    began = time.monotonic()
    pair = [
        subprocess.Popen([*_CTAGS, os.devnull, "-L", "-"], stdin=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for part, process in enumerate(pair):
        assert process.stdin is not None
        process.stdin.write("\n".join(map(str, files[part::2])))
        process.stdin.close()
    for process in pair:
        process.wait(600)
    return time.monotonic() - began


def mixed() -> Path:
    """Return a folder with the TypeScript of several projects side by side."""
    folder = cache() / "mixed"
    mark = folder / ".corpus"
    if not (mark.is_file() and mark.read_text() == " ".join(_MIXED)):
        shutil.rmtree(folder, ignore_errors=True)
        for name in _MIXED:
            copy_sources(corpus(name), folder / name)
        mark.write_text(" ".join(_MIXED))
    return folder


def copy_sources(source: Path, target: Path) -> None:
    """Link the TypeScript of a folder, declarations left out, and what says where imports lead."""
    for path in source.rglob("*"):
        is_config = path.name == "package.json" or path.match("tsconfig*.json")
        is_code = path.suffix in TYPESCRIPT and ".d." not in path.name
        if path.is_file() and (is_config or is_code):
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, place)


def cold(root: Path, rounds: int) -> None:
    """Print what a first index costs."""
    with tempfile.TemporaryDirectory() as empty:
        nothing = opened(Path(empty))
    rows = []
    for _ in range(rounds):
        alone, both = bare(root)
        found, tags = opened(root), ctags(root)
        cpu, wall = found["cpu"] - nothing["cpu"], found["wall"] - nothing["wall"]
        rows.append((cpu / alone, cpu / both, wall / tags, wall, cpu, alone, both, tags))
    names = ("cpu/parse", "cpu/parse in two", "wall/ctags in two", "wall s", "cpu s")
    names += ("parse s", "parse in two s", "ctags in two s")
    figures = [statistics.median(column) for column in zip(*rows, strict=True)]
    size = sum(path.stat().st_size for path in sources(root)) / 1e6
    print(f"\n{root.name}: {found['files']:.0f} files, {size:.1f} MB of TypeScript")
    for name, figure in zip(names, figures, strict=True):
        print(f"  {name:20} {figure:8.2f}")
    print(f"  {'kernel MB':20} {found['kernel_megabytes'] - nothing['kernel_megabytes']:8.0f}")
    print(f"  {'largest worker MB':20} {found['worker_megabytes']:8.0f}")


def warm(root: Path, rounds: int) -> None:
    """Print what opening an indexed project costs, the server running."""
    home = tempfile.mkdtemp(prefix="ipuaro-speed-")
    try:
        first = child("open", root, "--keep", home=home)
        again = [child("open", root, "--keep", home=home)["wall"] for _ in range(rounds)]
        child("open", root, home=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    share = statistics.median(again) / first["wall"]
    print(f"\n{root.name}: {first['files']:.0f} files unchanged")
    print(f"  {'warm s':20} {statistics.median(again):8.3f}\n  {'warm/cold':20} {share:8.3f}")


def growth(root: Path, rounds: int) -> None:
    """Print how the cost grows when there are 4 and 16 times as many files."""
    folders = sorted(path for path in root.iterdir() if path.is_dir())
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        costs = []
        for times in (1, 4, 16):
            place = Path(temporary) / str(times)
            for copy in range(times):
                copy_sources(folders[0], place / str(copy))
            costs.append(statistics.median(opened(place)["cpu"] for _ in range(min(rounds, 3))))
    print(f"\ngrowth ({folders[0].name}), CPU per file, 1x = 1")
    for times, cost in zip((1, 4, 16), costs, strict=True):
        print(f"  {f'{times}x':20} {cost / times / costs[0]:8.2f}")


def main(rounds: int) -> None:
    """Print all tables."""
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, {rounds} rounds")
    everything = mixed()
    for root in (everything, corpus("effect") / "src"):
        cold(root, rounds)
    warm(everything, rounds)
    growth(everything, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
