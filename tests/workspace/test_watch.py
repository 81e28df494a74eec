"""A watch by itself: how it begins and how it ends."""

import threading

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
