"""How fast the index is and how much it costs, beside what it cannot do without: one table.

    python tests/benchmarks/speed.py [ROUNDS] [--quick]

With ``--quick`` the project is rxjs alone, and growth is left out.

Ratios are medians of ROUNDS (5) ratios, each of two things measured one after the other. CPU
seconds are those of the kernel's process, its workers and the server; the cost of opening an
empty project is subtracted. The peers: tree-sitter parsing what the index parses and doing nothing
else, once in one process and once in two side by side, as the index does it; in two, the same with
the query and where its captures are, which this index cannot do without; universal-ctags on the
same files, as it is, in one process, and in two with half of the files each; ripgrep looking for a
word in the same folder.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpora import cache, corpus
from frequent_names import side_by_side
from speed_child import TYPESCRIPT, sources

_CHILD = Path(__file__).with_name("speed_child.py")
_MIXED = ("theia-core", "theia-plugin-ext", "viem", "tldraw", "ethers", "lexical", "rxjs", "zod")
_SMALL = ("three", "rxjs", "zod", "mobx@6.13.5")
_GROWING = "theia-core"
_TIMES = (1, 4, 16)
_LANGMAP = "--langmap=TypeScript:+.tsx.mts.cts.js.jsx.mjs.cjs"
_CTAGS = ["ctags", "--languages=TypeScript", _LANGMAP, "-f"]


def child(*words: str | Path, home: str = "") -> dict[str, float]:
    """Return what a measurement in a process of its own found; it tells when that fails."""
    command = [sys.executable, str(_CHILD), *map(str, words)]
    done = subprocess.run(command, check=False, capture_output=True, env=environment(home))
    if done.returncode:
        sys.stderr.write(done.stderr.decode(errors="replace"))
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}.")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def environment(home: str = "") -> dict[str, str]:
    """Return an environment in which modules are compiled once, as they are for a user."""
    environment = {**os.environ, "IPUARO_HOME": home}
    environment["PYTHONPYCACHEPREFIX"] = str(cache() / "pycache")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def opened(root: Path, what: str = "open") -> dict[str, float]:
    """Return the cost of opening a project that has no index."""
    home = tempfile.mkdtemp(prefix="ipuaro-speed-")
    try:
        return child(what, root, home=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def in_two(root: Path, what: str) -> float:
    """Return the CPU seconds of two processes side by side, each with half of the files."""
    pair = [
        subprocess.Popen(
            [sys.executable, str(_CHILD), what, str(root), str(part), "2"],
            stdout=subprocess.PIPE,
            env=environment(),
        )
        for part in range(2)
    ]
    used = [float(json.loads(process.communicate()[0])["cpu"]) for process in pair]
    return sum(used)


def ctags(root: Path, count: int) -> float:
    """Return the seconds that ``count`` processes of universal-ctags take for the files."""
    files = sources(root)
    began = time.monotonic()
    some = [
        subprocess.Popen([*_CTAGS, os.devnull, "-L", "-"], stdin=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for part, process in enumerate(some):
        assert process.stdin is not None
        process.stdin.write("\n".join(map(str, files[part::count])))
        process.stdin.close()
    for process in some:
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
    """Copy the TypeScript of a folder, declarations left out, and what says where imports lead.

    Links would not do: files with several names are compared with the index before each answer.
    """
    for path in source.rglob("*"):
        is_config = path.name == "package.json" or path.match("tsconfig*.json")
        is_code = path.suffix in TYPESCRIPT and ".d." not in path.name
        if path.is_file() and (is_config or is_code):
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def say(what: str, figure: float, limit: str = "", digits: int = 2) -> None:
    """Print one row of the table."""
    print(f"| {what:62} | {figure:8.{digits}f} | {limit:8} |", flush=True)


def cold(root: Path, rounds: int, *, limit: str = "") -> None:
    """Print what a first index costs; ``limit`` is for an idle machine."""
    with tempfile.TemporaryDirectory() as empty:
        nothing = opened(Path(empty))
    rows = []
    for _ in range(rounds):
        alone, both = child("parse", root, "0", "1")["cpu"], in_two(root, "parse")
        captures = in_two(root, "capture")
        found, tags, halves = opened(root), ctags(root, 1), ctags(root, 2)
        cpu, wall = found["cpu"] - nothing["cpu"], found["wall"] - nothing["wall"]
        processes = (found["kernel"] - nothing["kernel"], found["workers"], found["server"])
        shares = (seconds / alone for seconds in processes)
        seconds = (wall, cpu, alone, tags, halves)
        ratios = (cpu / alone, *shares, captures / alone, cpu / both, wall / tags, wall / halves)
        rows.append((*ratios, *seconds))
    figures = [statistics.median(column) for column in zip(*rows, strict=True)]
    size = sum(path.stat().st_size for path in sources(root)) / 1e6
    name = root.parent.name if root.name == "src" else root.name.removeprefix("sources-")
    of = f"{name}, {found['files']:.0f} files, {size:.1f} MB"
    limits = {
        f"first index: CPU / bare parse ({of})": limit,
        "  of that the kernel's process": "",
        "  of that the workers": "",
        "  of that the server": "",
        "  parsing, the query and where its captures are, in two": "",
        "  CPU / bare parse in two processes side by side": "",
        "first index in two processes: wall / ctags": "<= 1.5",
        "  wall / ctags in two processes as well": "",
        "  wall, s": "",
        "  CPU, s": "",
        "  bare parse, s": "",
        "  ctags, s": "",
        "  ctags in two processes, s": "",
    }
    for (what, most), figure in zip(limits.items(), figures, strict=True):
        say(what, figure, most)
    say("kernel, MB over its baseline", _over(found, nothing), "<= 150", 0)
    say("largest worker, MB", opened(root, "memory")["worker_megabytes"], "<= 60", 0)


def _over(found: dict[str, float], nothing: dict[str, float]) -> float:
    return found["kernel_megabytes"] - nothing["kernel_megabytes"]


def questions(root: Path, rounds: int) -> None:
    """Print how long answers take, and how long one changed file."""
    home = Path(tempfile.mkdtemp(prefix="ipuaro-speed-"))
    copy = home / "project"
    try:
        shutil.copytree(root, copy)
        found = child("ask", copy, str(max(rounds, 5)), home=str(home / "home"))
    finally:
        shutil.rmtree(home, ignore_errors=True)
    say("find_references of frequent names / ripgrep, the slowest", found["beside_rg"], "< 1")
    say("find_references of frequent names, ms, median", found["references"], "<= 10")
    say("  the slowest", found["slowest_references"], "<= 10")
    say("find_definition of frequent names, ms, median", found["definition"], "<= 2")
    say("  the slowest", found["slowest_definition"], "<= 2")
    say("one changed file into the index, ms, median", found["changed"], "<= 10")


def warm(root: Path, rounds: int) -> None:
    """Print what opening an indexed project costs, the server running."""
    home = tempfile.mkdtemp(prefix="ipuaro-speed-")
    try:
        first = child("open", root, "--keep", home=home)
        again = [child("open", root, "--keep", home=home)["wall"] for _ in range(rounds)]
        with tempfile.TemporaryDirectory() as empty:
            nothing = [child("open", empty, "--keep", home=home)["wall"] for _ in range(rounds)]
        child("open", root, home=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    say(f"opened again, {first['files']:.0f} files unchanged, s", statistics.median(again))
    say("  of that what an empty project takes, s", statistics.median(nothing))
    say("  / first index", statistics.median(again) / first["wall"], "<= 0.05", 3)


def growth(root: Path, rounds: int) -> None:
    """Print how the cost grows when there are 4 and 16 times as many files."""
    with tempfile.TemporaryDirectory() as empty:
        nothing = opened(Path(empty))["cpu"]
    costs = []
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        for times in _TIMES:
            place = Path(temporary) / str(times)
            for copy in range(times):
                copy_sources(root / _GROWING, place / str(copy))
            cpu = statistics.median(opened(place)["cpu"] for _ in range(min(rounds, 3)))
            costs.append((cpu - nothing) / times)
    for times, cost in zip(_TIMES[1:], costs[1:], strict=True):
        say(f"CPU per file, {times}x the files of {_GROWING} / 1x", cost / costs[0], "<= 1.15")


def machine() -> str:
    """Return what it is measured on."""
    names = [line for line in _cpu_info() if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.machine()
    return f"{os.cpu_count()} processors ({name}), Python {platform.python_version()}"


def _cpu_info() -> list[str]:
    place = Path("/proc/cpuinfo")
    return place.read_text().splitlines() if place.exists() else []


def main(rounds: int, *, quick: bool = False) -> None:
    """Print the table."""
    print(f"{machine()}, {rounds} rounds\n\n| what | measured | limit |\n|---|---|---|")
    everything = corpus("rxjs") / "src" if quick else mixed()
    cold(everything, rounds, limit="" if quick else "<= 4.0")
    questions(everything, rounds)
    warm(everything, rounds)
    if not quick:
        growth(everything, rounds)
        cold(corpus("effect") / "src", rounds, limit="<= 2.3")
        cold(side_by_side(_SMALL), rounds, limit="<= 4.0")


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(counts[0] if counts else 5, quick="--quick" in sys.argv)
