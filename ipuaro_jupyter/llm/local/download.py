"""Download of weights from Hugging Face, in a process that can be stopped at any moment."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.local.model_name import PulledName
from ipuaro_jupyter.records.events import PullProgress

INSTALL = "pip install 'ipuaro-jupyter[local]'"
_STEP_S = 0.1
_ENDING_S = 5.0
Steps = SimpleQueue[dict[str, Any] | None]


def download(name: PulledName, cancel: CancelToken, *, silence_s: float) -> Iterator[PullProgress]:
    """Fetch a file into the folder of pulled models, yielding the progress.

    Args:
        name: The file.
        cancel: Stops it at once; what has come is kept for the next time.
        silence_s: How long nothing may come.

    Raises:
        Cancelled: The token was set.
        ModelError: There is no such file, it is damaged, or the server cannot be reached.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelError(f"Pulling {name} needs the extra `local`: {INSTALL}.")
    cancel.check()
    try:
        name.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        read_end, write_end = os.pipe()
        try:
            process = _started(name, read_end)
        finally:
            os.close(read_end)
    except OSError as error:
        raise ModelError(f"Cannot pull {name}: {error}.") from error
    steps: Steps = SimpleQueue()
    reader = threading.Thread(target=_read, args=(process, steps), name="ipuaro-pull", daemon=True)
    reader.start()
    try:
        yield from _watched(name, steps, cancel, silence_s=silence_s)
    finally:
        os.close(write_end)
        _end(process)
        reader.join(_ENDING_S)
        if process.stdout is not None:
            process.stdout.close()


def _started(name: PulledName, parent: int) -> "subprocess.Popen[str]":
    # -P: a json.py in the current folder must not take the place of Python's
    program = [sys.executable, "-P", "-m", "ipuaro_jupyter.llm.local.download_process"]
    return subprocess.Popen(  # noqa: S603 - our own program, no shell
        [*program, name.repository, name.file, str(name.path), str(parent)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=(parent,),
        text=True,
        umask=0o077,
    )


def _watched(
    name: PulledName, steps: Steps, cancel: CancelToken, *, silence_s: float
) -> Iterator[PullProgress]:
    progress = PullProgress(status="connecting")
    part: Path | None = None
    complaint = ""
    changed = time.monotonic()
    while True:
        cancel.check()
        step = _next(steps, cancel)
        if step is None:
            raise ModelError(
                f"The download of {name} ended early{complaint}: pull again to continue it."
            )
        if step.get("complaint"):
            complaint = f" ({step['complaint']})"
        if error := step.get("error"):
            raise ModelError(f"Cannot pull {name}: {error}")
        part = Path(step["part"]) if "part" in step else part
        total = step.get("total", progress.total_bytes)
        status = step.get("status", progress.status)
        done = total if status in {"checking", "success"} else _size(part)
        now = PullProgress(status=status, done_bytes=done, total_bytes=total)
        if now != progress:
            progress, changed = now, time.monotonic()
            yield progress
        if status == "success":
            return
        if status != "checking" and time.monotonic() - changed > silence_s:
            raise ModelError(
                f"Nothing of {name} came for {silence_s:.0f} s: pull again to continue it, or "
                "raise llm.loadTimeout."
            )


def _next(steps: Steps, cancel: CancelToken) -> Any:
    """The next step; {} when there is none yet, None at the end."""
    with suppress(Empty):
        return steps.get_nowait()
    cancel.wait(_STEP_S)
    with suppress(Empty):
        return steps.get_nowait()
    return {}


def _read(process: "subprocess.Popen[str]", steps: Steps) -> None:
    output = process.stdout
    try:
        for line in output or ():
            steps.put(_step(line))
    finally:
        steps.put(None)


def _step(line: str) -> dict[str, Any]:
    """What a line of the process says; one that is no JSON object is a complaint of its runtime."""
    with suppress(ValueError):
        if isinstance(step := json.loads(line), dict):
            return step
    return {"complaint": line.strip()}


def _size(path: Path | None) -> int:
    try:
        return path.stat().st_size if path else 0
    except OSError:
        return 0


def _end(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(_ENDING_S)
