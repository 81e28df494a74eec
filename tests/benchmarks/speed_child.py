"""What `speed` starts in processes of its own: one measurement, printed as JSON."""

import json
import os
import resource
import statistics
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from ipuaro_jupyter.languages.language import Language

_CHANGES = 40
TYPESCRIPT = {".ts", ".tsx", ".mts", ".cts"}
CODE = TYPESCRIPT | {".js", ".jsx", ".mjs", ".cjs"}


def sources(root: Path) -> list[Path]:
    """Return the TypeScript and JavaScript files of a folder, sorted."""
    return sorted(p for p in root.rglob("*") if p.suffix in CODE and p.is_file())


def parsed_sources(root: Path, part: int, parts: int) -> "list[tuple[Language, bytes]]":
    """Return every ``parts``-th file that an index parses; it refuses minified code, for one."""
    from ipuaro_jupyter.index.extract import parse
    from ipuaro_jupyter.languages.registry import language_for

    files = []
    for path in sources(root)[part::parts]:
        language, data = language_for(str(path)), path.read_bytes()
        assert language is not None
        if parse._reason_unparsed(data, language) is None:
            files.append((language, data))
    return files


def bare_parse(root: Path, part: int, parts: int) -> dict[str, float]:
    """Parse every ``parts``-th file with tree-sitter and do nothing else."""
    files = parsed_sources(root, part, parts)
    began = time.process_time()
    for language, data in files:
        language.parser.parse(data)
    return {"cpu": time.process_time() - began, "megabytes": sum(len(d) for _, d in files) / 1e6}


def bare_captures(root: Path, part: int, parts: int) -> dict[str, float]:
    """Parse every ``parts``-th file, run its query and read where each capture is: nothing else.

    An index in Python cannot cost less.
    """
    from tree_sitter import QueryCursor

    files = parsed_sources(root, part, parts)
    began = time.process_time()
    for language, data in files:
        tree = language.parser.parse(data)
        for nodes in QueryCursor(language.query).captures(tree.root_node).values():
            for node in nodes:
                start = node.start_byte
                data[start : node.end_byte]
    return {"cpu": time.process_time() - began}


def open_project(root: Path) -> dict[str, float]:
    """Open a project as a user does and close it; everything that its index costs is counted."""
    import ipuaro_jupyter
    from ipuaro_jupyter.store.connection import StoreSettings, connect

    model = ipuaro_jupyter.ScriptedModel([])
    connect(StoreSettings())
    server = _server(os.environ["IPUARO_HOME"])
    before, memory, began = _cpu(server), psutil.Process().memory_info().rss, time.monotonic()
    with ipuaro_jupyter.start(root, model=model) as assistant:
        wall = time.monotonic() - began
        used = [after - start for after, start in zip(_cpu(server), before, strict=True)]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        files = assistant.status().files
        assert not assistant.index_report().skipped or files
    return {
        "wall": wall,
        "cpu": sum(used),
        **dict(zip(("kernel", "workers", "server"), used, strict=True)),
        "files": files,
        "kernel_megabytes": (peak - memory) / 1e6,
    }


def memory_of_workers(root: Path) -> dict[str, float]:
    """Open a project and return what its largest worker took at most.

    What the system says of ended processes will not do: it counts the time before they were
    programs of their own.
    """
    peaks, ended = [0.0], Event()
    own = psutil.Process()

    def look() -> None:
        while not ended.wait(0.02):
            for worker in own.children():
                with suppress(OSError, psutil.Error):
                    if any(word.endswith("index.storage.worker") for word in worker.cmdline()):
                        status = Path(f"/proc/{worker.pid}/status").read_text()
                        peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1000)

    watching = Thread(target=look)
    watching.start()
    try:
        open_project(root)
    finally:
        ended.set()
        watching.join()
    return {"worker_megabytes": max(peaks)}


def ask(root: Path, rounds: int) -> dict[str, float]:
    """Ask about frequent names, and change files, one after the other."""
    from speed_references import frequent, ripgrep, timed

    import ipuaro_jupyter

    references, beside, definitions, changed = [], [], [], []
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        index = assistant._index
        for _, name in list(frequent(index)):
            given = {"symbol": name}
            for tool, found in (("find_references", references), ("find_definition", definitions)):
                call = partial(assistant.call, tool, given)
                found.append(timed(call, rounds).wall)
            beside.append(references[-1] / ripgrep(root, name, rounds)[0])
        for number, path in enumerate(sources(root)[:: max(1, len(sources(root)) // _CHANGES)]):
            with path.open("a") as file:
                file.write(f"\nexport const changed{number} = 1\n")
            began = time.perf_counter()
            index.touch([path.relative_to(root).as_posix()])
            changed.append(1000 * (time.perf_counter() - began))
            assert index.definitions(f"changed{number}")
    return {
        "beside_rg": max(beside),
        "references": statistics.median(references),
        "slowest_references": max(references),
        "definition": statistics.median(definitions),
        "slowest_definition": max(definitions),
        "changed": statistics.median(changed),
    }


def _server(home: str) -> psutil.Process:
    for process in psutil.process_iter(["name"]):
        if any(word in (process.info["name"] or "") for word in ("redis", "valkey")):
            with suppress(psutil.Error):  # of somebody else, and gone by now
                if any(home in word for word in (*process.cmdline(), process.cwd())):
                    return process
    raise SystemExit(f"No server of {home} is running.")


def _cpu(server: psutil.Process) -> tuple[float, float, float]:
    """Return the seconds that this process, those it has waited for and the server have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own, children = (u.ru_utime + u.ru_stime for u in used)
    times = server.cpu_times()
    return own, children, times.user + times.system


def main(what: str, folder: Path, *numbers: int) -> dict[str, float]:
    """Return what was measured; no server is left running unless that was asked for."""
    if what in {"parse", "capture"}:
        return (bare_parse if what == "parse" else bare_captures)(folder, *numbers)
    from ipuaro_jupyter.store.embedded import stop

    try:
        if what == "memory":
            return memory_of_workers(folder)
        return open_project(folder) if what == "open" else ask(folder, *numbers)
    finally:
        if "--keep" not in sys.argv:
            stop()


if __name__ == "__main__":
    action, place, *counts = [word for word in sys.argv[1:] if not word.startswith("--")]
    print(json.dumps(main(action, Path(place), *map(int, counts))))
