"""The token that ends work, the deadline that sets it, and which one is in force where."""

import threading
import time

import pytest

from ipuaro_jupyter.cancellation import (
    CancelToken,
    Deadline,
    checkpoint,
    deciding,
    grace,
    watched,
    watching,
)
from ipuaro_jupyter.errors import Cancelled, TimeUp

LONG_S = 30


def test_the_deadline_sets_the_token():
    deadline = Deadline(0.02, CancelToken())
    with deadline.running():
        assert deadline.token.wait(LONG_S)
    assert deadline.expired


def test_the_users_stop_sets_the_token_and_is_no_deadline():
    stop = CancelToken()
    deadline = Deadline(LONG_S, stop)
    with deadline.running():
        stop.cancel()
        assert deadline.token.cancelled
    assert not deadline.expired


def test_the_time_stands_still_while_the_user_decides():
    deadline = Deadline(1.5, CancelToken())
    with deadline.running():
        with deadline.paused(), deadline.paused():
            time.sleep(1.7)
        assert not deadline.token.cancelled
        assert deadline.token.wait(LONG_S)


def test_nothing_is_left_of_a_deadline_that_was_met():
    before = threading.active_count()
    deadline = Deadline(LONG_S, CancelToken())
    with deadline.running():
        pass
    until = time.monotonic() + LONG_S
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert not deadline.token.cancelled


def test_a_deadline_that_has_passed_says_so():
    deadline = Deadline(0.02, CancelToken())
    with deadline.running(), deadline.in_force():
        assert deadline.token.wait(LONG_S)
        with pytest.raises(TimeUp):
            checkpoint()
        with grace():
            checkpoint()
        with pytest.raises(TimeUp):
            checkpoint()


def test_the_user_may_stop_what_goes_on_although_the_time_is_up():
    stop = CancelToken()
    deadline = Deadline(0.02, stop)
    with deadline.running(), deadline.in_force(), grace():
        assert deadline.token.wait(LONG_S)
        stop.cancel()
        with pytest.raises(Cancelled) as raised:
            checkpoint()
    assert not isinstance(raised.value, TimeUp)


def test_whoever_sets_the_token_first_says_why():
    token = CancelToken()
    token.cancel()
    token.expire()
    with pytest.raises(Cancelled) as raised:
        token.check()
    assert not isinstance(raised.value, TimeUp)


def test_the_innermost_token_is_in_force():
    outer, inner = CancelToken(), CancelToken()
    outer.cancel()
    checkpoint()
    with watching(outer):
        with watching(inner):
            checkpoint()
        with pytest.raises(Cancelled):
            checkpoint()
        assert watched() is outer
    assert not watched().cancelled


def test_no_token_is_in_force_in_another_thread():
    token, seen = CancelToken(), []
    with watching(token):
        thread = threading.Thread(target=lambda: seen.append(watched() is token))
        thread.start()
        thread.join()
    assert seen == [False]


def test_deciding_takes_no_time_of_the_deadline_in_force():
    deadline = Deadline(1.0, CancelToken())
    with deadline.running(), deadline.in_force():
        with deciding():
            time.sleep(1.2)
        checkpoint()
        assert deadline.token.wait(LONG_S)
    with deciding(), grace():
        checkpoint()
