"""Turns in a process of their own, which is killed or interrupted: a script, a kernel."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty

from jupyter_client.manager import KernelManager

ASSISTANT = "get_ipython().magics_manager.registry['IpuaroMagics'].project.assistant"
_DUMP = f"""
import json
print(json.dumps([m.model_dump_json() for m in {ASSISTANT}._conversation.session.messages]))
"""
_LONGEST_S = 60


class CellError(RuntimeError):
    """A cell has ended with an error."""


def in_a_killed_process(turn):
    """Play the turn in a process and kill it a moment after one of its events."""
    room = turn.room
    program = Path(__file__).with_name("killed.py")
    process = subprocess.Popen(
        [sys.executable, program, room.root, json.dumps(turn.replies)],
        stdout=subprocess.PIPE,
        text=True,
    )
    known = None
    events = room.random.randrange(1, 30)
    with process:
        for number, line in enumerate(process.stdout):
            known = json.loads(line)
            if number == events:
                break
        time.sleep(room.random.uniform(0, 0.02))
        process.kill()
    if known is None:
        room.note("the process that was to be killed did not begin")
        return
    _keep(room, known)
    turn.ended = "killed"


def _keep(room, known):
    """Expect the messages that a process has told of."""
    if tuple(known[: len(room.known)]) != room.known:
        room.lost += 1
        room.note("another process finds other messages")
    room.known = tuple(known)


def in_a_kernel(turn, number):
    """Play the turn in a real kernel, which gets the signal while the model speaks."""
    room = turn.room
    recording = room.home / "recording.json"
    slow = {"message": "Talk", "replies": ["".join(f"word {n} " for n in range(40_000))]}
    change = {"message": "Change", "replies": turn.replies}
    recording.write_text(json.dumps({"version": 1, "turns": [change, slow]}))
    manager = KernelManager(kernel_name="python3")
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    manager.start_kernel(cwd=str(room.home), env=dict(os.environ), **silent)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(_LONGEST_S)
        run(client, "%load_ext ipuaro_jupyter")
        run(client, f"%ipuaro start {room.root} --model recorded:{recording} --auto-apply")
        run(client, "%%ask\nChange")
        _keep(room, _messages(client))
        talking = client.execute("%%ask\nTalk")
        _until(client, talking, lambda text: text.count("word") > 20)
        if number == signal.SIGINT:
            manager.interrupt_kernel()
            with contextlib.suppress(CellError):  # a stopped cell is one, so that no other runs
                _until(client, talking, None)
            _keep(room, _messages(client))
            turn.ended = "stopped"
        else:
            manager.provisioner.process.kill()
            turn.ended = "killed"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _messages(client):
    """Return the messages that the kernel's assistant has; after a stop it drops some requests."""
    deadline = time.monotonic() + _LONGEST_S
    while not (printed := run(client, _DUMP)):
        if time.monotonic() > deadline:
            raise TimeoutError("the kernel drops what it is asked")
        time.sleep(0.1)
    return json.loads(printed)


def run(client, code):
    """Run a cell and return what it has printed; an error is one."""
    return _until(client, client.execute(code), None)


def _until(client, asked, is_enough):
    """Read what comes of a cell, to its end or until the text shown is enough."""
    printed, deadline = "", time.monotonic() + _LONGEST_S
    while time.monotonic() < deadline:
        try:
            message = client.get_iopub_msg(timeout=1)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") != asked:
            continue
        content = message["content"]
        if message["msg_type"] == "error":
            raise CellError("\n".join(content["traceback"]))
        printed += content.get("text", "")
        shown = content.get("data", {}).get("text/plain", "")
        if content.get("execution_state") == "idle" or (is_enough and is_enough(shown)):
            return printed
    raise TimeoutError(f"the kernel is still at it: {printed}")
