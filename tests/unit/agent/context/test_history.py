"""What of a session is shown, bit by bit."""

import pytest

from ipuaro_jupyter.agent.context.history import History, ShownLimits
from ipuaro_jupyter.agent.context.tokens import message_tokens, messages_tokens
from ipuaro_jupyter.records.chat import Message, ToolCall


def turn(number, steps=1):
    messages = [Message(role="user", content=f"question {number}")]
    for step in range(steps):
        call = ToolCall(id=f"c{number}-{step}", name="look", arguments={"n": number})
        messages += [
            Message(role="assistant", content=f"step {number}-{step}", calls=(call,)),
            Message(role="tool", content=f"{number}\n" * 300, call_id=call.id, tool="look"),
        ]
    return [*messages, Message(role="assistant", content=f"answer {number}")]


def of(*parts, marks=None):
    messages = [message for part in parts for message in part]
    return History(messages, marks or ShownLimits(), repeatable={"look"}), messages


def is_stub(message):
    return message.content.startswith("[Left out to save room: the result of look(n=")


def test_everything_is_shown_when_nothing_was_left_out():
    history, messages = of(turn(0), turn(1))
    assert history.shown() == messages
    assert (history.turn, history.newest_step) == (4, 7)
    assert history.newest_tokens == message_tokens(messages[7])
    assert history.earlier(4) == messages[:4]


def test_a_question_without_a_step_yet_has_its_newest_step_behind_it():
    history, _ = of(turn(0), [Message(role="user", content="and?")])
    assert (history.turn, history.newest_step, history.newest_tokens) == (4, 5, 0)


def test_results_become_stubs_from_the_oldest_on_until_enough_is_saved():
    history, messages = of(turn(0), turn(1), turn(2))
    size = message_tokens(messages[2])
    history.stub_results(0, end=12)
    assert history.shown() == messages
    history.stub_results(1, end=12)
    assert [is_stub(message) for message in history.shown()].index(True) == 2
    assert messages_tokens(history.shown()) < messages_tokens(messages) - 0.8 * size
    assert sum(map(is_stub, history.shown())) == 1
    history.stub_results(1e9, end=8)
    assert [n for n, message in enumerate(history.shown()) if is_stub(message)] == [2, 6]


def test_what_was_made_smaller_stays_so():
    marks = ShownLimits()
    history, messages = of(turn(0), turn(1), marks=marks)
    history.stub_results(1e9, end=4)
    again = History(messages, marks, repeatable={"look"})
    assert again.shown() == history.shown()
    assert is_stub(again.shown()[2])
    again.stub_results(1e9, end=0)
    assert marks.stubbed == 4


def test_turns_are_left_out_whole_and_the_current_one_stays():
    marks = ShownLimits()
    history, messages = of(turn(0), turn(1), turn(2), marks=marks)
    size = messages_tokens(messages[:4])
    assert history.next_start(size - 1) == 4
    assert history.next_start(size) == 4
    assert history.next_start(size + 1) == 8
    assert history.next_start(1e9) == 8
    marks.start = 4
    assert history.shown() == messages[4:]
    assert history.next_start(1) == 8


def test_steps_of_the_current_turn_go_from_the_oldest_on_and_this_is_told():
    history, messages = of(turn(0), turn(1, steps=3))
    history.skip_steps(0)
    assert history.shown() == messages
    history.skip_steps(1)
    told = "[1 earlier step(s) of this turn are left out to save room.]"
    expected = [*messages[:5], Message(role="tool", content=told), *messages[7:]]
    assert history.shown() == expected
    history.skip_steps(1e9)
    told = "[3 earlier step(s) of this turn are left out to save room.]"
    assert history.shown() == [*messages[:5], Message(role="tool", content=told), messages[11]]


@pytest.mark.parametrize(("covers", "begins"), [(4, 4), (5, 4), (8, 8), (3, 0)])
def test_a_summary_stands_for_the_turns_before_it(covers, begins):
    """It is none of the messages, and reaches back to a turn's beginning."""
    summary = Message(role="system", content="Notes.", covers=covers)
    history, messages = of(turn(0), turn(1), turn(2), [summary])
    assert (history.summary, history.summarised) == ("Notes.", begins)
    assert history.shown() == messages[begins:12]
    assert history.earlier(13) == messages[:12]
    history.add_summary(Message(role="system", content="Later notes.", covers=8))
    assert (history.summary, history.summarised) == ("Later notes.", 8)


def test_what_no_summary_tells_is_counted_without_long_results():
    history, messages = of(turn(0), turn(1), turn(2))
    short = [m for m in messages[:8] if m.role != "tool"]
    counted = history.unsummarized_tokens(8)
    assert messages_tokens(short) < counted < messages_tokens(short) + 200
    history.add_summary(Message(role="system", content="Notes.", covers=4))
    assert counted / 2 - 1 < history.unsummarized_tokens(8) < counted / 2 + 1


def test_the_head_comes_first():
    history, messages = of(turn(0))
    history.head = Message(role="user", content="Before:")
    assert history.shown() == [history.head, *messages]
