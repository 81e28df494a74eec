"""A watch by itself: how it begins and how it ends."""

import re
import threading
import time

import pytest

from ipuaro_jupyter.workspace.watch import Seen, Watch, WatchSettings

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
    found.put_back(Seen(frozenset({"a.ts"})))
    found.put_back(Seen(everything=True))
    seen = found.take()
    assert seen == Seen(frozenset({"a.ts"}), everything=True)
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


def until(condition):
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "It did not come to pass."
        time.sleep(0.02)


def test_somebody_is_told_in_the_middle_of_changes_that_go_on(told):
    root, seen = told(debounce_ms=10_000)

    def go_on():
        (root / "a.ts").write_text("x")
        return seen

    until(go_on)
    assert seen == [Seen(frozenset({"a.ts"}), everything=True)]


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
    monkeypatch.setattr("ipuaro_jupyter.workspace.watch._RETRY_S", 600)
    found = Watch(tmp_path / "none", WatchSettings(), files=list, changed=lambda: True)
    until(lambda: found.problem)
    found.close()
    assert not found._thread.is_alive()
    assert not found.is_ready
    assert re.search("compared now and then, not watched: .*none' has gone", found.problem)
