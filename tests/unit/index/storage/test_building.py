"""The index is made beside the one in use, by one process at a time."""

import itertools
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, StorageError
from ipuaro_jupyter.index.storage.index_format import _ROOMS
from ipuaro_jupyter.index.storage.seals import IndexDamagedError
from ipuaro_jupyter.index.storage.workers import Workers

PACKAGE = Path(ipuaro_jupyter.__file__).parent


def test_readers_see_the_old_index_while_a_new_one_is_made(make_index, open_index, staged):
    files = {f"f{i}.ts": f"export const v{i} = 1\n" for i in range(300)}
    index, root = make_index(files)
    reader = open_index(root, scan_interval_s=60)
    reader.paths()
    seen = {}

    def look(progress):
        seen[progress.phase] = len(reader.paths()), len(reader.definitions("v7"))

    index.refresh(full=True, progress=look)
    assert seen == dict.fromkeys(["scanning", "parsing", "linking", "storing"], (300, 1))
    assert not staged(index)


@pytest.mark.parametrize("part", ["postings", "tokens", "files", "index_info"])
def test_a_part_that_the_server_drops_while_it_is_made_is_noticed(make_index, money, part):
    """As servers do whose maxmemory-policy evicts keys."""
    index, _ = make_index(money)
    store = index._stored.store

    def drop(progress):
        if progress.phase == "storing":
            staged = [key.decode() for key in store.scan(f"{index._stored.keys.prefix}*:new:*")]
            store.delete(*(key for key in staged if f":{part}:" in key))

    with pytest.raises(IndexDamagedError):
        index.refresh(full=True, progress=drop)
    assert len(index.references("vat")) == 2


@pytest.mark.parametrize("phase", ["scanning", "parsing", "linking", "storing"])
def test_build_that_is_stopped_leaves_the_index_as_it_was(
    make_index, phase, money, contents, staged
):
    index, root = make_index(money, inline_bytes=0, workers=1)
    before = contents(index)
    token = CancelToken()

    def stop(progress):
        if progress.phase == phase:
            token.cancel()

    with pytest.raises(Cancelled):
        index.refresh(full=True, progress=stop, cancel=token)
    assert contents(index) == before
    assert not staged(index)
    assert not index._stored.store.exists(index._stored.keys.lock)
    (root / "src/new.ts").write_text("")
    assert index.refresh().files == len(money) + 1


def test_first_build_that_is_stopped_leaves_nothing(make_project, open_index, money, staged):
    index = open_index(make_project(money))
    token = CancelToken()

    def stop(progress):
        if progress.phase == "storing":
            token.cancel()

    with pytest.raises(Cancelled):
        index.refresh(progress=stop, cancel=token)
    assert index._stored.files() == {}
    assert not staged(index)
    assert index.refresh().files == len(money)


def test_what_a_killed_build_left_is_cleared_away(make_index, money, staged):
    index, _ = make_index(money)
    stored = index._stored
    stored.store.hset(f"{stored.keys.staging(stored.keys.ast)}:0a0b", {"x": b""})
    index.refresh(full=True)
    assert not staged(index)


def test_waiting_for_another_kernel_can_be_cancelled(make_project, open_index, money):
    index = open_index(make_project(money))
    stored = index._stored
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    with stored.store.lock(stored.keys.lock, timeout_s=30, wait_s=0):
        with pytest.raises(Cancelled):
            index.refresh(cancel=token)
        assert stored.files() == {}


def test_build_that_lost_its_lock_starts_again(make_index, money, staged):
    """As after a long sleep of the machine: another kernel may have begun by then."""
    index, _ = make_index(money)
    stored = index._stored
    phases = []

    def sleep(progress):
        phases.append(progress.phase)
        if progress.phase == "linking" and phases.count("linking") == 1:
            stored.store.delete(stored.keys.lock)

    index.refresh(full=True, progress=sleep)
    assert phases.count("linking") > 1
    assert not staged(index)
    assert len(index.paths()) == len(money)


def test_lock_that_is_lost_at_the_very_end_keeps_the_new_index_back(make_index, money):
    """What another kernel has made meanwhile is not overwritten by what is older."""
    index, root = make_index(money)
    stored = index._stored
    (root / "src/late.ts").write_text("")
    others = itertools.count()

    def take_over(progress):
        if progress.phase == "storing" and not next(others):
            stored.store.set(stored.keys.lock, b"another", ex_s=0.5)

    index.refresh(full=True, progress=take_over)
    assert next(others) > 1
    assert "src/late.ts" in index.paths()


def test_lock_that_is_lost_again_and_again_is_an_error(make_index, money, contents):
    index, _ = make_index(money)
    stored = index._stored
    before = contents(index)
    with pytest.raises(StorageError, match="another process took over"):
        index.refresh(full=True, progress=lambda _: stored.store.delete(stored.keys.lock))
    assert contents(index) == before


def test_two_kernels_starting_at_once_read_each_file_once(make_project, open_index):
    root = make_project({f"f{i}.ts": f"export const v{i} = 1\n" for i in range(200)})
    old = time.time() - 100
    for path in root.iterdir():
        os.utime(path, (old, old))
    kernels = [open_index(root) for _ in range(3)]
    with ThreadPoolExecutor() as threads:
        reports = list(threads.map(lambda kernel: kernel.refresh(), kernels))
    assert [report.files for report in reports] == [200] * 3
    assert sum(report.parsed for report in reports) == 200


def test_summary_without_an_index_does_not_wait_for_who_makes_it(make_project, open_index, money):
    index = open_index(make_project(money))
    stored = index._stored
    with stored.store.lock(stored.keys.lock, timeout_s=30, wait_s=0):
        assert index.summary().files == 0
        assert stored.store.exists(stored.keys.lock)


def test_questions_and_changes_at_once_are_safe(make_index, contents):
    index, root = make_index({f"f{i}.ts": "export const v = 1\n" for i in range(20)})

    def work(number):
        for turn in range(5):
            new = root.parent / f"new{number}"
            new.write_text(f"export const v = {turn}\nexport const w = v\n")
            new.replace(root / f"f{number}.ts")
            index.touch([f"f{number}.ts"])
            assert len(index.definitions("v")) == 20
            assert index.references("v")
            assert index.facts(f"f{number}.ts").variables

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work, number) for number in range(4)]:
            done.result()
    before = contents(index)
    index.refresh(full=True)
    assert contents(index) == before


def test_workers_give_the_same_index_as_parsing_here(make_index, open_index, money, contents):
    files = {f"f{i}.ts": f"export function f{i}() {{ return {i} }}\n" for i in range(30)}
    index, root = make_index({**files, **money, "bad.ts": b"\xff", "data.csv": "a,b\n"})
    here = contents(index)
    with_workers = open_index(root, inline_bytes=0, workers=2)
    steps = []
    with_workers.refresh(full=True, progress=steps.append)
    assert contents(with_workers) == here
    count = len(list(root.rglob("*.*")))
    counts = [(step.done, step.total) for step in steps if step.phase == "parsing"]
    assert counts == sorted(set(counts))
    assert (counts[0], counts[-1]) == ((0, count), (count, count))


def test_any_executor_may_parse(make_index, open_index, money, contents):
    index, root = make_index(money)
    other = open_index(root, inline_bytes=0, open_workers=lambda: Workers(ThreadPoolExecutor(2)))
    other.refresh(full=True)
    assert contents(other) == contents(index)


def test_batch_that_fails_in_an_executor_costs_only_its_facts(make_project, open_index, money):
    class Broken(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            del fn, args, kwargs
            return super().submit(lambda: 1 / 0)

    index = open_index(make_project(money), inline_bytes=0, open_workers=lambda: Workers(Broken(1)))
    assert index.refresh().files == len(money)
    assert "division by zero" in index.facts("src/tax.ts").parse_error


def test_index_that_was_dropped_from_the_server_is_made_again(make_index, money):
    index, _ = make_index(money)
    index._stored.store.delete(*index._stored.key_names)
    assert len(index.paths()) == len(money)
    assert index.definitions("vat")


def test_index_of_another_version_is_made_again(make_index, open_index, money):
    index, root = make_index(money)
    stored = index._stored
    stored.store.hset(stored.keys.index_info, {"format": b"older"})
    stored.store.hset(stored.keys.symbols, {"ghost": b"\x90"})
    open_index(root).refresh()
    assert "ghost" not in stored.symbol_names()


def test_the_version_of_an_index_is_that_of_all_code_that_parses():
    said = "import sys, ipuaro_jupyter.index.extract.batches; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True
    )
    ours = {name for name in loaded.stdout.split() if name.startswith("ipuaro_jupyter.")}
    rooms = {name.split(".")[1] for name in ours if name.count(".") > 1}
    assert rooms == set(_ROOMS)


def one_module_of_each_folder():
    """A module of every folder of code that parses, relative to the package."""
    modules = sorted(module for room in _ROOMS for module in (PACKAGE / room).rglob("*.py"))
    by_folder = {module.parent: module for module in modules}
    return [module.relative_to(PACKAGE).as_posix() for module in by_folder.values()]


CHANGED = (*one_module_of_each_folder(), "workspace/files/text_file.py", "globs.py")
VERSIONS = """
import sys
from pathlib import Path
from ipuaro_jupyter.index.storage import index_format
package = Path(index_format.__file__).parents[2]
print(index_format.index_format())
for source in ("", *sys.argv[1:]):
    if source:
        with (package / source).open("a") as file:
            file.write("# other\\n")
    index_format._format_with.cache_clear()
    print(index_format.index_format())
"""


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """The versions of the index by a copy of the package, as it is, and after each change to it.

    A process looks twice at the copy as it is, and once after each of ``CHANGED``.
    """
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "ipuaro_jupyter", ignore=ignored)
    asked = [sys.executable, "-c", VERSIONS, *CHANGED]
    told = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True).stdout
    return told.split()


def test_index_is_of_the_same_version_while_the_code_is(versions):
    assert len(versions) == 2 + len(CHANGED)
    assert versions[0] == versions[1]


@pytest.mark.parametrize("source", CHANGED)
def test_index_is_of_another_version_when_the_code_differs(versions, source):
    """Every sub-room counts: an upgraded parser must not keep what an older one wrote."""
    place = 2 + CHANGED.index(source)
    assert versions[place] != versions[place - 1]


def test_many_changes_at_once_make_the_index_anew(make_project, open_index):
    files = {f"f{i}.ts": f"export const v{i} = 1\n" for i in range(1100)}
    root = make_project(files)
    index = open_index(root)
    index.refresh()
    for i in range(1100):
        (root / f"f{i}.ts").write_text(f"export const w{i} = 1\n")
    index.refresh()
    assert index.definitions("w1099")
    assert not index.definitions("v1099")


def test_empty_project_has_an_index(make_index):
    index, _ = make_index({})
    assert index.paths() == []
    assert index.summary().files == 0
    assert list(index.dump()) == []
    assert index.similar("a") == []


def test_imports_of_a_file_that_vanishes_while_it_is_read_lead_nowhere(
    make_project, open_index, contents
):
    files = {"a.ts": "import { b } from './b'\nimport './c'\n", "b.ts": "export const b = 1\n"}
    root = make_project({**files, "c.ts": "import './b'\n"})
    index = open_index(root)

    def vanish(progress):
        if progress.phase == "parsing":
            (root / "b.ts").unlink(missing_ok=True)

    index.refresh(progress=vanish)
    assert [d.path for d in index.imports.dependencies("a.ts")] == ["b", "c.ts"]
    assert index.imports.dependents("b.ts") == []
    found = contents(index)
    index.refresh(full=True)
    assert contents(index) == found
