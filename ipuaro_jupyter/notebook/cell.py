"""A cell while a job runs in its thread: it draws, asks, and notices the stop button."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from ipuaro_jupyter.notebook.cell_thread import Asked, CellThread, Question, Said
from ipuaro_jupyter.records.events import PhaseChanged, Report

T = TypeVar("T")

# The kernel notices the stop button only when its loop wakes up.
# https://github.com/ipython/ipykernel/issues/881
TICK_S = 0.1
# How long a stopped job may go on unnoticed before the cell ends without it.
STOP_S = 0.35


class View(Protocol):
    """The place where the events of a job are drawn."""

    def show(self, event: Report) -> None:
        """Draw an event."""

    def tick(self) -> None:
        """Draw the parts that change with time."""


async def run_awaiting(
    thread: CellThread[T], view: View, decide: Callable[[Asked], Awaitable[Said]]
) -> bool:
    """Run a job while the cell awaits; ``decide`` asks the user, one question at a time.

    Returns:
        True when the job has ended by itself, False when the user stopped it. A stopped job may
        still be running if it does not check its `CancelToken` within a moment.
    """
    woken = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed: the kernel is ending
            loop.call_soon_threadsafe(woken.set)

    thread.wake = wake
    thread.start()
    asking: asyncio.Task[None] | None = None
    phase: PhaseChanged | None = None
    try:
        while not thread.ended:
            # Not wait_for: before Python 3.12 it can swallow the cancellation.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await woken.wait()
            woken.clear()
            if asking is not None and asking.done():
                asking.result()
                asking = None
                if phase is not None:  # the phase before the question resumes
                    view.show(phase)
            # Taken before the events that led to it are drawn, so that it appears below them.
            question = thread.question() if asking is None else None
            phase = _draw(thread, view) or phase
            if question is not None:
                view.show(PhaseChanged(phase="waiting"))
                asking = asyncio.create_task(_ask(question, decide))
        _draw(thread, view)
    except asyncio.CancelledError:
        await _stop(thread, asking)
        _uncancel()
        _draw(thread, view)
        return False
    finally:
        thread.cancel.cancel()
    return True


def run_blocking(thread: CellThread[T], view: View, decide: Callable[[Asked], Said]) -> bool:
    """Run a job while this thread waits, where awaiting is impossible; like `run_awaiting`."""
    thread.start()
    try:
        while not thread.wait(TICK_S):
            question = thread.question()
            _draw(thread, view)
            if question is not None:
                question.answer(decide(question.asked))
        _draw(thread, view)
    except KeyboardInterrupt:
        thread.cancel.cancel()
        thread.wait(STOP_S)
        _draw(thread, view)
        return False
    finally:
        thread.cancel.cancel()
    return True


def _draw(thread: CellThread[T], view: View) -> PhaseChanged | None:
    """Draw the events so far; return the latest phase among them."""
    phase = None
    for event in thread.take():
        view.show(event)
        phase = event if isinstance(event, PhaseChanged) else phase
    view.tick()
    return phase


async def _ask(question: Question, decide: Callable[[Asked], Awaitable[Said]]) -> None:
    question.answer(await decide(question.asked))


def _uncancel() -> None:
    """Mark the stop button's request as handled: the cell goes on to show its results."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():  # it may have been pressed more than once
        task.uncancel()


async def _stop(thread: CellThread[T], asking: asyncio.Task[None] | None) -> None:
    thread.cancel.cancel()
    if asking is not None and not asking.done():
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
    with contextlib.suppress(asyncio.CancelledError):  # pressed again: then without waiting
        await asyncio.to_thread(thread.wait, STOP_S)
