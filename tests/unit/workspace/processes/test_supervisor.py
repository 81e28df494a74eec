"""The program that is the parent of a command, run by itself."""

import ctypes
import os
import signal
import subprocess
import sys

import pytest
from measured import measured
from waiting import become, has_ended

from ipuaro_jupyter.workspace.processes import supervisor

WAIT_S = 60
CHILD = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {CHILD}"
LEAVING = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdout=subprocess.PIPE)
print(child.stdout.readline().decode(), flush=True)
"""
DAEMON = f"""
import os, sys
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.write(writing, b"x")
        {CHILD.replace("print(os.getpid(), flush=True); ", "")}
    os._exit(0)
os.wait()
os.read(reading, 1)
"""


class Supervised:
    """A command under the supervisor; ``tie`` is our end of the pipe."""

    def __init__(self, *argv, program=("-m", supervisor.__name__)):
        control, self.tie = os.pipe()
        self.popen = subprocess.Popen(
            [*measured(*program), str(control), *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(control,),
        )
        os.close(control)

    def end(self):
        output, errors = self.popen.communicate(timeout=WAIT_S)
        return self.popen.returncode, output, errors


@pytest.fixture
def start():
    started = []

    def start_it(*argv, **options):
        started.append(Supervised(*argv, **options))
        return started[-1]

    yield start_it
    for supervised in started:
        os.close(supervised.tie)
        supervised.popen.communicate(timeout=WAIT_S)


def python(code):
    return [sys.executable, "-c", code]


def test_the_exit_code_and_both_outputs_are_the_commands(start):
    code, output, errors = start("sh", "-c", "echo out; echo err >&2; exit 3").end()
    assert (code, output, errors) == (3, b"out\n", b"err\n")


def test_command_that_a_signal_ended_has_a_shells_exit_code(start):
    code, _, _ = start("sh", "-c", "kill -9 $$").end()
    assert code == 128 + signal.SIGKILL


def test_what_ends_before_the_command_does_not_end_it(start):
    """The children of a process that has ended come to the supervisor."""
    code, output, _ = start("sh", "-c", "(sleep 0.1 & sleep 0.1 &); sleep 0.6; echo late").end()
    assert (code, output) == (0, b"late\n")


def test_program_that_does_not_exist_is_named(start):
    code, _, errors = start("./no-such-program").end()
    assert (code, errors) == (127, b"./no-such-program: No such file or directory\n")


def test_command_that_takes_a_while_is_waited_for(start):
    code, output, _ = start("sh", "-c", "sleep 1.2; echo late").end()
    assert (code, output) == (0, b"late\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_of_a_terminal_are_not_the_supervisors(start, number):
    supervised = start("sh", "-c", "echo ready; sleep 0.3; exit 5")
    assert supervised.popen.stdout.readline() == b"ready\n"
    supervised.popen.send_signal(number)
    assert supervised.end()[0] == 5


@pytest.mark.parametrize("code", [CHILD, STUBBORN])
def test_a_byte_ends_the_command(start, code):
    supervised = start(*python(code))
    pid = int(supervised.popen.stdout.readline())
    os.write(supervised.tie, b"x")
    assert supervised.end()[0] == 128 + signal.SIGTERM
    assert become(lambda: has_ended(pid))


def test_what_the_command_leaves_behind_ends_with_it(start):
    supervised = start(*python(LEAVING))
    pid = int(supervised.popen.stdout.readline())
    assert supervised.end()[0] == 0
    assert become(lambda: has_ended(pid))


@pytest.mark.skipif(sys.platform != "linux", reason="a daemon is found on Linux only")
def test_daemon_ends_with_its_command(start):
    supervised = start(*python(DAEMON))
    pid = int(supervised.popen.stdout.readline())
    assert supervised.end()[0] == 0
    assert become(lambda: has_ended(pid))


def test_command_ends_with_its_supervisors_parent():
    """Also when somebody else holds the pipe open, here this test."""
    control, tie = os.pipe()
    argv = [*measured("-m", supervisor.__name__), str(control), *python(CHILD)]
    parent = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen({argv!r}, pass_fds=({control},))\n"
        "time.sleep(600)"
    )
    with subprocess.Popen(python(parent), stdout=subprocess.PIPE, pass_fds=(control,)) as process:
        try:
            pid = int(process.stdout.readline())
        finally:
            process.kill()
        assert become(lambda: has_ended(pid))
    os.close(control)
    os.close(tie)


RACED = f"""
import os, runpy
os.getppid = lambda: 1
runpy.run_module({supervisor.__name__!r}, run_name="__main__", alter_sys=True)
"""


def test_command_is_not_started_when_the_supervisor_has_gone_meanwhile(start, tmp_path):
    """What the child sees then: its parent is another process."""
    (tmp_path / "raced.py").write_text(RACED)
    code, output, _ = start("echo", "started", program=[str(tmp_path / "raced.py")]).end()
    assert (code, output) == (128 + signal.SIGKILL, b"")


@pytest.mark.parametrize("has_proc", [True, False])
def test_descendants_come_after_their_parents(start, monkeypatch, has_proc):
    if has_proc and sys.platform != "linux":
        pytest.skip("there is no /proc")
    supervised = start(*python(f"import subprocess\nsubprocess.run({python(CHILD)!r})"))
    grandchild = int(supervised.popen.stdout.readline())
    if not has_proc:
        monkeypatch.setattr(os.path, "isdir", lambda _: False)
    found = supervisor._descendants(os.getpid())
    assert found.index(supervised.popen.pid) < found.index(grandchild)
    assert found[-1] == grandchild


def test_dead_children_are_no_descendants(monkeypatch):
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert child.pid not in supervisor._descendants(os.getpid())
        monkeypatch.setattr(os.path, "isdir", lambda _: False)
        assert child.pid not in supervisor._descendants(os.getpid())


def test_process_that_ends_while_it_is_looked_at_is_none(monkeypatch):
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: [*listed(path), "99999999"])
    assert 99999999 not in [pid for pid, _ in supervisor._processes()]


def test_elsewhere_nothing_is_asked_of_the_kernel(monkeypatch):
    loaded = []
    monkeypatch.setattr(ctypes, "CDLL", lambda *_a, **_o: loaded.append(1))
    monkeypatch.setattr(sys, "platform", "darwin")
    supervisor._control_process(supervisor._PR_SET_PDEATHSIG, 0)
    assert loaded == []
