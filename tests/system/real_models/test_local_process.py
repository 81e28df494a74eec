"""The process that runs a file of weights: shared, private, and gone when nobody needs it."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psutil
import pytest
from asking import HELLO, ask, cancelling, text
from waiting import until

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm.local.own_server import stop
from ipuaro_jupyter.records.chat import Message

STORY = [Message(role="user", content="Tell a very long story about a cat and a dog.")]
HEAD = Message(role="system", content=" ".join(f"word{number}" for number in range(150)))
CLIENT = """
import sys
from pathlib import Path
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.local.local_model import LocalModel
from ipuaro_jupyter.records.chat import Message
model = LocalModel(sys.argv[1], LlmSettings(context_window=2048), Path.cwd(), idle_s=1)
chat = model.chat([Message(role="user", content="Hi")], tools=(), cancel=CancelToken(),
                  only_read=True)
list(chat)
print(model._server.folder.pid, flush=True)
sys.stdin.read()
"""
PROMISED_S = 0.5


def read_into(said, chunks):
    """Append the chunks as they come."""
    for chunk in chunks:
        said.append(chunk)


@pytest.fixture
def start_client(runtime):
    """Return how to start another kernel that asks the model; all are ended afterwards."""
    started = []

    def start():
        client = subprocess.Popen(
            [sys.executable, "-c", CLIENT, f"gguf:{runtime.weights}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(client)
        return client

    yield start
    for client in started:
        client.kill()
        client.communicate()


def test_kernels_that_start_together_share_one_process(runtime, start_client):
    clients = [start_client() for _ in range(3)]
    pids = {int(client.stdout.readline()) for client in clients}
    assert pids == {runtime.folder.pid}
    assert text(ask(runtime.open(), schema={"enum": ["yes"]})) == '"yes"'
    assert [process.pid for process in runtime.processes()] == list(pids)


def test_two_models_compute_one_after_the_other(runtime):
    """On the same cores each would be ten times slower; a wait is told."""
    copy = runtime.home / "copy.gguf"
    copy.write_bytes(runtime.weights.read_bytes())
    first, second = runtime.open(), runtime.open(weights=copy)
    ends, said = {}, []
    story = first.chat(STORY, tools=(), cancel=CancelToken())
    while len(text(said)) < 10:
        said.append(next(story))

    def hear():
        waited = ask(second, schema={"enum": ["yes"]})
        ends["second"] = time.monotonic()
        said[:] = waited

    hearing = threading.Thread(target=hear)
    hearing.start()
    time.sleep(1)
    assert "second" not in ends
    ends["first"] = time.monotonic()
    story.close()
    hearing.join()
    assert ends["second"] > ends["first"]
    assert [chunk.phase for chunk in said if chunk.phase] == ["waiting", "loading", "generating"]
    assert text(said) == '"yes"'


def test_it_ends_when_the_last_kernel_was_killed(runtime, start_client):
    first, second = start_client(), start_client()
    first.stdout.readline()
    second.stdout.readline()
    first.kill()
    time.sleep(2)
    assert runtime.processes(), "another kernel is there"
    second.send_signal(signal.SIGKILL)
    until(lambda: not runtime.processes())


def test_it_ends_when_its_last_client_has_left(runtime):
    model = runtime.open(idle_s=0.5)
    ask(model, only_read=True)
    time.sleep(1.5)
    assert runtime.processes()
    model.close()
    until(lambda: not runtime.processes())
    assert text(ask(model, schema={"enum": ["yes"]})) == '"yes"', "it is started again"


def test_it_ends_when_its_clients_ask_no_more(runtime):
    model = runtime.open(keep_alive="5s")
    ask(model, only_read=True)
    until(lambda: not runtime.folder.alive, 30)
    assert not runtime.processes()


def test_it_ends_when_its_folder_is_deleted(runtime):
    model = runtime.open(idle_s=1)
    ask(model, only_read=True)
    (process,) = runtime.processes()
    (runtime.folder.path / "server.lock").unlink()
    process.wait(10)
    assert not runtime.processes()


def test_stop_ends_it(runtime):
    ask(runtime.open(), only_read=True)
    stop()
    assert not runtime.processes()


def test_it_is_closed_to_all_others(runtime):
    ask(runtime.open(), only_read=True)
    folder, running = runtime.folder, runtime.folder.running
    (process,) = runtime.processes()
    listening = [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}
    assert os.getsid(process.pid) == process.pid, "Jupyter's interrupt does not reach it"
    assert Path(f"/proc/{process.pid}/fd/0").readlink() == Path(os.devnull)
    assert running.key not in " ".join(process.cmdline())
    assert running.key not in str(process.environ())
    assert len(running.key) > 40
    for path in (folder.path.parent, folder.path, runtime.home / "cache" / "heads"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in folder.path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    asked = [("GET", "/props"), ("GET", "/slots"), ("GET", "/v1/models")]
    asked += [("POST", f"/{p}") for p in ("v1/chat/completions", "completion", "slots/0", "x")]
    for key in ({}, {"Authorization": "Bearer wrong"}, {"X-Api-Key": "wrong"}):
        for method, path in asked:
            url = f"{running.address}{path}"
            told = httpx.request(method, url, headers=key, json={} if method == "POST" else None)
            assert told.status_code == 401, (method, path)


def test_a_process_that_is_killed_between_questions_is_started_again(runtime):
    model = runtime.open()
    ask(model, only_read=True)
    before = runtime.folder.running
    runtime.kill()
    assert text(ask(model, schema={"enum": ["yes"]})) == '"yes"'
    after = runtime.folder.running
    assert after.pid != before.pid
    assert after.key != before.key


def test_a_process_that_is_killed_in_the_middle_is_told_with_the_remedy(runtime):
    model, said = runtime.open(), []

    def kill():
        until(lambda: len(text(said)) > 10)
        os.kill(runtime.folder.pid, signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    with pytest.raises(ModelError, match=r"has ended\. Ask again: it is started again"):
        read_into(said, model.chat(STORY, tools=(), cancel=CancelToken()))
    killing.join()
    assert text(ask(model, schema={"enum": ["yes"]})) == '"yes"'


def test_stop_is_heard_while_the_model_is_loaded_or_reads(runtime, record_property):
    long = [Message(role="user", content=" ".join(f"word{number}" for number in range(400)))]
    heard_s = []
    for delay_s in (0.0, 0.4, 0.9):
        model, token = runtime.open(), CancelToken()
        begun = time.monotonic()
        since = cancelling(token, lambda at=begun + delay_s: time.monotonic() > at)
        with pytest.raises(Cancelled):
            read_into([], model.chat(long, tools=(), cancel=token))
        heard_s.append(since())
        model.close()
        stop()
    record_property("heard_s", heard_s)
    assert min(heard_s) < PROMISED_S


def test_what_was_read_is_there_after_a_new_start(runtime, record_property):
    cold = ask(runtime.open(context_window=4096), [HEAD, HELLO[1]], only_read=True)[-1].usage
    (kept,) = runtime.home.glob("cache/heads/*/*.bin")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    runtime.kill()
    again = [HEAD, Message(role="user", content="Bye")]
    restored = ask(runtime.open(context_window=4096), again, only_read=True)[-1].usage
    record_property("cold_ms_restored_ms", (cold.duration_ms, restored.duration_ms))
    assert cold.prompt_tokens > 500
    assert restored.duration_ms < cold.duration_ms / 3


def test_a_damaged_head_is_read_anew(runtime):
    model = runtime.open(context_window=4096)
    ask(model, [HEAD, HELLO[1]], only_read=True)
    (kept,) = runtime.home.glob("cache/heads/*/*.bin")
    size = kept.stat().st_size
    kept.write_bytes(b"damaged")
    runtime.kill()
    ask(model, [HEAD, HELLO[1]], only_read=True)
    assert kept.stat().st_size == size, "it is kept again"


def test_a_larger_window_restarts_it_unless_others_use_it(runtime):
    small, large = runtime.open(context_window=1024), runtime.open(context_window=4096)
    ask(small, only_read=True)
    ask(large, only_read=True)
    assert large.context_tokens == 1024, "the other kernel goes on"
    small.close()
    ask(large, only_read=True)
    assert large.context_tokens == 4096
    again = runtime.open(context_window=1024)
    ask(again, only_read=True)
    assert again.context_tokens == 1024
    assert runtime.folder.running.window == 4096


def test_smaller_window_of_another_kernel_is_known_before_the_first_question(runtime):
    small, large = runtime.open(context_window=1024), runtime.open(context_window=4096)
    ask(small, only_read=True)
    large.prepare(CancelToken())
    assert large.context_tokens == 1024
    long = [Message(role="user", content=" ".join(f"word{number}" for number in range(500)))]
    with pytest.raises(ModelError, match=r"Another kernel runs .* 1,024 tokens: ask again"):
        ask(large, long)
    small.close()
    large.prepare(CancelToken())
    assert ask(large, long, only_read=True)[-1].usage.prompt_tokens > 1024
    assert large.context_tokens == 4096


def test_too_little_memory_is_said_before_loading(runtime):
    huge = runtime.home / "huge.gguf"
    huge.write_bytes(runtime.weights.read_bytes())
    with huge.open("r+b") as file:
        file.truncate(10**13)
    with pytest.raises(ModelError, match=r"huge\.gguf needs about 10000\.\d GB.*smaller model"):
        ask(runtime.open(weights=huge))
    assert not runtime.processes()


def test_weights_that_cannot_be_loaded_are_said(runtime):
    broken = runtime.home / "broken.gguf"
    content = runtime.weights.read_bytes()
    broken.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError, match=r"broken\.gguf"):
        ask(runtime.open(weights=broken))
    assert not runtime.processes()
