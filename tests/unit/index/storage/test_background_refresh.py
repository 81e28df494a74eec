"""A refresh that outlives the question that started it."""

import threading

import pytest

from ipuaro_jupyter.cancellation import CancelToken, Deadline, checkpoint, watched
from ipuaro_jupyter.index.storage.background_refresh import BackgroundRefresh


@pytest.fixture
def endless():
    """Give a refresh that only ends when it is stopped, and the event of its end."""
    ended = threading.Event()

    def refresh(*, meter):
        try:
            while not meter.cancel.wait(0.01):
                checkpoint()
            meter.check()
        finally:
            ended.set()

    background = BackgroundRefresh(refresh)
    yield background, ended
    background.close()


def asked(stop, ask):
    """Ask as a tool call does."""
    deadline = Deadline(60.0, stop)
    with deadline.running(), deadline.in_force():
        return ask()


def test_stop_ends_it_after_the_question_that_started_it(endless):
    background, ended = endless
    stop = CancelToken()
    asked(stop, background.start)
    assert not ended.wait(0.05)
    stop.cancel()
    assert ended.wait(0.5)


def test_stop_of_a_later_question_ends_it(endless):
    background, ended = endless
    asked(CancelToken(), background.start)
    later = CancelToken()
    assert not asked(later, lambda: background.has_ended(0.02))
    later.cancel()
    assert ended.wait(0.5)


def test_it_goes_on_when_the_question_is_late(endless):
    background, ended = endless
    deadline = Deadline(60.0, CancelToken())
    with deadline.running(), deadline.in_force():
        background.start()
        deadline.token.expire()
    assert not ended.wait(0.05)


def test_what_it_does_watches_its_own_token():
    seen, done = [], threading.Event()

    def refresh(*, meter):
        seen.append(watched() is meter.cancel)
        done.set()

    BackgroundRefresh(refresh).start()
    assert done.wait(5)
    assert seen == [True]


def test_second_run_hears_a_token_that_the_first_has_heard(endless):
    background, ended = endless
    stop, other = CancelToken(), CancelToken()
    asked(stop, background.start)
    asked(other, lambda: background.has_ended(0.0))
    stop.cancel()
    assert ended.wait(0.5)
    assert asked(other, lambda: background.has_ended(5.0))
    ended.clear()
    asked(other, background.start)
    other.cancel()
    assert ended.wait(0.5)
