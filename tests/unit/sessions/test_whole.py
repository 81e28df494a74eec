"""A history is whole whatever was torn, cut off or lost."""

from conversations import check_whole, histories
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.sessions.whole import UNREADABLE, pending_calls, whole

CALLS = tuple(ToolCall(id=f"c{n}", name="get_lines", arguments={}) for n in range(3))
ASK = Message(role="user", content="go")
CALLING = Message(role="assistant", content="", calls=CALLS)
DONE = Message(role="assistant", content="done")


def result(call_id):
    return Message(role="tool", content=call_id, call_id=call_id, tool="get_lines")


def shape(messages):
    return [m.call_id or m.role for m in messages]


@given(histories())
def test_a_whole_history_comes_back_as_it_is(messages):
    check_whole(messages)
    assert whole(messages) == messages


@given(histories(), st.data())
def test_whatever_is_lost_the_history_is_whole(messages, data):
    length = data.draw(st.integers(0, len(messages)))
    lost = data.draw(st.sets(st.integers(0, 40)))
    left = [None if place in lost else m for place, m in enumerate(messages[:length])]
    told = whole(left)
    check_whole(told)
    assert whole(told) == told
    kept = [m for m in left if m is not None and m.role == "user"]
    assert [m for m in told if m.role == "user" and m.content != UNREADABLE] == [
        m for m in kept if m.content != UNREADABLE
    ]


@given(histories(), st.integers(0, 40))
def test_a_history_that_was_cut_off_ends_as_interrupted(messages, length):
    """What is stored before the cut stays as it is; only the end is made up."""
    told = whole(messages[:length])
    assert told[: min(length, len(messages))] == messages[:length]
    assert all(m.interrupted for m in told[length:])


def test_a_result_of_a_lost_call_does_not_interrupt_a_turn_that_has_ended():
    ended = Message(role="assistant", content="so")
    noted = Message(role="system", content="")
    assert whole([ASK, ended, noted, result("c9"), None]) == [ASK, ended, noted]


def test_a_torn_summary_stands_for_turns_before_it_alone():
    summed = Message(role="system", content="", covers=9)
    ended = Message(role="assistant", content="so")
    torn = [ASK, ended, None, ASK, summed, ended]
    before = whole(torn)
    assert [m.covers for m in before if m.role == "system"] == [2]
    assert whole([*torn, *[ASK, ended] * 5])[: len(before)] == before


def test_results_are_put_into_the_order_of_the_calls():
    told = whole([ASK, CALLING, result("c1")])
    assert shape(told) == ["user", "assistant", "c0", "c1", "c2", "assistant"]
    assert [m.interrupted for m in told] == [False, False, True, False, True, True]
    assert told[2].result["error"]["type"] == "cancelled"


def test_a_lost_question_is_replaced_and_the_turn_stays_apart():
    told = whole([ASK, DONE, None, DONE])
    assert [m.content for m in told] == ["go", "done", UNREADABLE, "done"]


def test_a_lost_reply_takes_its_results_with_it():
    told = whole([ASK, None, result("c0"), result("c1"), DONE])
    assert shape(told) == ["user", "assistant"]


def test_a_result_that_nobody_asked_for_is_left_out():
    assert shape(whole([ASK, result("c9"), DONE])) == ["user", "assistant"]


def test_a_summary_of_what_was_lost_stands_for_whole_turns():
    history = [ASK, DONE, ASK, CALLING, *map(result, ("c0", "c1", "c2")), DONE, ASK, DONE]
    summary = Message(role="system", content="so far", covers=8)
    assert whole([*history, summary])[-1].covers == 8
    torn = whole([*history[:5], None, *history[6:], summary])
    assert torn[-1].covers == 8, "the lost result was made up"
    lost = whole([ASK, DONE, ASK, None, *history[4:], summary])
    assert lost[lost[-1].covers].role == "user"


def test_unanswered_calls_are_those_of_the_last_reply():
    assert pending_calls([ASK, CALLING, result("c0"), result("c2")]) == [CALLS[1]]
    assert pending_calls([ASK, CALLING, Message(role="system", content="s")]) == list(CALLS)
    assert pending_calls([ASK, CALLING, result("c0"), DONE, ASK]) == []
    assert pending_calls([]) == []
