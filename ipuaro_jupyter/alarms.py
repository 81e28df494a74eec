"""Calls at a set time. One thread waits for all of them; it is started with the first."""

import threading
import time
from collections.abc import Callable


class Alarm:
    """A call at a set time, unless it is cancelled before."""

    def __init__(self, due_s: float, call: Callable[["Alarm"], None]) -> None:
        self.due_s = due_s
        self.call = call


class Alarms:
    """Makes calls at set times, each in a thread of its own: one may take long.

    Setting an alarm that is not the next one wakes no thread, nor does cancelling one.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: set[Alarm] = set()
        self._next_s = float("inf")
        self._thread: threading.Thread | None = None

    def set(self, seconds: float, call: Callable[[Alarm], None]) -> Alarm:
        """Make a call after so many seconds; it is given the alarm that is returned here."""
        alarm = Alarm(time.monotonic() + seconds, call)
        with self._changed:
            self._waiting.add(alarm)
            if self._thread is None or not self._thread.is_alive():  # not in a forked process
                self._thread = threading.Thread(target=self._run, name="ipuaro-alarms", daemon=True)
                self._thread.start()
            elif alarm.due_s < self._next_s:
                self._changed.notify()
        return alarm

    def cancel(self, alarm: Alarm) -> None:
        """Do not make a call, unless that has begun."""
        with self._changed:
            self._waiting.discard(alarm)

    def _run(self) -> None:
        with self._changed:
            while True:
                now_s = time.monotonic()
                due = [alarm for alarm in self._waiting if alarm.due_s <= now_s]
                self._waiting.difference_update(due)
                for alarm in due:
                    call = threading.Thread(
                        target=alarm.call, args=(alarm,), name="ipuaro-alarm", daemon=True
                    )
                    call.start()
                self._next_s = min((a.due_s for a in self._waiting), default=float("inf"))
                wait_s = self._next_s - time.monotonic()
                self._changed.wait(min(wait_s, threading.TIMEOUT_MAX))


ALARMS = Alarms()
"""Those of this process."""
