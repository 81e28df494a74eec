"""Worker processes: answers, deaths, hangs, and their end."""

import operator
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from poisoned_parser import POISON, paths_and_errors

from ipuaro_jupyter.index.extract.batches import parse_batch
from ipuaro_jupyter.index.storage import workers
from ipuaro_jupyter.index.storage.workers import ParseExecutor, WorkerError


@pytest.fixture
def poisoned(tmp_path, monkeypatch):
    """Workers in which one file kills the parser and another one hangs it."""
    (tmp_path / "sitecustomize.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_batches_come_back_as_from_parse_batch():
    batches = [
        [(f"{i}.ts", 2 * i + 1, b"const a = 1"), (f"{i}.js", 2 * i + 2, b"x(")] for i in range(6)
    ]
    with ParseExecutor(2) as executor:
        found = list(executor.map(parse_batch, batches))
    assert found == [parse_batch(batch) for batch in batches]


@pytest.mark.usefixtures("poisoned")
def test_one_file_that_kills_the_parser_costs_no_other():
    with ParseExecutor(1) as executor:
        batch = [("a.ts", 3, b""), ("dies.ts", 4, b""), ("b.ts", 5, b"")]
        found = paths_and_errors(executor.submit(parse_batch, batch).result())
        assert found["a.ts"] is None
        assert found["b.ts"] is None
        assert found["dies.ts"] == "Not analysed: the parser died (exit status 3)."
        (alone,) = executor.submit(parse_batch, [("dies.ts", 6, b"")]).result()
        assert "died" in paths_and_errors([alone])["dies.ts"]


@pytest.mark.usefixtures("poisoned")
def test_a_worker_that_is_killed_once_costs_nothing(tmp_path):
    """By the system that needs memory, for example: no file is to blame."""
    with ParseExecutor(1) as executor:
        batch = [("a.ts", 7, b""), ("dies-once.ts", 8, bytes(tmp_path / "mark")), ("b.ts", 9, b"")]
        found = paths_and_errors(executor.submit(parse_batch, batch).result())
    assert (tmp_path / "mark").exists()
    assert found == {"a.ts": None, "dies-once.ts": found["dies-once.ts"], "b.ts": None}
    assert "died" not in str(found["dies-once.ts"])


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit there")
@pytest.mark.usefixtures("poisoned")
def test_a_worker_takes_not_all_memory():
    with ParseExecutor(1) as executor:
        batch = [("eats.ts", 10, b""), ("b.ts", 11, b"")]
        with pytest.raises(WorkerError, match="MemoryError"):
            executor.submit(parse_batch, batch).result()


def test_any_other_call_fails_with_the_worker_and_the_next_one_works():
    with ParseExecutor(1) as executor:
        with pytest.raises(WorkerError, match="exit status 3"):
            executor.submit(os._exit, 3).result()
        assert executor.submit(os.path.basename, "a/b").result() == "b"


def test_what_a_function_raises_is_told():
    with ParseExecutor(1) as executor, pytest.raises(WorkerError, match="ZeroDivisionError"):
        executor.submit(operator.truediv, 1, 0).result()


def test_what_cannot_be_sent_is_refused():
    with ParseExecutor(1) as executor:
        with pytest.raises(TypeError, match="importable module"):
            executor.submit(lambda: 1)
        with pytest.raises(TypeError, match="keyword"):
            executor.submit(parse_batch, files=[])
        with pytest.raises(TypeError):
            executor.submit(parse_batch, object()).result()


def test_after_shutdown_there_are_no_workers_and_no_more_calls():
    executor = ParseExecutor(2)
    pids = {executor.submit(os.getpid).result() for _ in range(4)}
    executor.shutdown()
    assert not any(psutil.pid_exists(pid) for pid in pids)
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(os.getpid)


def test_shutdown_can_break_off():
    executor = ParseExecutor(1)
    executor.submit(os.getpid).result()
    sleeping, waiting = executor.submit(time.sleep, 60), executor.submit(os.getpid)
    time.sleep(0.2)
    began = time.monotonic()
    executor.shutdown(cancel_futures=True)
    assert time.monotonic() - began < 5
    assert waiting.cancelled()
    with pytest.raises(WorkerError):
        sleeping.result()


def test_an_interrupt_does_not_reach_the_workers():
    with ParseExecutor(1) as executor:
        pid = executor.submit(os.getpid).result()
        os.kill(pid, signal.SIGINT)
        assert executor.submit(os.getpid).result() == pid


def test_workers_end_when_their_parent_is_killed():
    program = (
        "import os, time; from ipuaro_jupyter.index.storage.workers import ParseExecutor\n"
        "print(ParseExecutor(1).submit(os.getpid).result(), flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout:
        worker = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    psutil.wait_procs([worker], timeout=5)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


def test_a_script_without_a_main_guard_starts_no_second_self(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os; from ipuaro_jupyter.index.storage.workers import ParseExecutor\n"
        "print('started')\n"
        "with ParseExecutor(1) as e: print(e.submit(os.path.basename, 'a/b').result())\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["started", "b"]


def test_a_worker_is_small():
    """It imports no records (pydantic), no Redis client, no IPython."""
    program = (
        "import sys; from ipuaro_jupyter.index.extract.parse import parse_file\n"
        "import ipuaro_jupyter.index.extract.batches, ipuaro_jupyter.index.storage.worker\n"
        "parse_file('a.ts', b'const a = 1'); parse_file('a.yml', b'# TODO: b')\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"pydantic", "redis", "IPython", "ipywidgets", "git", "asyncio"}
    assert loaded >= {"tree_sitter", "msgspec"}


def test_a_worker_hides_nothing_of_its_thread() -> None:
    """A process that forks stops its threads in the child, by a method that must be their own."""
    hidden = vars(workers._Worker).keys() & vars(threading.Thread).keys()
    assert {name for name in hidden if not name.startswith("__")} == {"run"}
