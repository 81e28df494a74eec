import pytest

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.limits import LimitReached, Repeats, TurnCounts


def often(times, repeats, *, result="same", is_change=False, **arguments):
    for _ in range(times):
        repeats.check("get", arguments)
        repeats.note("get", arguments, result=result, is_change=is_change)


def test_rounds_end_and_are_counted_anew_when_the_user_lets_it_go_on():
    counts = TurnCounts(AgentSettings(max_rounds=2))
    for _ in range(2):
        counts.round()
        counts.round()
        with pytest.raises(LimitReached, match="2 rounds"):
            counts.round()


def test_repairs_end_with_the_problem():
    counts = TurnCounts(AgentSettings(max_repairs=1))
    counts.repair("half a call")
    with pytest.raises(LimitReached, match="half a call") as caught:
        counts.repair("half a call")
    assert caught.value.may_go_on


def test_what_is_never_allowed_is_answered_twice_and_cannot_go_on():
    counts = TurnCounts(AgentSettings())
    counts.refusal("outside")
    counts.refusal("outside")
    with pytest.raises(LimitReached, match="outside") as caught:
        counts.refusal("outside")
    assert not caught.value.may_go_on


def test_retries_are_bounded():
    counts = TurnCounts(AgentSettings(max_retries=1))
    assert counts.may_retry
    counts.retry()
    assert not counts.may_retry


def test_a_call_with_the_same_result_is_repeated_only_so_often():
    repeats = Repeats(3)
    often(3, repeats, path="a.ts")
    often(3, repeats, path="b.ts")
    with pytest.raises(LimitReached, match="get 3 times with the same arguments"):
        often(1, repeats, path="a.ts")


def test_alternating_calls_are_found():
    repeats = Repeats(2)
    for path in "abab":
        often(1, repeats, path=path)
    with pytest.raises(LimitReached):
        often(1, repeats, path="a")


def test_calls_that_mean_the_same_are_the_same():
    repeats = Repeats(2)
    often(1, repeats, path="a", start=2, end=None)
    often(1, repeats, path="a", start=2.0)
    with pytest.raises(LimitReached):
        often(1, repeats, start=2, path="a")


def test_a_job_that_prints_more_may_be_read_again():
    repeats = Repeats(2)
    for number in range(9):
        often(1, repeats, id="job-1", result=f"line {number}")
    often(1, repeats, id="job-1", result="line 8")
    with pytest.raises(LimitReached):
        often(1, repeats, id="job-1", result="line 8")


def test_after_a_change_what_is_looked_up_counts_anew_but_the_same_change_does_not():
    repeats = Repeats(2)
    for number in range(5):
        often(2, repeats, path="a")
        often(1, repeats, content=number, result=str(number), is_change=True)
    for content in ("to", "fro", "to", "fro"):
        often(1, repeats, content=content, is_change=True)
    with pytest.raises(LimitReached):
        often(1, repeats, content="to", is_change=True)


def test_the_user_may_let_a_repeated_call_go_on():
    repeats = Repeats(1)
    often(1, repeats, path="a")
    with pytest.raises(LimitReached):
        often(1, repeats, path="a")
    often(1, repeats, path="a")
