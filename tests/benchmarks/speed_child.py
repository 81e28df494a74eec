"""What `speed` starts in processes of its own: one measurement, printed as JSON."""

import json
import os
import resource
import sys
import time
from pathlib import Path

import psutil

TYPESCRIPT = {".ts", ".tsx", ".mts", ".cts"}


def sources(root: Path) -> list[Path]:
    """Return the TypeScript files of a folder, sorted."""
    return sorted(p for p in root.rglob("*") if p.suffix in TYPESCRIPT and p.is_file())


def bare_parse(root: Path, part: int, parts: int) -> dict[str, float]:
    """Parse every ``parts``-th file with tree-sitter and do nothing else."""
    from ipuaro_jupyter.languages.registry import language_for

    files = [(str(path), path.read_bytes()) for path in sources(root)[part::parts]]
    began = time.process_time()
    for path, data in files:
        language = language_for(path)
        assert language is not None
        language.parser.parse(data)
    return {"cpu": time.process_time() - began, "megabytes": sum(len(d) for _, d in files) / 1e6}


def open_project(root: Path) -> dict[str, float]:
    """Open a project as a user does and close it; everything that its index costs is counted."""
    import ipuaro_jupyter
    from ipuaro_jupyter.store.connection import StoreSettings, connect
    from ipuaro_jupyter.store.embedded import stop

    model = ipuaro_jupyter.ScriptedModel([])
    connect(StoreSettings())
    server = _server(os.environ["IPUARO_HOME"])
    before, memory, began = _cpu(server), psutil.Process().memory_info().rss, time.monotonic()
    with ipuaro_jupyter.start(root, model=model) as assistant:
        wall = time.monotonic() - began
        after = _cpu(server)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        files = assistant.status().files
        assert not assistant.index_report().skipped or files
    if "--keep" not in sys.argv:
        stop()
    return {
        "wall": wall,
        "cpu": after - before,
        "files": files,
        "kernel_megabytes": (peak - memory) / 1e6,
        "worker_megabytes": workers,
    }


def _server(home: str) -> psutil.Process:
    for process in psutil.process_iter(["name"]):
        if any(word in process.info["name"] for word in ("redis", "valkey")):
            words = [*process.cmdline(), process.cwd()]
            if any(home in word for word in words):
                return process
    raise SystemExit(f"No server of {home} is running.")


def _cpu(server: psutil.Process) -> float:
    """Return the seconds that this process, those it has waited for and the server have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    times = server.cpu_times()
    return sum(u.ru_utime + u.ru_stime for u in used) + times.user + times.system


if __name__ == "__main__":
    what, folder, *numbers = [word for word in sys.argv[1:] if not word.startswith("--")]
    if what == "parse":
        print(json.dumps(bare_parse(Path(folder), *map(int, numbers))))
    else:
        print(json.dumps(open_project(Path(folder))))
