"""The parent of a command: when it or the kernel ends, everything it has started ends too.

Run as ``python -I -S supervisor.py FD PROGRAM ARGUMENT…``. FD is the reading end of a pipe whose
other end the kernel holds: a byte or the end of the file asks to stop. A process group is not
enough, because a daemon leaves it; and Linux sends PR_SET_PDEATHSIG when the *thread* that forked
dies. So on Linux this process becomes the reaper of all its descendants, which then cannot leave
it, and finds them in /proc. Elsewhere it ends the process group and the descendants that ``ps``
still shows. It uses only a little of the standard library: it must start fast.
"""

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False  # typing would take long to import
if TYPE_CHECKING:
    from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_GRACE_S = 0.5  # between SIGTERM, which lets git remove its locks, and SIGKILL
_GONE_S = 4.0
_LOOK_S = 0.5  # how often the parent is checked, in case a fork of it holds the pipe open
_NOT_FOUND = 127
_CONFINES = "bwrap"  # it kills its command at once when it ends itself


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code, 128 + N when signal N ended it."""
    control, argv = int(arguments[0]), arguments[1:]
    parent = os.getppid()
    os.set_inheritable(control, False)  # noqa: FBT003 - the function has no keyword
    _control_process(_PR_SET_CHILD_SUBREAPER, 1)
    wake, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    child = _start(argv)
    spared = child if os.path.basename(argv[0]) == _CONFINES else None  # noqa: PTH119 - as below
    code = None
    while code is None:
        ready, _, _ = select.select([control, wake], [], [], _LOOK_S)
        if wake in ready:
            os.read(wake, 4096)
        code = _reap(child)
        if code is None and (control in ready or os.getppid() != parent):
            _stop(child, signal.SIGTERM, spared)
            code = 128 + signal.SIGTERM
            _wait_for_all(_GRACE_S)
    _stop(child, signal.SIGKILL)
    return code


def _start(argv: list[str]) -> int:
    """Fork the command into a session of its own and return its process id."""
    supervisor = os.getpid()
    return os.fork() or _become(argv, supervisor)


def _become(argv: list[str], supervisor: int) -> "NoReturn":
    """Run the command in place of this process, the child of ``supervisor``."""
    os.setsid()
    _control_process(_PR_SET_PDEATHSIG, signal.SIGKILL)  # in case the supervisor is killed
    if os.getppid() != supervisor:  # it already was
        os._exit(128 + signal.SIGKILL)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - the policy has judged it, or it is our own program
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    os._exit(_NOT_FOUND)


def _reap(child: int) -> int | None:
    """Reap dead processes; return the exit code of ``child`` if it is among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            number = os.waitstatus_to_exitcode(status)
            code = 128 - number if number < 0 else number


def _stop(child: int, number: int, spared: int | None = None) -> None:
    """Signal the command's group, then all descendants, parents first.

    A ``spared`` command gets nothing: it ends when what it has started does.

    A parent that outlives its child for a moment would go on with its next command. SIGKILL is
    repeated until none is left.
    """
    deadline = time.monotonic() + _GONE_S
    while True:
        reached = spared is None and _send(-child, number)
        for pid in _descendants(os.getpid()):
            reached = (pid != spared and _send(pid, number)) or reached
        if number != signal.SIGKILL or not reached or time.monotonic() > deadline:
            return
        _wait_for_all(0.02)


def _send(target: int, number: int) -> bool:
    """Signal a process, or the group -``target``; return whether one could be signalled."""
    try:
        os.kill(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _wait_for_all(timeout_s: float) -> None:
    """Reap children until none is left or the time is up."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(0.005)


def _descendants(root: int) -> list[int]:
    """The living descendants of ``root``, parents before their children."""
    children: dict[int, list[int]] = {}
    for pid, parent in _processes():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    level = [root]
    while level:
        level = [pid for parent in level for pid in children.get(parent, ())]
        found += level
    return found


def _processes() -> list[tuple[int, int]]:
    """The (process id, parent's id) of all processes except zombies."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112 - pathlib would double the start-up time
        return _processes_by_ps()
    pairs = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - the same
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - the same
                # pid (comm) state ppid …, where comm may hold blanks and brackets
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if state not in (b"Z", b"X"):
            pairs.append((int(name), int(parent)))
    return pairs


def _processes_by_ps() -> list[tuple[int, int]]:
    with os.popen("ps -A -o pid=,ppid=,stat=") as listing:  # noqa: S605, S607 - constant text
        rows = [line.split() for line in listing]
    return [(int(pid), int(parent)) for pid, parent, state in rows if not state.startswith("Z")]


def _control_process(option: int, value: int) -> None:
    """Call prctl, where it exists."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # noqa: PLC0415 - takes a third of the start-up time

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
