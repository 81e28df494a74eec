"""Calls at a set time, from one thread."""

import threading
import time

import pytest

from ipuaro_jupyter.alarms import Alarms
from ipuaro_jupyter.cancellation import CancelToken, Deadline
from ipuaro_jupyter.errors import TimeUp


def test_alarms_go_off_in_their_order_though_set_in_another():
    alarms, heard, done = Alarms(), [], threading.Event()
    alarms.set(0.06, lambda _: (heard.append("late"), done.set()))
    alarms.set(0.02, lambda _: heard.append("soon"))
    assert done.wait(10)
    assert heard == ["soon", "late"]


def test_cancelled_alarm_is_silent():
    alarms, heard, done = Alarms(), [], threading.Event()
    alarm = alarms.set(0.01, lambda _: heard.append("cancelled"))
    alarms.cancel(alarm)
    alarms.set(0.03, lambda _: done.set())
    assert done.wait(10)
    assert not heard


def test_call_that_takes_long_delays_no_other():
    alarms, held, done = Alarms(), threading.Event(), threading.Event()
    alarms.set(0.0, lambda _: held.wait(10))
    alarms.set(0.01, lambda _: done.set())
    assert done.wait(5)
    held.set()


def test_deadlines_share_one_thread():
    before = None
    for _ in range(50):
        deadline = Deadline(60.0, CancelToken())
        with deadline.running():
            before = before or threading.active_count()
            assert threading.active_count() <= before
            with deadline.paused():
                pass
    assert not deadline.expired


def test_deadline_expires_though_others_were_held():
    for _ in range(3):
        with Deadline(30.0, CancelToken()).running():
            pass
    deadline = Deadline(0.02, CancelToken())
    with deadline.running():
        until = time.monotonic() + 10
        while not deadline.expired and time.monotonic() < until:
            time.sleep(0.005)
        with pytest.raises(TimeUp):
            deadline.token.check()
