"""A kernel that ends in the middle of a turn, and the one after it."""

import os
import re
import signal
import time

import psutil

from ipuaro_jupyter.store.connection import StoreSettings, connect

ASSISTANT = "get_ipython().magics_manager.registry['IpuaroMagics'].project.assistant"


def begin_to_talk(kernel):
    """Send a message whose answer takes minutes, and return when the model has begun it."""
    kernel.send("%%ask\nTalk for minutes")
    while True:
        message = kernel.client.get_iopub_msg(timeout=30)
        text = message["content"].get("data", {}).get("text/plain", "")
        if text.count("word") > 50:
            return


def kill_while_talking(kernel):
    begin_to_talk(kernel)
    os.kill(psutil.Process(kernel.manager.provisioner.pid).pid, signal.SIGKILL)


def restarted(kernel, *, now):
    """Start the kernel again, open the project, and return the status."""
    kernel.manager.restart_kernel(now=now)
    kernel.client.wait_for_ready(60)
    return kernel.begin().text


def session_id(status):
    return re.search(r"^Session: (\S+),", status, re.MULTILINE).group(1)


def told(kernel, folder):
    """Return the text of the session as it is exported."""
    path = folder / "session.ipynb"
    ran = kernel.run(f"_ = {ASSISTANT}.export({str(path)!r})")
    assert ran.reply["status"] == "ok", ran.text
    return path.read_text()


def test_a_killed_kernel_loses_at_most_the_step_in_flight(kernel, tmp_path):
    kernel.begin()
    kernel.run("%%ask\nExplain")
    before = session_id(kernel.run("%ipuaro status").text)
    kill_while_talking(kernel)
    assert session_id(restarted(kernel, now=True)) == before
    history = told(kernel, tmp_path)
    assert "Explain" in history
    assert "It **retries** three times." in history
    assert "Talk for minutes" in history
    assert "three times" in kernel.run("%%ask\nExplain").text


def test_after_a_kill_the_store_is_whole_and_no_lock_is_left(kernel, ipuaro_home):
    del ipuaro_home
    kernel.begin()
    before = session_id(kernel.run("%ipuaro status").text)
    kill_while_talking(kernel)
    store = connect(StoreSettings())
    assert any(True for _ in store.scan("ipuaro:*"))
    store.close()
    # With its lock still held it could not be resumed by its id.
    assert session_id(restarted(kernel, now=True)) == before
    ran = kernel.run(f"{kernel.start_line} --session {before}")
    assert ran.reply["status"] == "ok", ran.text


def test_a_restart_in_the_middle_of_a_turn_does_not_wait_for_the_model(kernel, tmp_path):
    kernel.begin()
    before = session_id(kernel.run("%ipuaro status").text)
    begin_to_talk(kernel)
    started_s = time.monotonic()
    status = restarted(kernel, now=False)
    assert time.monotonic() - started_s < 45  # the answer takes at least three minutes
    assert session_id(status) == before
    assert "Talk for minutes" in told(kernel, tmp_path)
