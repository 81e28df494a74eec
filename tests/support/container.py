"""Commands run in namespaces of their own: the disk read-only, a project in memory, no network."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

_BWRAP = [
    *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"),
    *("--dir", "/run/home", "--unshare-all", "--die-with-parent", "--new-session"),
    *("--chdir", "/run"),
]
_INSIDE = Path(__file__).with_name("contained_commands.py")


@cache
def _why_not() -> str:
    if shutil.which("bwrap") is None:
        return "bwrap is missing"
    done = subprocess.run(
        [*_BWRAP, "true"], capture_output=True, text=True, timeout=60, check=False
    )
    return "" if done.returncode == 0 else f"bwrap makes no namespaces here: {done.stderr.strip()}"


def run_contained(
    texts: list[str], variables: Mapping[str, str], *, watched: bool = False
) -> list[dict]:
    """Run each text in the same project, made anew; say what each has touched or written.

    With ``watched``, connections are looked for, too, where strace is installed; CI must have it.
    """
    if why := _why_not():
        assert not os.environ.get("CI"), f"CI needs to contain commands: {why}"
        pytest.skip(why)
    if watched and os.environ.get("CI"):
        assert shutil.which("strace"), "CI needs strace, to see connections."
    kept = {"PATH": os.environ["PATH"], **variables}
    lines = "".join(json.dumps([text, kept]) + "\n" for text in texts)
    done = subprocess.run(
        [*_BWRAP, sys.executable, "-I", str(_INSIDE), "watched" if watched else ""],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60 + 6 * len(texts),
        check=False,
        cwd=Path("/"),
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
