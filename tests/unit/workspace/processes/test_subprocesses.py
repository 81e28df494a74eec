import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import until

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.workspace.processes.head_tail import HeadTail
from ipuaro_jupyter.workspace.processes.subprocesses import Child, run

BOTH = pytest.mark.parametrize("supervised", [False, True])
STUBBORN = "trap '' TERM INT HUP; while :; do sleep 0.05; done"


@pytest.fixture(autouse=True)
def nothing_is_left_running(tmp_path, running_in):
    yield
    until(lambda: not running_in(tmp_path), 3)


@BOTH
def test_run_returns_both_outputs_and_the_exit_code(tmp_path, supervised):
    argv = ["sh", "-c", "printf out; printf err >&2; exit 3"]
    finished = run(argv, cwd=tmp_path, timeout_s=10, supervised=supervised)
    assert (finished.stdout, finished.stderr, finished.exit_code) == (b"out", b"err", 3)
    assert not finished.truncated
    assert 0 <= finished.duration_ms < 5000


@BOTH
def test_run_gives_the_input_and_then_its_end(tmp_path, supervised):
    data = os.urandom(300_000)
    finished = run(["cat"], cwd=tmp_path, timeout_s=10, input_=data, supervised=supervised)
    assert finished.stdout == data


@BOTH
def test_standard_input_is_empty(tmp_path, supervised):
    finished = run(["cat"], cwd=tmp_path, timeout_s=10, supervised=supervised)
    assert finished.stdout == b""


def test_program_that_does_not_read_its_input_is_no_error(tmp_path):
    finished = run(["true"], cwd=tmp_path, timeout_s=10, input_=b"x" * 1_000_000)
    assert finished.exit_code == 0


@BOTH
def test_much_output_on_both_pipes_never_blocks(tmp_path, supervised):
    code = "import sys\nfor i in range(20000): print('o' * 50); print('e' * 50, file=sys.stderr)"
    argv = [sys.executable, "-c", code]
    finished = run(argv, cwd=tmp_path, timeout_s=60, supervised=supervised)
    assert len(finished.stdout) == len(finished.stderr) == 20000 * 51


def test_long_output_keeps_both_ends_in_whole_lines(tmp_path):
    finished = run(["seq", "100000"], cwd=tmp_path, timeout_s=10, output_limit=1000)
    lines = finished.stdout.decode().splitlines()
    assert finished.truncated
    assert lines[:3] == ["1", "2", "3"]
    assert lines[-2:] == ["99999", "100000"]
    gap = next(line for line in lines if not line.isdigit() and line)
    kept = "".join(f"{line}\n" for line in lines if line.isdigit())
    total = sum(len(f"{i}\n") for i in range(1, 100001))
    assert gap == f"[... {total - len(kept) + 1} bytes left out ...]"


@given(st.binary(max_size=200), st.integers(2, 64))
def test_both_ends_are_what_was_added_when_it_fits(data, limit):
    kept = HeadTail(limit)
    for at in range(0, len(data), 7):
        kept.add(data[at : at + 7])
    assert kept.truncated == (len(data) > limit // 2 * 2)
    if not kept.truncated:
        assert kept.value() == data


def test_cut_output_stays_valid_text(tmp_path):
    code = "print('äöü€' * 5000, end='')"
    argv = [sys.executable, "-X", "utf8", "-c", code]
    finished = run(argv, cwd=tmp_path, timeout_s=10, output_limit=1001)
    assert set(finished.stdout.decode()) <= set("äöü€\n[... 0123456789bytesleftout ...]")


@BOTH
def test_timeout_is_an_error_and_ends_the_tree(tmp_path, supervised):
    argv = ["sh", "-c", "sleep 50 & (sleep 51; touch late) & sleep 52; touch late"]
    started = time.monotonic()
    with pytest.raises(ToolError, match=r"sh took longer than 0.3 s") as caught:
        run(argv, cwd=tmp_path, timeout_s=0.3, supervised=supervised)
    assert caught.value.type == "timeout"
    assert time.monotonic() - started < 3
    assert not (tmp_path / "late").exists()


@BOTH
def test_what_ignores_sigterm_is_killed(tmp_path, supervised):
    with pytest.raises(ToolError):
        run(["bash", "-c", STUBBORN], cwd=tmp_path, timeout_s=0.2, supervised=supervised)


def test_program_may_clean_up_before_it_is_killed(tmp_path):
    (tmp_path / "lock").touch()
    argv = ["bash", "-c", "trap 'rm lock; exit' TERM; while :; do sleep 0.05; done"]
    with pytest.raises(ToolError):
        run(argv, cwd=tmp_path, timeout_s=0.3)
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize(
    "text",
    [
        "setsid sleep 60 & sleep 61",
        "setsid bash -c 'sleep 60 & sleep 61' & sleep 0.1; sleep 62",
        f'setsid bash -c "{STUBBORN}" & sleep 61',
        "(setsid nohup sleep 60 >/dev/null 2>&1 </dev/null &) ; sleep 61",
    ],
)
def test_daemon_of_a_supervised_program_ends_too(tmp_path, text):
    with pytest.raises(ToolError):
        run(["bash", "-c", text], cwd=tmp_path, timeout_s=0.5, supervised=True)


@BOTH
def test_what_is_left_in_the_background_ends_with_the_program(tmp_path, supervised):
    started = time.monotonic()
    argv = ["sh", "-c", "sleep 60 & echo started"]
    finished = run(argv, cwd=tmp_path, timeout_s=30, supervised=supervised)
    assert finished.stdout == b"started\n"
    assert time.monotonic() - started < 5


@BOTH
def test_cancel_ends_it_at_once(tmp_path, supervised):
    cancel = CancelToken()
    threading.Timer(0.3, cancel.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        run(
            ["sh", "-c", "sleep 60; sleep 61"],
            cwd=tmp_path,
            timeout_s=30,
            cancel=cancel,
            supervised=supervised,
        )
    assert time.monotonic() - started < 3


def test_nothing_starts_after_cancel(tmp_path):
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        run(["touch", "made"], cwd=tmp_path, timeout_s=30, cancel=cancel)
    assert not (tmp_path / "made").exists()


@BOTH
@pytest.mark.parametrize("program", ["no-such-program", "./no-such-program", "/no/such/program"])
def test_missing_program_is_a_command_error(tmp_path, supervised, program):
    with pytest.raises(ToolError, match=r"no-such-program|/no/such/program") as caught:
        run([program], cwd=tmp_path, timeout_s=5, supervised=supervised)
    assert (caught.value.type, caught.value.recoverable) == ("command", True)


def test_unusable_program_is_a_command_error(tmp_path):
    (tmp_path / "tool").write_bytes(b"\x00\x01")
    (tmp_path / "tool").chmod(0o755)
    with pytest.raises(ToolError, match="Cannot run"):
        run(["./tool"], cwd=tmp_path, timeout_s=5)


def test_environment_is_the_given_one(tmp_path):
    env = {"PATH": os.environ["PATH"], "A": "1"}
    finished = run(["env"], cwd=tmp_path, timeout_s=5, env=env, supervised=True)
    assert set(finished.stdout.decode().split()) >= {"A=1"}
    assert b"HOME=" not in finished.stdout


@BOTH
def test_death_by_a_signal_shows_in_the_exit_code(tmp_path, supervised):
    argv = ["sh", "-c", "kill -9 $$"]
    finished = run(argv, cwd=tmp_path, timeout_s=5, supervised=supervised)
    assert finished.exit_code == (137 if supervised else -9)


def test_interrupt_of_our_group_does_not_reach_the_program(tmp_path, running_in):
    """Jupyter signals the kernel's whole process group."""
    with Child(["sleep", "30"], cwd=tmp_path, supervised=True) as child:
        time.sleep(0.2)
        for process in running_in(tmp_path):
            assert os.getpgid(process.pid) != os.getpgid(0)
            assert os.getsid(process.pid) != os.getsid(0)
        assert child.running


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_supervised_tree_dies_with_us(tmp_path, number, running_in):
    """Also when we are killed, and also when a fork of ours still holds the pipe."""
    code = """
import os, sys, threading, time
from pathlib import Path
from ipuaro_jupyter.workspace.processes.subprocesses import run
text = "setsid sleep 60 & sleep 61 & sleep 62"
go = lambda: run(["bash", "-c", text], cwd=Path(sys.argv[1]), timeout_s=60, supervised=True)
thread = threading.Thread(target=go, daemon=True)
thread.start()
time.sleep(0.5)
if os.fork() == 0:
    os.close(1)
    time.sleep(5)
    os._exit(0)
print("ready", flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)], stdout=subprocess.PIPE
    ) as kernel:
        assert kernel.stdout.readline() == b"ready\n"
        assert len(running_in(tmp_path)) >= 3
        kernel.send_signal(number)
        kernel.wait()
        until(lambda: not running_in(tmp_path), 4)


def test_end_of_the_starting_thread_does_not_end_the_program(tmp_path):
    children = []
    thread = threading.Thread(
        target=lambda: children.append(
            Child(["sh", "-c", "sleep 0.6; echo done"], cwd=tmp_path, supervised=True)
        )
    )
    thread.start()
    thread.join()
    with children[0] as child:
        assert child.wait(10)
        assert child.finished().stdout == b"done\n"


def test_followed_program_can_be_read_and_stopped(tmp_path):
    argv = ["sh", "-c", "echo one; while :; do sleep 0.05; done"]
    with Child(argv, cwd=tmp_path, supervised=True) as child:
        thread = child.follow()
        while child.finished().stdout != b"one\n":
            time.sleep(0.01)
        assert child.running
        assert child.finished().exit_code == -1
        child.stop()
        thread.join(5)
        assert not child.running
        child.stop()


def test_leaving_the_block_ends_a_followed_program(tmp_path):
    with Child(["sleep", "60"], cwd=tmp_path, supervised=True) as child:
        thread = child.follow()
    thread.join(5)
    assert not thread.is_alive()
    assert not child.running


def test_program_ends_when_its_supervisor_is_killed(tmp_path, running_in):
    with Child(["sleep", "60"], cwd=tmp_path, supervised=True) as child:
        while len(running_in(tmp_path)) < 2:
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
        assert child.wait(5)


def test_many_at_once(tmp_path):
    results = []

    def work(number):
        argv = ["sh", "-c", f"echo {number}; sleep 0.1"]
        results.append(run(argv, cwd=tmp_path, timeout_s=30, supervised=True).stdout)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(f"{n}\n".encode() for n in range(12))
    assert not [p for p in psutil.Process().children() if p.status() == psutil.STATUS_ZOMBIE]


def test_no_descriptor_is_left_open(tmp_path):
    before = psutil.Process().num_fds()
    for supervised in (False, True):
        run(["true"], cwd=tmp_path, timeout_s=5, supervised=supervised)
        with pytest.raises(ToolError):
            run(["sleep", "9"], cwd=tmp_path, timeout_s=0.05, supervised=supervised)
    assert psutil.Process().num_fds() == before


@BOTH
def test_folder_that_is_missing_is_an_error(tmp_path, supervised):
    with pytest.raises(ToolError, match="Cannot run 'true'"):
        run(["true"], cwd=tmp_path / "none", timeout_s=10, supervised=supervised)


def test_what_has_left_the_group_and_holds_the_output_is_not_waited_for(tmp_path):
    code = """
import subprocess
print(subprocess.Popen(["sleep", "600"], start_new_session=True).pid, flush=True)
"""
    argv = [sys.executable, "-W", "ignore", "-c", code]
    finished = run(argv, cwd=tmp_path, timeout_s=300)
    assert finished.exit_code == 0
    os.kill(int(finished.stdout), signal.SIGKILL)
