"""A fork of a process that has a project open is told so; the project stays its parent's."""

import subprocess
import sys
from pathlib import Path

FORKED = Path(__file__).with_name("forked.py")
TOLD = "The project was opened in another process"


def test_a_fork_is_told_at_once_and_takes_nothing_from_its_parent(make_project):
    root = make_project({"a.ts": "export const before = 1\n"})
    done = subprocess.run(
        [sys.executable, FORKED, root], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines() == [
        f"call {TOLD}",
        f"status StorageError {TOLD}",
        f"reindex StorageError {TOLD}",
        f"ask StorageError {TOLD}",
        "parent 1",
    ], done.stderr
