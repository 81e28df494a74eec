"""What the engines of a cluster add to a whole index, and how much of its work does not spread.

    python tests/benchmarks/engines.py [ROUNDS]

Two engines of ipyparallel and two of Dask, all on this machine, beside the pool of two processes:
each makes the index of the same sources (eight packages of npm), in turn, ROUNDS (5) times.
Throughput is the source over the time, by the clock and by the processor time of all processes: of
the kernel, the parsers, the engines, the scheduler and the store, without what a cluster takes when
it is idle. What does not spread is the kernel's own processor time. All that the pool and its
kernel take, over that, is how much faster engines can make it at most.
Install ``.[ipyparallel,dask]`` first.
"""

import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import speed_child
from speed import mixed, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

_PARSERS = 2
_IDLE_S = 3.0
_WAYS = ("processes", "ipyparallel", "dask")


def seconds(roots: list[int]) -> float:
    """Return the CPU seconds of processes and all below them, with those they have waited for."""
    total = 0.0
    for root in map(psutil.Process, roots):
        for process in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:4])  # its own, and those of its ended children
    return total


def child(root: Path, executor: str, *roots: str) -> dict[str, float]:
    """Have this process make the whole index, and return what that has taken."""
    import ipuaro_jupyter

    project: dict[str, Any] = {"executor": executor, "workers": _PARSERS}
    model = ipuaro_jupyter.ScriptedModel([])
    with ipuaro_jupyter.start(root, model=model, settings={"project": project}) as assistant:
        server = speed_child._server(os.environ["IPUARO_HOME"])
        own, others = [os.getpid()], [*map(int, roots), server.pid]
        known, began = seconds(others), time.monotonic()
        time.sleep(_IDLE_S)
        idle = (seconds(others) - known) / (time.monotonic() - began)
        known, began = seconds(others), time.monotonic()
        mine, kernel = seconds(own), time.process_time()
        report = assistant.reindex()
        took, kernel = time.monotonic() - began, time.process_time() - kernel
        elsewhere = seconds(others) - known - idle * took
        time.sleep(0.5)  # until the last parser has been waited for
        here = seconds(own) - mine
    figures = {"clock": took, "kernel": kernel, "here": here, "all": here + elsewhere}
    if roots and not re.search(r"[1-9]\d* batch(es)? parsed by", report.notice):
        raise SystemExit(f"The engines were not used: {report.notice}")
    return figures


def measured(root: Path, home: str, cluster: Any) -> dict[str, float]:
    """Return the figures of a process of its own."""
    executor = "processes" if cluster is None else cluster.executor
    pids = () if cluster is None else (cluster.scheduler.pid, *(e.pid for e in cluster.engines))
    words = [str(root), executor, *map(str, pids)]
    environment = {**os.environ, "IPUARO_HOME": home}
    if cluster is not None:
        environment |= cluster.environment()
    done = subprocess.run(
        [sys.executable, __file__, "--child", *words],
        check=True,
        stdout=subprocess.PIPE,
        env=environment,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(rounds: int) -> None:
    """Measure in turn, and print."""
    from clusters import CLUSTERS, wait_until

    root = mixed()
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 1e6
    folder = Path(tempfile.mkdtemp(prefix="ipuaro-engines-"))
    clusters: dict[str, Any] = {}
    rows: dict[str, list[dict[str, float]]] = {way: [] for way in _WAYS}
    try:
        for name, kind in CLUSTERS.items():
            (folder / name).mkdir()
            clusters[name] = kind(folder / name)
            os.environ |= clusters[name].environment()
            for _ in range(_PARSERS):
                clusters[name].engine()
            wait_until(lambda made=clusters[name]: made.known() == _PARSERS)
        for _ in range(rounds):
            for way in _WAYS:
                rows[way].append(measured(root, str(folder / "home"), clusters.get(way)))
                print(way, rows[way][-1], file=sys.stderr, flush=True)
    finally:
        for cluster in clusters.values():
            cluster.close()
        stop = "from ipuaro_jupyter.store.embedded import stop; stop()"
        environment = {**os.environ, "IPUARO_HOME": str(folder / "home")}
        subprocess.run([sys.executable, "-c", stop], check=False, env=environment)
        shutil.rmtree(folder, ignore_errors=True)
    tell(rows, size)


def tell(rows: dict[str, list[dict[str, float]]], size: float) -> None:
    """Print the medians."""

    def median(way: str, name: str) -> float:
        return statistics.median(row[name] for row in rows[way])

    for way in _WAYS:
        say(f"{way}: MB of source in a second", size / median(way, "clock"))
        say(f"{way}: MB of source in a CPU second", size / median(way, "all"))
    for way in ("ipyparallel", "dask"):
        pairs = list(zip(rows["processes"], rows[way], strict=True))
        for name, figure in (("clock", "time"), ("all", "CPU time")):
            over = statistics.median(pool[name] / other[name] for pool, other in pairs)
            say(f"{way}: throughput over that of two processes, by {figure}", over, ">= 0.8")
        say(f"{way}: CPU of the kernel, s, which does not spread", median(way, "kernel"))
        share = statistics.median(row["kernel"] / row["all"] for row in rows[way])
        say(f"{way}: share of the CPU time that does not spread", share)
        most = statistics.median(pool["here"] / other["kernel"] for pool, other in pairs)
        say(f"{way}: all that the pool takes over that", most)


if __name__ == "__main__":
    if "--child" in sys.argv:
        place, *rest = sys.argv[sys.argv.index("--child") + 1 :]
        print(json.dumps(child(Path(place), *rest)))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
