"""Changes are taken up as they happen, at once when somebody asks, and all of them."""

import shutil
import subprocess
import threading
import time

import pytest
from waiting import become

from ipuaro_jupyter.workspace.files.watch import WatchSettings

GENEROUS_S = 60
NO_SCANS = {"scan_interval_s": 3600}


@pytest.fixture
def watched(make_index):
    """Return a function that makes an index that is watched and never scans by itself."""

    def make(files, **how):
        index, root = make_index(files, **NO_SCANS)
        index.watch(WatchSettings(**how))
        settled(index)
        return index, root

    return make


def settled(index):
    """Wait until the watch sees changes, and the first look at everything is over."""
    watch = index._sync.watch
    assert become(lambda: watch.is_ready)
    watch.take()
    index._sync.refresh()


def is_watching():
    """Whether a watch of this process runs."""
    return any(thread.name == "ipuaro-watch" for thread in threading.enumerate())


def in_index(index, path):
    return path in index._sync.snapshot.files


def names(index, path):
    """Return what the index knows to be declared in a file, without looking at the disk."""
    modules = index._stored.modules([path])
    return [export.name for export in modules[path].exports] if path in modules else []


def generation(index):
    return index._stored.info("generation")


def test_changes_are_taken_up_by_themselves(watched):
    index, root = watched({"src/a.ts": "export const one = 1\n"})
    (root / "src/a.ts").write_text("export const two = 2\n")
    assert become(lambda: names(index, "src/a.ts") == ["two"])
    (root / "src/b.ts").write_text("export const three = 3\n")
    assert become(lambda: names(index, "src/b.ts") == ["three"])
    (root / "src/b.ts").unlink()
    assert become(lambda: not in_index(index, "src/b.ts"))


def test_atomic_replacements_of_editors_are_changes(watched):
    index, root = watched({"src/a.ts": "export const one = 1\n"})
    for turn in range(5):
        (root / "src/a.ts.tmp").write_text(f"export const v{turn} = 1\n")
        (root / "src/a.ts.tmp").replace(root / "src/a.ts")
    assert become(lambda: names(index, "src/a.ts") == ["v4"])
    assert become(lambda: not in_index(index, "src/a.ts.tmp"))


def test_question_takes_up_what_was_seen_without_waiting_for_more(watched):
    """The debounce is longer than anybody waits: the question is what takes it up."""
    index, root = watched({"src/a.ts": "export const one = 1\n"}, debounce_ms=10_000)
    (root / "src/a.ts").write_text("export const two = 2\n")
    assert index.facts("src/a.ts").variables[0].name == "two"
    (root / "src/b.ts").write_text("export const three = 3\n")
    assert become(lambda: index.definitions("three"))
    assert [s.path for s in index.definitions("three")] == ["src/b.ts"]


def test_new_renamed_and_deleted_folders_are_followed(watched):
    index, root = watched({"src/a.ts": "export const a = 1\n"})
    (root / "src/new/deep").mkdir(parents=True)
    (root / "src/new/deep/b.ts").write_text("export const b = 1\n")
    assert become(lambda: names(index, "src/new/deep/b.ts") == ["b"])
    assert become(lambda: "src/new/deep" in index._sync.watch.folders)
    (root / "src/new/deep/b.ts").write_text("export const c = 1\n")
    assert become(lambda: names(index, "src/new/deep/b.ts") == ["c"])
    (root / "src/new").rename(root / "src/old")
    assert become(
        lambda: in_index(index, "src/old/deep/b.ts") and not in_index(index, "src/new/deep/b.ts")
    )
    assert become(lambda: "src/old/deep" in index._sync.watch.folders)
    (root / "src/old/deep/b.ts").write_text("export const d = 1\n")
    assert become(lambda: names(index, "src/old/deep/b.ts") == ["d"])
    shutil.rmtree(root / "src/old")
    assert become(lambda: not in_index(index, "src/old/deep/b.ts"))


@pytest.mark.parametrize("git", [False, True])
def test_files_come_and_go_with_the_gitignore(watched, git):
    index, root = watched({"src/a.ts": "", "made/b.ts": "export const b = 1\n"})
    if git:
        subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitignore").write_text("made/\n")
    assert become(lambda: not in_index(index, "made/b.ts"))
    (root / ".gitignore").write_text("")
    assert become(lambda: names(index, "made/b.ts") == ["b"])
    assert become(lambda: "made" in index._sync.watch.folders)
    (root / "made/b.ts").write_text("export const c = 1\n")
    assert become(lambda: names(index, "made/b.ts") == ["c"])


def test_ignored_files_cause_no_work_after_the_first_time(watched):
    index, root = watched({".gitignore": "*.log\n", "src/a.ts": ""})
    sync = index._sync
    (root / "debug.log").write_text("0")
    assert become(lambda: "debug.log" in sync._disk._foreign)
    scanned = sync._scans._ended_s
    for line in range(5):
        (root / "debug.log").write_text(str(line))
        time.sleep(0.02)
    (root / "src/a.ts").write_text("export const last = 1\n")
    assert become(lambda: names(index, "src/a.ts") == ["last"])
    assert sync._scans._ended_s == scanned


def test_own_writes_make_no_echo(watched):
    index, root = watched({"src/a.ts": "export const one = 1\n"})
    taken = []
    take = index._sync.watch.take
    index._sync.watch.take = lambda: taken.append(take()) or taken[-1]  # a look inside
    (root / "src/a.ts").write_text("export const two = 2\n")
    index.touch(["src/a.ts"])
    written = generation(index)
    assert become(lambda: any("src/a.ts" in seen.paths for seen in taken))
    index.paths()  # takes up whatever waits
    assert generation(index) == written


def test_branch_switch_is_one_update(watched):
    files = {f"src/f{i}.ts": f"export const v{i} = 1\n" for i in range(500)}
    index, root = watched({**files, "src/same.ts": ""}, debounce_ms=300)

    def exported(letter):
        found = index._stored.modules(list(files))
        exports = {module.exports[0].name for module in found.values()}
        return exports == {f"{letter}{i}" for i in range(500)}

    def git(*arguments):
        name = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    git("checkout", "-q", "-b", "other")
    for i in range(500):
        (root / f"src/f{i}.ts").write_text(f"export const w{i} = 1\n")
    git("commit", "-q", "-am", "two")
    assert become(lambda: exported("w"))
    settled(index)
    seen = {bytes(generation(index)[0])}
    git("checkout", "-q", "main")
    while not exported("v"):
        seen.add(bytes(generation(index)[0]))
        assert len(seen) < 100
    seen.add(bytes(generation(index)[0]))
    assert len(seen) <= 3, "the state before, and the update; one more on a slow machine"


def test_many_changes_at_once_are_a_look_at_everything(watched):
    """As when the system's queue of events has run over, and some were lost."""
    index, root = watched({"src/a.ts": ""})
    for i in range(2500):
        (root / f"src/f{i}.txt").touch()
    assert become(lambda: sum(path.endswith(".txt") for path in index._sync.snapshot.files) == 2500)


def test_polling_sees_changes_too(watched):
    index, root = watched({"src/a.ts": "export const one = 1\n"}, force_polling=True, poll_ms=20)
    (root / "src/a.ts").write_text("export const twenty = 2\n")
    assert become(lambda: names(index, "src/a.ts") == ["twenty"])
    (root / "src/b.ts").write_text("export const three = 3\n")
    assert become(lambda: names(index, "src/b.ts") == ["three"])


def test_links_out_of_the_project_are_not_watched(watched, make_project):
    outside = make_project({"big/x.ts": ""}, "outside")
    index, root = watched({"src/a.ts": "", "node_modules/p/index.js": "", "dist/out.js": ""})
    (root / "src/out").symlink_to(outside)
    assert become(lambda: "src/out" in index._sync.snapshot.symlinks)
    assert set(index._sync.watch.folders) == {"", "src"}


def test_without_a_watch_the_index_is_as_good(make_index):
    index, root = make_index({"src/a.ts": "export const one = 1\n"})
    index.watch(WatchSettings(enabled=False))
    assert index._sync.watch is None
    (root / "src/b.ts").write_text("export const two = 2\n")
    assert index.definitions("two")


def test_closed_index_watches_no_more(watched):
    index, root = watched({"src/a.ts": "export const one = 1\n"})
    watch = index._sync.watch
    index.close()
    assert not watch.is_ready
    assert not is_watching()
    (root / "src/a.ts").write_text("export const two = 2\n")
    assert index.facts("src/a.ts").variables[0].name == "two"


def test_folder_that_goes_away_ends_the_watch_with_a_word(watched):
    index, root = watched({"src/a.ts": ""})
    watch = index._sync.watch
    shutil.rmtree(root)
    assert become(lambda: not watch.is_ready)
    assert become(lambda: not is_watching())
    assert "has gone" in watch.problem
