"""A cell that awaits a job, without a kernel around it."""

import asyncio
import threading
import time

import pytest

from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.notebook.cell import STOP_S, run_awaiting, run_blocking
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import IndexProgress, PhaseChanged

YES = Decision(action="apply")
# Far above what stopping takes on a busy machine, far below what is waited for without it.
SOON_S = 4
LONG_S = 30


def proposal(name="x"):
    return Proposal(id=name, kind="command", tool="t", title=name, command="ls")


class Screen:
    """Keeps what is drawn."""

    def __init__(self):
        self.shown = []
        self.ticks = 0

    def show(self, event):
        self.shown.append(event)

    def tick(self):
        self.ticks += 1


async def yes(_proposal):
    return YES


def counting(thread):
    for done in range(3):
        thread.post(IndexProgress(phase="parsing", done=done, total=3))
    return "result"


def until_stopped(thread):
    thread.cancel.wait(LONG_S)
    thread.cancel.check()


def test_events_are_drawn_in_order():
    screen, thread = Screen(), CellThread(counting)
    assert asyncio.run(run_awaiting(thread, screen, yes))
    assert [event.done for event in screen.shown] == [0, 1, 2]
    assert thread.result() == "result"


def test_the_screen_ticks_while_nothing_happens():
    screen = Screen()
    asyncio.run(run_awaiting(CellThread(lambda _: time.sleep(0.35)), screen, yes))
    assert screen.ticks >= 3


def test_what_led_to_a_question_is_drawn_before_it():
    order = []

    async def decide(asked):
        order.append(asked.id)
        return YES

    class Ordered(Screen):
        def show(self, event):
            order.append(event.phase)

    def job(thread):
        thread.post(IndexProgress(phase="scanning"))
        return thread.ask(proposal("question"))

    thread = CellThread(job)
    asyncio.run(run_awaiting(thread, Ordered(), decide))
    assert order == ["scanning", "waiting", "question"]
    assert thread.result() == YES


def test_what_a_question_interrupted_is_said_again_when_it_is_answered():
    phases = []

    class Phases(Screen):
        def show(self, event):
            phases.append(event.phase)

    def job(thread):
        thread.post(PhaseChanged(phase="running", detail="run_command"))
        thread.ask(proposal())
        time.sleep(0.3)

    asyncio.run(run_awaiting(CellThread(job), Phases(), yes))
    assert phases == ["running", "waiting", "running"]


def test_questions_are_asked_one_at_a_time():
    open_now, most = set(), []

    async def decide(asked):
        open_now.add(asked.id)
        most.append(len(open_now))
        await asyncio.sleep(0.15)
        open_now.discard(asked.id)
        return YES

    def job(thread):
        asking = [threading.Thread(target=thread.ask, args=(proposal(str(n)),)) for n in range(3)]
        for question in asking:
            question.start()
        for question in asking:
            question.join()

    asyncio.run(run_awaiting(CellThread(job), Screen(), decide))
    assert most == [1, 1, 1]


async def stopped_after(delay_s, thread, decide=yes):
    """Run a job and press stop; return whether it ended by itself and how long stopping took."""
    running = asyncio.create_task(run_awaiting(thread, Screen(), decide))
    await asyncio.sleep(delay_s)
    started_s = time.monotonic()
    running.cancel()
    return await running, time.monotonic() - started_s


def test_stop_reaches_the_job_and_the_cell_goes_on():
    thread = CellThread(until_stopped)
    by_itself, took_s = asyncio.run(stopped_after(0.1, thread))
    assert not by_itself
    assert took_s < SOON_S
    with pytest.raises(Cancelled):
        thread.result()


def test_a_job_that_does_not_look_at_the_stop_button_is_left_behind():
    release = threading.Event()
    thread = CellThread(lambda _: release.wait(LONG_S))
    by_itself, took_s = asyncio.run(stopped_after(0.1, thread))
    assert not by_itself
    assert STOP_S <= took_s < SOON_S
    assert not thread.ended
    release.set()
    assert thread.wait(SOON_S)


def test_stop_that_is_pressed_again_and_again_leaves_a_cell_that_goes_on():
    release = threading.Event()
    thread = CellThread(lambda _: release.wait(LONG_S))

    async def cell():
        by_itself = await run_awaiting(thread, Screen(), yes)
        await asyncio.sleep(0)
        return by_itself, asyncio.current_task().cancelling()

    async def pressed():
        running = asyncio.create_task(cell())
        await asyncio.sleep(0.1)
        for _ in range(3):
            running.cancel()
            await asyncio.sleep(0.02)
        return await running

    assert asyncio.run(pressed()) == (False, 0)
    release.set()
    assert thread.wait(SOON_S)


def test_stop_takes_a_question_away():
    closed = []

    async def decide(_proposal):
        try:
            await asyncio.sleep(LONG_S)
        finally:
            closed.append(True)

    thread = CellThread(lambda thread: thread.ask(proposal()))
    by_itself, took_s = asyncio.run(stopped_after(0.2, thread, decide))
    assert (by_itself, closed) == (False, [True])
    assert took_s < SOON_S


def test_a_question_that_cannot_be_shown_stops_the_job():
    async def broken(_proposal):
        raise ZeroDivisionError

    thread = CellThread(lambda thread: thread.ask(proposal()))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run_awaiting(thread, Screen(), broken))
    assert thread.wait(SOON_S)


def test_where_nothing_can_await_a_job_runs_and_asks_too():
    screen, thread = Screen(), CellThread(lambda thread: (counting(thread), thread.ask(proposal())))
    assert run_blocking(thread, screen, lambda _: YES)
    assert thread.result() == ("result", YES)
    assert len(screen.shown) == 3
