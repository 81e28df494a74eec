"""Run a program as root of a machine with other users: ``users_machine.py FOLDER A,B PROGRAM``.

In namespaces of its own: what is changed in /etc, /home and /srv is gone with the program, and so
are all processes that it has left. FOLDER/setup.sh, when there is one, runs first. The Python that
runs this, and the package, can be read by all users there, wherever they are.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ipuaro_jupyter

_CLOSED = 0o005


def main() -> None:
    """Prepare the machine, and become the program."""
    folder, users, *program = sys.argv[1:]
    checkout = Path(ipuaro_jupyter.__file__).resolve().parents[1]
    _open({Path(sys.base_prefix), Path(sys.prefix), checkout})
    etc = Path(folder, "etc")
    _run("cp", "-a", "/etc", str(etc))
    _run("mount", "--bind", str(etc), "/etc")
    for place in ("/home", "/srv"):
        _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", place)
    for name in users.split(","):
        _run("useradd", "--create-home", "--shell", "/bin/bash", name)
        _run("chmod", "755", f"/home/{name}")  # as many distributions have it
        _run("chpasswd", stdin=f"{name}:password-of-{name}")
    setup = Path(folder, "setup.sh")
    if setup.exists():
        _run("bash", "-eu", str(setup))
    os.execvp(program[0], program)


def _open(paths: set[Path]) -> None:
    """Let all users reach these folders, whose parents may be closed to them."""
    stash = Path(tempfile.mkdtemp())
    closed = {}
    for number, path in enumerate(sorted(paths)):
        parents = [one for one in reversed(path.parents) if one.stat().st_mode & _CLOSED != _CLOSED]
        if parents:
            kept = stash / str(number)
            kept.mkdir()
            _run("mount", "--rbind", str(path), str(kept))
            closed[path] = (kept, parents[0])
    for parent in sorted({parent for _, parent in closed.values()}):
        _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(parent))
    for path, (kept, _) in closed.items():
        path.mkdir(parents=True, exist_ok=True)
        _run("mount", "--rbind", str(kept), str(path))


def _run(*argv: str, stdin: str = "") -> None:
    subprocess.run(argv, input=stdin, text=True, check=True, timeout=120)


if __name__ == "__main__":
    main()
