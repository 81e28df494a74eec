import threading

import pytest

from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.notebook.work import Work, nobody
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import IndexProgress
from ipuaro_jupyter.records.trouble import Remedy, Trouble

PROPOSAL = Proposal(id="1", kind="command", tool="t", title="t", command="ls")


def question_of(work):
    """Return the question of a job once it asks."""
    asked = threading.Event()
    work.wake = asked.set
    work.start()
    assert asked.wait(5)
    return work.question()


def test_events_come_in_order_and_the_result_at_the_end():
    def job(work):
        for done in range(3):
            work.post(IndexProgress(phase="parsing", done=done, total=3))
        return "result"

    work = Work(job)
    work.start()
    assert work.wait(5)
    assert [event.done for event in work.take()] == [0, 1, 2]
    assert work.result() == "result"


def test_an_error_of_the_job_is_raised_by_its_result():
    work = Work(lambda _: 1 / 0)
    work.start()
    assert work.wait(5)
    with pytest.raises(ZeroDivisionError):
        work.result()


def test_a_question_waits_for_its_answer():
    work = Work(lambda work: work.ask(PROPOSAL))
    question = question_of(work)
    assert question.asked == PROPOSAL
    assert not work.ended
    question.answer(Decision(action="apply"))
    assert work.wait(5)
    assert work.result() == Decision(action="apply")


def test_a_trouble_waits_for_its_remedy():
    trouble = Trouble(kind="model", message="It broke off.")
    work = Work(lambda work: work.ask_remedy(trouble))
    question = question_of(work)
    assert question.asked == trouble
    question.answer(Remedy(action="retry"))
    assert work.wait(5)
    assert work.result() == Remedy(action="retry")


def test_nobody_rejects_and_aborts():
    assert nobody(PROPOSAL, "why") == Decision(action="reject", by="nobody", reason="why")
    trouble = Trouble(kind="model", message="It broke off.")
    assert nobody(trouble, "why") == Remedy(action="abort", by="nobody", reason="why")


def test_stop_ends_a_question_that_waits():
    work = Work(lambda work: work.ask(PROPOSAL))
    question_of(work)
    work.cancel.cancel()
    assert work.wait(5)
    with pytest.raises(Cancelled):
        work.result()


def test_nothing_is_asked_after_stop():
    work = Work(lambda work: work.ask(PROPOSAL))
    work.cancel.cancel()
    work.start()
    assert work.wait(5)
    assert work.question() is None


def test_the_thread_does_not_hold_up_the_end_of_the_process():
    release = threading.Event()
    work = Work(lambda _: release.wait(5))
    work.start()
    threads = [thread for thread in threading.enumerate() if thread.name == "ipuaro-work"]
    assert all(thread.daemon for thread in threads)
    release.set()
    assert work.wait(5)
