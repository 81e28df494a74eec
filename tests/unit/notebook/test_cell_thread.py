import threading

import pytest

from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.notebook.cell_thread import CellThread, nobody
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import IndexProgress
from ipuaro_jupyter.records.trouble import Remedy, Trouble

PROPOSAL = Proposal(id="1", kind="command", tool="t", title="t", command="ls")


def question_of(thread):
    """Return the question of a job once it asks."""
    asked = threading.Event()
    thread.wake = asked.set
    thread.start()
    assert asked.wait(5)
    return thread.question()


def test_events_come_in_order_and_the_result_at_the_end():
    def job(thread):
        for done in range(3):
            thread.post(IndexProgress(phase="parsing", done=done, total=3))
        return "result"

    thread = CellThread(job)
    thread.start()
    assert thread.wait(5)
    assert [event.done for event in thread.take()] == [0, 1, 2]
    assert thread.result() == "result"


def test_an_error_of_the_job_is_raised_by_its_result():
    thread = CellThread(lambda _: 1 / 0)
    thread.start()
    assert thread.wait(5)
    with pytest.raises(ZeroDivisionError):
        thread.result()


def test_a_question_waits_for_its_answer():
    thread = CellThread(lambda thread: thread.ask(PROPOSAL))
    question = question_of(thread)
    assert question.asked == PROPOSAL
    assert not thread.ended
    question.answer(Decision(action="apply"))
    assert thread.wait(5)
    assert thread.result() == Decision(action="apply")


def test_a_trouble_waits_for_its_remedy():
    trouble = Trouble(kind="model", message="It broke off.")
    thread = CellThread(lambda thread: thread.ask_remedy(trouble))
    question = question_of(thread)
    assert question.asked == trouble
    question.answer(Remedy(action="retry"))
    assert thread.wait(5)
    assert thread.result() == Remedy(action="retry")


def test_nobody_rejects_and_aborts():
    assert nobody(PROPOSAL, "why") == Decision(action="reject", by="nobody", reason="why")
    trouble = Trouble(kind="model", message="It broke off.")
    assert nobody(trouble, "why") == Remedy(action="abort", by="nobody", reason="why")


def test_stop_ends_a_question_that_waits():
    thread = CellThread(lambda thread: thread.ask(PROPOSAL))
    question_of(thread)
    thread.cancel.cancel()
    assert thread.wait(5)
    with pytest.raises(Cancelled):
        thread.result()


def test_nothing_is_asked_after_stop():
    thread = CellThread(lambda thread: thread.ask(PROPOSAL))
    thread.cancel.cancel()
    thread.start()
    assert thread.wait(5)
    assert thread.question() is None


def test_the_thread_does_not_hold_up_the_end_of_the_process():
    release = threading.Event()
    thread = CellThread(lambda _: release.wait(5))
    thread.start()
    threads = [thread for thread in threading.enumerate() if thread.name == "ipuaro-work"]
    assert all(thread.daemon for thread in threads)
    release.set()
    assert thread.wait(5)
