import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.history import History, ShownLimits
from ipuaro_jupyter.agent.context.summary import head, summarised
from ipuaro_jupyter.agent.context.tokens import count_tokens, message_tokens, messages_tokens
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, ToolCall


def turn(number, *, size=40):
    look = ToolCall(id=f"c{number}", name="get_lines", arguments={"path": f"src/{number}.ts"})
    return [
        Message(role="user", content=f"Question {number}. Never edit file {number}."),
        Message(role="assistant", content="", calls=(look,)),
        Message(role="tool", content="line\n" * size, call_id=look.id, tool="get_lines"),
        Message(role="assistant", content=f"Answer {number}."),
    ]


EARLIER = [message for number in range(6) for message in turn(number)]


def ask(model, earlier=EARLIER, *, former="", request=2000, reply=200, cancel=None, spent=None):
    return summarised(
        model,
        earlier,
        former,
        request_tokens=request,
        reply_tokens=reply,
        timeout_s=60,
        cancel=cancel or CancelToken(),
        spend=lambda *told: (spent if spent is not None else []).append(told),
    )


def test_the_model_is_shown_the_conversation_and_the_former_notes():
    model = ScriptedModel(["- fee is in src/0.ts"])
    summary = ask(model, former="The user is called Ada.")
    assert (summary.text, summary.problem) == ("- fee is in src/0.ts", "")
    system, told = model.requests[0].messages
    assert "at most 120 words" in system.content
    assert model.requests[0].tools == ()
    assert "The user is called Ada." in told.content
    assert 'Assistant calls get_lines(path="src/3.ts")' in told.content
    assert "User: Question 5." in told.content
    assert "Result of get_lines: line" in told.content


@given(st.integers(1, 60), st.integers(0, 3000), st.integers(1200, 6000), st.text(max_size=2000))
def test_the_request_fits_whatever_there_is_to_sum_up(turns, size, room, former):
    earlier = [message for number in range(turns) for message in turn(number, size=size)]
    model = ScriptedModel(["Notes."])
    ask(model, earlier, former=former, request=room)
    assert messages_tokens(model.requests[0].messages) <= room


def test_without_room_the_model_is_not_asked():
    model = ScriptedModel([])
    assert ask(model, request=200).problem == "there is no room for it"
    assert model.requests == []


def test_an_endless_summary_is_broken_off_and_cut():
    read = []

    def endless():
        while True:
            read.append(1)
            yield Chunk(text="and so on and on ")

    summary = ask(ScriptedModel([endless()]), reply=100)
    assert summary.problem == ""
    assert count_tokens(summary.text) <= 100
    assert len(read) < 200


def test_a_summary_longer_than_what_it_stands_for_is_none():
    earlier = [Message(role="user", content="Hi"), Message(role="assistant", content="Hello")]
    assert "longer" in ask(ScriptedModel(["word " * 90]), earlier).problem


def test_calls_and_thoughts_are_no_notes():
    text = '<think>Hm.</think><tool_call name="get_lines"><path>a</path></tool_call>'
    assert ask(ScriptedModel([text])).problem == "the model wrote nothing"


def test_stop_is_passed_on():
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        ask(ScriptedModel(["Notes."]), cancel=cancel)


@given(st.integers(120, 2000), st.text(max_size=4000), st.integers(1, 40))
def test_the_head_is_bounded_and_keeps_the_first_request(tokens, summary, turns):
    earlier = [message for number in range(turns) for message in turn(number)]
    told = head(earlier, summary, tokens)
    assert message_tokens(told) <= tokens * 1.1 + 80
    assert "Question 0. Never edit file 0." in told.content
    assert f"{4 * turns} messages, is left out" in told.content


def test_the_head_keeps_wishes_as_they_are_written():
    told = head(EARLIER, "The notes.", 1000).content
    assert all(f"- Never edit file {number}." in told for number in range(6))
    assert told.endswith("Notes on what happened:\nThe notes.")


def test_a_summary_stands_for_whole_turns_also_when_a_message_was_torn():
    """The places behind a lost message are shifted; no call may lose its result by that."""
    summary = Message(role="system", content="Notes.", covers=8)
    whole = [*EARLIER[:12], summary, *EARLIER[12:]]
    history = History(whole, ShownLimits(), repeatable=())
    assert history.summarised == 8
    assert history.summary == "Notes."
    torn = [whole[0], *whole[2:]]
    shown = History(torn, ShownLimits(), repeatable=()).shown()
    assert shown[0].content.startswith("Question 2.")
    doubled = [whole[0], whole[0], *whole[1:]]
    shown = History(doubled, ShownLimits(), repeatable=()).shown()
    assert shown[0].content.startswith("Question 1.")
    calls = [call.id for message in shown for call in message.calls]
    assert calls == [message.call_id for message in shown if message.role == "tool"]


def test_a_summary_that_fails_has_taken_something_too():
    spent = []
    wordy = ScriptedModel(["- a note\n" * 2000])
    assert ask(wordy, EARLIER[:1], spent=spent).problem == "it was longer than what it stands for"
    ((asked, text, usage),) = spent
    assert asked == wordy.requests[0].messages
    assert text.startswith("- a note")
    assert usage is None
