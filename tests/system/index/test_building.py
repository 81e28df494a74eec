"""The index is made beside the one in use, by one process at a time."""

import subprocess
import sys
import time

LEFT_MS = "return redis.call('PTTL', KEYS[1])"
LIVE_ON = "return redis.call('PEXPIRE', KEYS[1], ARGV[1])"


def test_what_is_in_the_index_is_told_while_another_kernel_writes_it(make_index, money):
    """Nobody waits for long, and what a question names is exact all the same."""
    index, root = make_index(money)
    stored = index._stored
    with stored.store.lock(stored.keys.lock, timeout_s=100, wait_s=0):
        (root / "src/tax.ts").write_text("export function levy() {}\n")
        (root / "src/new.ts").write_text("export function fresh() {}\n")
        began = time.monotonic()
        assert index.summary().files == len(money)
        assert [f.name for f in index.facts("src/tax.ts").functions] == ["levy"]
        assert [f.name for f in index.facts("src/new.ts").functions] == ["fresh"]
        assert index.metrics("src/new.ts")["src/new.ts"].loc == 1
        index.touch(["src/new.ts"])
        assert index.definitions("vat")
        assert time.monotonic() - began < 60
        assert index._stored.files().keys() == money.keys()
    assert index.definitions("fresh")
    assert not index.definitions("vat")


def test_kernel_that_is_killed_in_the_middle_holds_nobody_up(make_project, open_index, money):
    root = make_project(money)
    program = (
        "import os, sys; from pathlib import Path\n"
        "import ipuaro_jupyter\n"
        "def die(progress):\n"
        "    if progress.phase == 'linking':\n"
        "        os.kill(os.getpid(), 9)\n"
        f"ipuaro_jupyter.start({str(root)!r}, model=ipuaro_jupyter.ScriptedModel([]), progress=die)"
    )
    killed = subprocess.run([sys.executable, "-c", program], check=False, timeout=100)
    assert killed.returncode == -9
    index = open_index(root)
    lock = index._stored.keys.lock
    assert 0 < index._stored.store.evaluate(LEFT_MS, lock) < 60_000
    index._stored.store.evaluate(LIVE_ON, lock, 1000)  # rather than wait for that
    waits = []
    assert index.refresh(progress=lambda progress: waits.append(progress.phase)).files == len(money)
    assert "waiting" in waits
