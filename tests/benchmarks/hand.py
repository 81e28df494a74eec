"""How a notebook feels: opening a project, the first reaction to a question, the cost of drawing.

    python tests/benchmarks/hand.py [ROUNDS]

Medians of ROUNDS (5). Each opening is in a fresh kernel; the project of 2,000 files is indexed,
and the store is up. An answer of 5,000 tokens comes from a local server that speaks Ollama's API,
250 tokens in a second; it is drawn by %%ask, printed piece by piece, and only read.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from corpora import cache, corpus
from jupyter_client.manager import KernelManager
from ollama_server import OllamaServer
from speed_child import sources

FILES = 2000
CORPORA = ("rxjs", "zod", "theia-core", "effect", "tldraw")
MODEL = "qwen2.5-coder:7b-instruct"
TOKENS = 5000
PAUSE_S = 0.004
PART = (Path(__file__).parents[1] / "system/browser/answer_part.md").read_text("utf-8")
FIND = "assistant = get_ipython().magics_manager.registry['IpuaroMagics'].project.assistant"
READ = "for event in assistant.stream('Explain'): {what}"
PRINT = "print(getattr(event, 'text', ''), end='', flush=True)"


class Kernel:
    """A fresh kernel."""

    def __init__(self) -> None:
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel()
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(60)

    def run(self, code: str) -> "Ran":
        """Run a cell to its end."""
        sent_s = time.perf_counter()
        message = self._client.execute(code, allow_stdin=True)
        shown_s, text = 0.0, ""
        while True:
            told = self._client.get_iopub_msg(timeout=300)
            if told["parent_header"].get("msg_id") != message:
                continue
            kind, content = told["msg_type"], told["content"]
            if kind in {"display_data", "execute_result", "error", "stream"}:
                shown_s = shown_s or time.perf_counter()
                text = content.get("data", {}).get("text/plain", content.get("text", text))
            if kind == "error":
                raise SystemExit("\n".join(content["traceback"]))
            if content.get("execution_state") == "idle":
                break
        ended_s = time.perf_counter()
        self._drain()
        return Ran(ended_s - sent_s, shown_s - sent_s, text)

    def cpu_s(self) -> float:
        """Return the processor seconds that the kernel has taken so far."""
        return float(self.run("__import__('time').process_time()").text)

    def stop(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def _drain(self) -> None:
        try:
            while True:
                self._client.get_shell_msg(timeout=0)
        except Empty:
            return


class Ran:
    """What a cell took until its end and until its first output, and its last text."""

    def __init__(self, took_s: float, first_s: float, text: str) -> None:
        self.took_s = took_s
        self.first_s = first_s
        self.text = text


def project(folder: Path) -> Path:
    """Return a project of so many files, copied from what is fetched."""
    root = folder / "project"
    copied = 0
    for name in CORPORA:
        for file in sources(corpus(name)):
            if copied == FILES:
                return root
            place = root / name / file.relative_to(corpus(name))
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
            copied += 1
    raise SystemExit(f"There are only {copied} files.")


def answer() -> Iterator[str | float]:
    """Return an answer in pieces of four characters, with pauses."""
    text = (PART.replace("{number}", "1") + "\n") * (4 * TOKENS // len(PART) + 1)
    for at in range(0, 4 * TOKENS, 4):
        yield text[at : at + 4]
        yield PAUSE_S


def opening(start: str) -> tuple[Kernel, float, float]:
    """Return a fresh kernel that has opened the project, the seconds it took, and its own."""
    kernel = Kernel()
    before_s = kernel.cpu_s()
    loaded = kernel.run("%load_ext ipuaro_jupyter")
    took_s = loaded.took_s + kernel.run(start).took_s
    return kernel, took_s, kernel.cpu_s() - before_s


def drawn(kernel: Kernel, server: OllamaServer) -> tuple[float, float]:
    """Return the processor seconds of an answer that is drawn, and what came first after what."""
    server.replies.append(list(answer()))
    before_s = kernel.cpu_s()
    ran = kernel.run("%%ask\nExplain")
    return kernel.cpu_s() - before_s, ran.first_s


def read(kernel: Kernel, server: OllamaServer, what: str) -> float:
    """Return the processor seconds of an answer with whose pieces ``what`` is done."""
    server.replies.append(list(answer()))
    before_s = kernel.cpu_s()
    kernel.run(READ.format(what=what))
    return kernel.cpu_s() - before_s


def measured(start: str, server: OllamaServer, rounds: int) -> dict[str, list[float]]:
    """Return what was measured in each round."""
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    for _ in range(rounds):
        kernel, took_s, own_s = opening(start)
        note("load_ext and start, ms", 1000 * took_s)
        note("load_ext and start, processor ms", 1000 * own_s)
        kernel.run(f"{FIND}; assistant.clear()")
        cpu_s, first_s = drawn(kernel, server)
        note("first output of %%ask, ms", 1000 * first_s)
        note("answer drawn, processor ms", 1000 * cpu_s)
        for name, what in (("printed", PRINT), ("only read", "pass")):
            kernel.run("assistant.clear()")
            note(f"answer {name}, processor ms", 1000 * read(kernel, server, what))
        server.replies.append(["Fine."])
        note("first output of the next %%ask, ms", 1000 * kernel.run("%%ask\nAgain").first_s)
        kernel.stop()
    return found


def main() -> None:
    """Measure, and print a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = Path(tempfile.mkdtemp(prefix="ipuaro-hand-"))
    os.environ["IPUARO_HOME"] = str(folder / "home")
    os.environ["PYTHONPYCACHEPREFIX"] = str(cache() / "pycache")  # compiled once, as for a user
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    server = OllamaServer()
    server.add_model(MODEL)
    server.start()
    os.environ["OLLAMA_HOST"] = server.url
    start = f"%ipuaro start {project(folder)} --model {MODEL}"
    try:
        opening(start)[0].stop()  # which makes the index, and starts the store
        print("| | median | from | to |\n|---|---|---|---|")
        for name, values in measured(start, server, rounds).items():
            middle = statistics.median(values)
            print(f"| {name} | {middle:.0f} | {min(values):.0f} | {max(values):.0f} |")
    finally:
        from ipuaro_jupyter.store.embedded import stop

        stop()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
