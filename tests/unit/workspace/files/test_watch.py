"""A watch by itself: how it begins and how it ends."""

import errno
import re
import threading

import pytest
from waiting import until

from ipuaro_jupyter.workspace.files.atomic_writes import TEMPORARY
from ipuaro_jupyter.workspace.files.watch import Watch, WatchedChanges, WatchSettings

WAIT_S = 60


@pytest.fixture
def watch(make_project):
    """Return a function that watches a small project; ``changed`` is told of changes."""
    opened = []

    def open_it(changed=lambda: True, **how):
        root = make_project({"a.ts": ""})
        opened.append(Watch(root, WatchSettings(**how), files=lambda: ["a.ts"], changed=changed))
        return opened[-1], root

    yield open_it
    for each in opened:
        each.close()
        assert not each._thread.is_alive()


@pytest.mark.parametrize("how", [{}, {"force_polling": True}])
def test_one_can_wait_until_watching_has_begun(tmp_path, how):
    """Where it polls, that is at once; otherwise when the folders are known."""
    may_go_on = threading.Event()

    def files():
        may_go_on.wait(WAIT_S)
        return ["a.ts"]

    found = Watch(tmp_path, WatchSettings(**how), files=files, changed=lambda: True)
    try:
        if not how:
            assert not found.wait_for_begin(0.0)
        may_go_on.set()
        assert found.wait_for_begin(WAIT_S)
        assert how or found.take().everything
    finally:
        may_go_on.set()
        found.close()


def test_nobody_waits_for_a_watch_that_cannot_begin(tmp_path, monkeypatch):
    """It is tried again, but not while somebody waits."""
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._RETRY_S", WAIT_S)
    found = Watch(tmp_path / "gone", WatchSettings(), files=list, changed=lambda: True)
    try:
        assert found.wait_for_begin(WAIT_S / 4)
        assert not found.is_ready
    finally:
        found.close()


@pytest.mark.parametrize("how", [{}, {"force_polling": True, "poll_ms": 10}])
def test_who_is_told_may_end_the_watch(watch, how):
    told = threading.Event()

    def changed():
        opened[0].close()
        told.set()
        return True

    opened = []
    ready = threading.Event()

    def when_opened():
        ready.wait(WAIT_S)
        return changed()

    found, _ = watch(when_opened, **how)
    opened.append(found)
    ready.set()
    assert told.wait(WAIT_S)
    found._thread.join(WAIT_S)
    assert not found._thread.is_alive()
    assert not found.is_ready


def test_what_could_not_be_used_is_seen_again(watch):
    found, _ = watch(lambda: True, debounce_ms=10_000)
    found.close()
    found.take()
    assert not found.take()
    found.put_back(WatchedChanges(frozenset({"a.ts"})))
    found.put_back(WatchedChanges(everything=True))
    seen = found.take()
    assert seen == WatchedChanges(frozenset({"a.ts"}), everything=True)
    assert seen


def test_changes_that_could_not_be_used_are_told_of_again(watch):
    told = []
    enough = threading.Event()

    def changed():
        told.append(1)
        if len(told) == 2:
            enough.set()
        return len(told) > 1

    watch(changed, debounce_ms=1)
    assert enough.wait(WAIT_S)


@pytest.fixture
def told(watch):
    """Return a function that watches; gives the folder, and what was told so far."""

    def open_it(**how):
        opened, seen, ready = [], [], threading.Event()

        def changed():
            ready.wait(WAIT_S)
            seen.append(opened[0].take())
            return True

        found, root = watch(changed, **how)
        opened.append(found)
        ready.set()
        return root, seen

    return open_it


def test_somebody_is_told_in_the_middle_of_changes_that_go_on(told):
    root, seen = told(debounce_ms=10_000)

    def go_on():
        (root / "a.ts").write_text("x")
        return seen

    until(go_on)
    assert seen == [WatchedChanges(frozenset({"a.ts"}), everything=True, is_complete=True)]


def test_a_folder_that_is_ignored_is_looked_at_anew_only_once(told):
    root, seen = told(debounce_ms=1)
    until(lambda: seen)
    folder = root / "node_modules"
    for step in (folder.mkdir, folder.rmdir, folder.mkdir):
        count = len(seen)
        step()
        until(lambda count=count: any("node_modules" in each.paths for each in seen[count:]))
    assert [each.everything for each in seen[:3]] == [True, True, False]
    assert not any(each.everything for each in seen[3:])


def test_a_close_is_heard_by_who_waits_to_try_again(tmp_path, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._RETRY_S", 600)
    found = Watch(tmp_path / "none", WatchSettings(), files=list, changed=lambda: True)
    until(lambda: found.problem)
    found.close()
    assert not found._thread.is_alive()
    assert not found.is_ready
    assert re.search("compared now and then, not watched: .*none' has gone", found.problem)


@pytest.fixture
def noted(watch):
    """Return a function that has a watch note events, and gives what it made of them.

    Given are paths of the project; told are what is seen, and whether other folders are to be
    watched. The watch is closed: events come from nowhere else.
    """

    def note(*paths, before=lambda _: None):
        found, root = watch()
        until(lambda: found.is_ready)
        found.close()
        found.take()
        found._is_outdated = False
        before(root)
        found._note({f"{root}/{path}" if path else str(root) for path in paths})
        return found.take(), found._is_outdated

    return note


def test_our_own_temporary_files_are_nobody_s_business(noted):
    assert noted(f"{TEMPORARY}x", f"src/{TEMPORARY}y", "") == (WatchedChanges(), False)


def test_a_changed_gitignore_has_the_folders_looked_up_again(noted):
    assert noted("a.ts", "src/.gitignore") == (
        WatchedChanges(frozenset({"a.ts", "src/.gitignore"})),
        True,
    )


def test_a_project_that_has_gone_is_not_watched_on(noted):
    assert noted("", before=lambda root: root.rename(f"{root}-moved")) == (WatchedChanges(), True)


def test_a_new_folder_is_looked_at(noted):
    seen = WatchedChanges(frozenset({"new"}))
    assert noted("new", before=lambda root: (root / "new").mkdir()) == (seen, True)


def test_for_a_file_no_folder_is_looked_at(noted):
    assert noted("a.ts") == (WatchedChanges(frozenset({"a.ts"})), False)


def test_a_watched_folder_that_was_replaced_is_watched_anew(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.ts").write_text("")
    found = Watch(tmp_path, WatchSettings(), files=lambda: ["src/a.ts"], changed=lambda: True)
    until(lambda: found.is_ready)
    found.close()
    found.take()
    found._is_outdated = False
    found._note({f"{tmp_path}/src"})
    assert not found._is_outdated
    (tmp_path / "src").rename(tmp_path / "kept")  # so that its inode number is not used again
    (tmp_path / "src").mkdir()
    found._note({f"{tmp_path}/src"})
    assert found._is_outdated


@pytest.mark.parametrize(("count", "is_lost"), [(2000, False), (2001, True)])
def test_of_more_than_many_paths_nobody_knows_what_was_lost(noted, count, is_lost):
    paths = [f"src/{number}.ts" for number in range(count)]
    seen, _ = noted(*paths)
    assert seen == WatchedChanges(frozenset() if is_lost else frozenset(paths), everything=is_lost)


def test_after_three_tries_it_is_compared_and_what_is_gone_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._RETRY_S", 0)
    found = Watch(tmp_path / "none", WatchSettings(), files=list, changed=lambda: True)
    found._thread.join(WAIT_S)
    assert not found._thread.is_alive()
    assert "compared now and then" in found.problem
    assert not found.take()


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances")]
)
def test_what_the_system_has_too_little_of_is_named(tmp_path, monkeypatch, number, told):
    def none_left(*_):
        raise OSError(number, "none left")

    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch.folder_events", none_left)
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._RETRY_S", 0)
    found = Watch(tmp_path, WatchSettings(poll_ms=60_000), files=list, changed=lambda: True)
    until(lambda: found.problem)
    assert told in found.problem
    assert not found.take().is_complete
    found.follow(["in/a.ts"])
    found.close()


def test_a_disk_that_changes_unseen_is_told_and_nothing_is_complete(tmp_path, monkeypatch):
    root = "1 0 0:1 / / rw - ext4 /dev/sda1 rw\n"
    own = f"2 1 0:2 / {tmp_path} rw - nfs4 server:/share rw\n"
    mounts = tmp_path.with_name(f"{tmp_path.name}.mounts")
    mounts.write_text(root + own)
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._MOUNTS", mounts)
    found = Watch(tmp_path, WatchSettings(), files=list, changed=lambda: True)
    until(lambda: found.is_ready)
    assert not found.take().is_complete
    assert "nfs4" in found.problem
    found.close()


def test_what_is_mounted_in_the_project_has_everything_looked_at_again(tmp_path, monkeypatch):
    root = "1 0 0:1 / / rw - ext4 /dev/sda1 rw\n"
    mounts = tmp_path.with_name(f"{tmp_path.name}.mounts")
    mounts.write_text(root)
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch._MOUNTS", mounts)
    found = Watch(tmp_path, WatchSettings(), files=list, changed=lambda: True)
    until(lambda: found.take().is_complete)
    mounts.write_text(f"{root}2 1 0:2 / /elsewhere rw - nfs4 server:/share rw\n")
    assert found.take().is_complete
    mounts.write_text(f"{root}2 1 0:2 / {tmp_path}/in rw - tmpfs none rw\n")
    assert not found.take().is_complete
    seen = []
    until(lambda: seen.append(found.take()) or seen[-1].is_complete)
    assert any(each.everything for each in seen)
    found.close()


def test_folders_of_files_are_watched_even_if_they_are_usually_left_out(tmp_path):
    (tmp_path / "dist/in").mkdir(parents=True)
    files = []
    found = Watch(tmp_path, WatchSettings(), files=lambda: files, changed=lambda: True)
    until(lambda: found.is_ready)
    found.follow([])
    assert found.folders == {""}
    files.append("dist/in/a.js")
    found.follow(files)
    until(lambda: found.folders == {"", "dist", "dist/in"})
    until(lambda: found.take().is_complete)
    (tmp_path / "dist/in/a.js").touch()
    assert found.seen == frozenset()
    assert found.take().paths == {"dist/in/a.js"}
    found.close()


def test_folders_that_keep_changing_are_looked_at_again(tmp_path, monkeypatch):
    """While that goes on, nothing is complete."""
    calls = []

    def changing(_root, _files):
        calls.append(1)
        folder = tmp_path / f"d{len(calls)}"
        if len(calls) < 8:
            folder.mkdir()
        return {"", folder.name}

    monkeypatch.setattr("ipuaro_jupyter.workspace.files.watch.watched_folders", changing)
    found = Watch(tmp_path, WatchSettings(debounce_ms=1), files=list, changed=lambda: True)
    until(lambda: found.is_ready)
    assert len(calls) >= 8
    found.close()
