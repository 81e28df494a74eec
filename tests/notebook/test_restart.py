"""A kernel that is killed in the middle of a turn, and the one after it."""

import os
import signal

import psutil

from ipuaro_jupyter.store.connection import StoreSettings, connect


def kill_while_talking(kernel):
    """Kill the kernel when the model has begun to talk; return the kernel's children."""
    kernel.send("%%ask\nTalk")
    process = psutil.Process(kernel.manager.provisioner.pid)
    while True:
        message = kernel.client.get_iopub_msg(timeout=30)
        text = message["content"].get("data", {}).get("text/plain", "")
        if text.count("word") > 50:
            break
    children = process.children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    return children


def test_a_killed_kernel_loses_at_most_the_step_in_flight(kernel):
    kernel.begin()
    kernel.run("%%ask\nExplain")
    before = kernel.run("%ipuaro status").text
    kill_while_talking(kernel)
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(60)
    ran = kernel.begin()
    session = next(line for line in before.splitlines() if line.startswith("Session"))
    assert session.split(",")[0] in ran.text
    assert "three times" in kernel.run("%%ask\nExplain").text


def test_after_a_kill_the_store_is_whole_and_no_lock_is_left(kernel, ipuaro_home):
    kernel.begin()
    del ipuaro_home
    kill_while_talking(kernel)
    store = connect(StoreSettings())
    assert any(True for _ in store.scan(b"ipuaro:*"))
    store.close()
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(60)
    assert kernel.begin().reply["status"] == "ok"


def test_a_restart_in_the_middle_of_a_turn_does_not_wait_for_the_model(kernel):
    kernel.begin()
    kernel.send("%%ask\nTalk")
    kernel.client.get_iopub_msg(timeout=30)
    kernel.manager.restart_kernel(now=False)
    kernel.client.wait_for_ready(60)
    assert kernel.begin().reply["status"] == "ok"
