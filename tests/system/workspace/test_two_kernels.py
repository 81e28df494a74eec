"""Several kernels and readers at one file."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from folder_states import raises

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoStack
from ipuaro_jupyter.workspace.files import atomic_writes, disk, folders

EDITS = int(os.environ.get("IPUARO_TEST_EDITS", "25"))
KERNEL = Path(__file__).with_name("editing_kernel.py")


@pytest.fixture
def kernel(room_store):
    """Start processes that append lines; none outlives the test."""
    del room_store  # the server runs
    started = []

    def start(root, path, name, count=EDITS):
        command = [sys.executable, str(KERNEL), str(root), path, name, str(count)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command, text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("roots", [("", ""), ("", "sub"), ("sub", "sub/deep")])
def test_two_kernels_never_lose_an_edit(kernel, tmp_path, roots):
    """Also when the project of one is a folder of the other's."""
    place = tmp_path / "sub/deep/a.ts"
    place.parent.mkdir(parents=True)
    place.write_text("")
    running = []
    for number, folder in enumerate(roots):
        root = tmp_path / folder
        running.append(kernel(root, place.relative_to(root).as_posix(), f"kernel {number}"))
    for process in running:
        _, said = process.communicate(timeout=240)
        assert process.returncode == 0, said
    lines = place.read_text().splitlines()
    wanted = [f"kernel {each} {number}" for each in range(len(roots)) for number in range(EDITS)]
    assert sorted(lines) == sorted(wanted)
    for each in range(len(roots)):
        own = [line for line in lines if line.startswith(f"kernel {each} ")]
        assert own == [f"kernel {each} {number}" for number in range(EDITS)]


def test_threads_of_one_kernel_never_lose_an_edit(open_workspace, opened):
    opened.write("a.ts", "")
    failures = []

    def append(name):
        mine = open_workspace(opened.root)
        for number in range(15):
            line = f"{name} {number}\n".encode()
            for _ in range(2000):
                data, _ = mine.workspace.read_bytes("a.ts")
                try:
                    mine.workspace.note_shown("a.ts", mine.workspace.read("a.ts").hash)
                    mine.apply("a.ts", data, data + line)
                except ToolError as error:
                    if error.type != "conflict":
                        failures.append(error)
                        return
                else:
                    break

    threads = [threading.Thread(target=append, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert failures == []
    lines = (opened.root / "a.ts").read_text().splitlines()
    wanted = [f"{name} {number}" for name in ("one", "two", "three") for number in range(15)]
    assert sorted(lines) == sorted(wanted)


def test_a_kernel_that_is_killed_while_it_writes_leaves_whole_files(kernel, opened):
    """And no lock, and nothing that stays."""
    place = opened.write("a.ts", "begin\n" + "x" * 200_000 + "\n")
    for number in range(4):
        process = kernel(opened.root, "a.ts", f"kernel {number}", 10_000)
        assert process.stdout.readline() == "0\n", process.stderr.read()
        time.sleep(0.01 * number)
        process.kill()
        process.wait(30)
        lines = place.read_text().splitlines()
        assert (lines[0], lines[1]) == ("begin", "x" * 200_000)
        assert lines[2:] == [line for line in lines[2:] if line.startswith("kernel ")]
        assert place.read_bytes().endswith(b"\n")
    for left in opened.root.glob(f"{atomic_writes.TEMPORARY}*"):
        os.utime(left, (1, 1))
    data = place.read_bytes()
    opened.apply("a.ts", data, data + b"mine\n")
    assert [each.name for each in opened.root.iterdir()] == ["a.ts"]


def test_temporary_files_of_others_stay(opened):
    """Those that may still be written, and what only looks like one."""
    fresh, folder = (
        opened.write(f"{atomic_writes.TEMPORARY}0.tmp", "x"),
        opened.root / ".ipuaro-1.tmp",
    )
    folder.mkdir()
    other = opened.write(f"{atomic_writes.TEMPORARY}notes.md", "x")
    for each in (folder, other):
        os.utime(each, (1, 1))
    opened.apply("a.ts", None, b"x")
    assert {fresh, folder, other} < set(opened.root.iterdir())


def test_a_listing_removes_what_killed_kernels_have_left(opened):
    names = [
        f"{atomic_writes.TEMPORARY}0.tmp",
        f"src/{atomic_writes.TEMPORARY}1.tmp",
        f"src/{atomic_writes.TEMPORARY}2.tmp",
    ]
    *old, fresh = [opened.write(name, "x") for name in names]
    for each in old:
        os.utime(each, (1, 1))
    opened.write("src/a.ts", "x")
    assert list(opened.workspace.files().files) == ["src/a.ts"]
    assert [each.exists() for each in (*old, fresh)] == [False, False, True]


@pytest.mark.parametrize("held", ["", "src"])
def test_what_is_locked_for_long_is_told(tmp_path, held):
    (tmp_path / "src").mkdir()
    paths = ("src/a.ts", "src/new/b.ts", "c.ts")
    with (
        folders.locked(tmp_path / held),
        raises("file", "locked"),
        folders.locked(tmp_path, *paths, wait_s=0.2),
    ):
        pytest.fail("two have it")
    with folders.locked(tmp_path, *paths, wait_s=0.2):
        pass


def test_a_save_between_check_and_write_is_not_overwritten(tmp_path):
    """An editor knows nothing of our locks."""
    place = tmp_path / "a.ts"
    for after in (b"human", b"HUMAN and more"):
        place.write_bytes(b"model")
        content = disk.read(tmp_path, "a.ts")
        place.write_bytes(after)
        with raises("conflict", "changed at this moment"):
            atomic_writes.write(tmp_path, "a.ts", b"new", replaces=content)
        with raises("conflict", "changed at this moment"):
            atomic_writes.delete(tmp_path, "a.ts", content)
        assert place.read_bytes() == after
        assert [each.name for each in tmp_path.iterdir()] == ["a.ts"]


@pytest.mark.parametrize("gone", ["src/a.ts", "src"])
def test_a_file_that_vanishes_between_check_and_write_stays_away(tmp_path, gone):
    place = tmp_path / "src/a.ts"
    place.parent.mkdir()
    place.write_bytes(b"x")
    content = disk.read(tmp_path, "src/a.ts")
    place.unlink()
    if gone == "src":
        place.parent.rmdir()
    with raises("conflict"):
        atomic_writes.write(tmp_path, "src/a.ts", b"y", replaces=content)
    with raises("conflict"):
        atomic_writes.delete(tmp_path, "src/a.ts", content)
    assert not (tmp_path / gone).exists()


def test_a_file_that_was_only_touched_is_the_same(tmp_path):
    place = tmp_path / "a.ts"
    place.write_bytes(b"x")
    content = disk.read(tmp_path, "a.ts")
    os.utime(place, (1, 1))
    place.chmod(0o755)
    atomic_writes.write(tmp_path, "a.ts", b"y", replaces=content)
    assert (place.read_bytes(), place.stat().st_mode & 0o777) == (b"y", 0o755)


def test_readers_never_see_half_a_file(opened):
    one, two = b"1" * 300_000, b"2" * 200_000
    opened.write("a.ts", one)
    seen, done = set(), threading.Event()

    def watch():
        while not done.is_set():
            seen.add((opened.root / "a.ts").read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(10):
        opened.apply("a.ts", one, two)
        opened.apply("a.ts", two, one)
    done.set()
    watcher.join(60)
    assert seen <= {one, two}


def open_locks():
    """Return how often this process has the files open that are locked in place of folders."""
    locks, found = [one.stat() for one in (home() / "locks").iterdir()], 0
    for number in range(1024):
        with suppress(OSError):
            found += any(os.path.samestat(os.fstat(number), one) for one in locks)
    return found


def test_an_undo_that_waited_for_another_kernel_does_not_take_back_what_it_has_not_seen(
    open_workspace, room_store, opened
):
    session = uuid4().hex
    waiting = open_workspace(opened.root, session=session)
    waiting.apply("a.ts", None, b"ours")
    others = UndoStack(room_store, Keys(project_id(opened.root)), session)
    newer = UndoEntry(change=Change(path="b.ts", before=None, after=b"theirs"))
    with ThreadPoolExecutor() as pool, folders.locked(opened.root):
        before = open_locks()
        undone = pool.submit(waiting.workspace.undo)
        while open_locks() == before:  # it waits for the lock
            assert not undone.done()
        others.push(newer)
    with raises("conflict", "there is a newer change by now"):
        undone.result()
    assert (opened.root / "a.ts").read_bytes() == b"ours"
    assert others.newest() == newer
