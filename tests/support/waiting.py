"""Waiting for what is to happen soon, however busy the machine is."""

import time

import psutil


def become(condition, within_s=30):
    """Return whether a condition comes true in time."""
    end_s = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.02)
    return True


def until(condition, within_s=30):
    """Wait until a condition is true."""
    assert become(condition, within_s), "It did not come to pass."


def has_ended(pid):
    """Whether a process is no more, or a zombie."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
