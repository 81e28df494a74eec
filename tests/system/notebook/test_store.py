"""Kernels and the store: shared by two, gone under one."""

import os
import signal

from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.topology import told_servers


def test_two_kernels_work_on_one_project_at_once(kernel, second_kernel):
    kernel.begin()
    second_kernel.begin()
    first = kernel.send("%%ask\nTalk")
    second = second_kernel.run("%%ask\nExplain")
    assert "three times" in second.text
    assert "word word" in kernel.collect(first).text
    sessions = [
        one.run("%ipuaro status").text.split("Session: ")[1][:17] for one in (kernel, second_kernel)
    ]
    assert sessions[0] != sessions[1]


def test_an_edit_in_one_kernel_is_seen_in_the_other(kernel, second_kernel):
    kernel.begin("--auto-apply")
    second_kernel.begin()
    kernel.run("%%ask\nRead it")
    kernel.run("%%ask\nRaise it")
    assert "attempts = 5" in second_kernel.run("%tool get_lines path=src/retry.ts").text


def test_both_kernels_share_one_server(kernel, second_kernel):
    lines = []
    for one in (kernel, second_kernel):
        text = one.begin().text
        lines.append(next(line for line in text.splitlines() if line.startswith("Store")))
    assert lines[0] == lines[1]
    store = connect(StoreSettings())
    assert told_servers(store).startswith("the embedded server, ")
    store.close()


def test_a_server_that_dies_is_a_sentence_and_the_kernel_lives(kernel, start_redis):
    url, server = start_redis
    kernel.run("%load_ext ipuaro_jupyter")
    assert kernel.run(f"{kernel.start_line} --redis {url}").reply["status"] == "ok"
    os.kill(server.pid, signal.SIGKILL)
    server.wait(10)
    ran = kernel.run("%%ask\nExplain")
    assert ran.reply["status"] == "error"
    assert url in ran.text
    assert "redis-server" in ran.text
    assert "Traceback" not in ran.text
    assert "storage" in kernel.run("%tool find_definition symbol=retry").text
    assert kernel.run("1 + 1").result()["text/plain"] == "2"


def test_a_server_that_refuses_is_a_sentence(kernel, tmp_path):
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run(f"{kernel.start_line} --redis unix://{tmp_path}/none.sock")
    assert ran.reply["status"] == "error"
    assert "none.sock" in ran.text
    assert kernel.run("1 + 1").result()["text/plain"] == "2"


def test_the_embedded_server_killed_in_a_session_comes_back_without_loss(kernel, kill_server):
    kernel.begin()
    kernel.run("%%ask\nExplain")
    kernel.run("import time; time.sleep(1.5)")
    kill_server()
    assert "retries" in kernel.run("%%ask\nExplain").text
    assert "4 messages" in kernel.run("%ipuaro status").text
