"""Whatever model, tools and user do: a turn ends, says why, and leaves a whole session."""

import logging
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_messages import messages_of

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import TurnFinished
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.tool import Project, tool

LIMITS = {"maxRounds": 5, "maxRepairs": 2, "maxRepeats": 2, "maxRetries": 2}


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


class Untold(TextOutput):
    """A result that cannot be told."""

    def text(self):
        raise KeyError(self.content)


@tool()
def crash(project: Project, how: str = "raise") -> TextOutput:
    """Fail by a fault.

    Args:
        how: Where.
    """
    del project
    if how == "raise":
        raise ZeroDivisionError
    return Untold(content="x")


def broken(_messages):
    raise ModelError("The connection broke.")


def faulty(_messages):
    raise RuntimeError("a bug of the model's")


EDIT = call("edit_lines", path="a.ts", start=1, end=1, content="export const a = {}")
CALLS = [
    call("get_lines", path="a.ts"),
    call("get_lines", path="../outside.ts"),
    call("get_lines", path="a.ts", start=99),
    call("no_such_tool"),
    call("crash"),
    call("crash", how="later"),
    call("run_command", command="sudo rm -rf /"),
    *(EDIT.replace("{}", str(number)) for number in range(2)),
]
PIECES = st.sampled_from(["", " \n", "Said.", "<think>Hm.</think>", "<tool_call name='x'>", *CALLS])
REPLIES = st.one_of(
    st.lists(PIECES, max_size=4).map("".join), st.just(broken), st.just(faulty), PIECES
)
REMEDIES = st.sampled_from(["retry", "skip", "abort", "nonsense"])


@pytest.fixture
def open_talking(make_project):
    """Return a function that opens a new session for a model, with a tool that crashes."""
    project = make_project({"a.ts": "export const a = 1\n"})

    def open_it(model):
        limits = {"context": LIMITS}
        assistant = ipuaro_jupyter.start(project, model=model, settings=limits, new=True)
        assistant.tools.replace("tests", [crash])
        return assistant

    return open_it


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    replies=st.lists(REPLIES, max_size=8),
    decisions=st.lists(st.booleans(), max_size=4),
    remedies=st.lists(REMEDIES, max_size=4),
)
def test_every_turn_ends_and_says_why(open_talking, replies, decisions, remedies):
    logging.disable()  # faults are wanted here
    try:
        with open_talking(model := ScriptedModel(replies)) as talking:
            left, said = list(decisions), list(remedies)
            talking.confirm = lambda _: left.pop() if left else False
            talking.on_error = lambda _: said.pop() if said else "abort"
            *_, last = talking.stream("Go on")
            messages = messages_of(talking)
    finally:
        logging.disable(logging.NOTSET)
    assert isinstance(last, TurnFinished)
    answer = last.answer
    assert answer.text or answer.notice
    assert bool(answer.text) if answer.ended == "done" else bool(answer.notice)
    assert len(model.requests) <= 3 * (LIMITS["maxRounds"] + 1)
    check_whole(messages)


def check_whole(messages):
    """Check that each call has one result, behind it and in order, and that the turn has ended."""
    assert messages[0].role == "user"
    assert messages[-1].role == "assistant"
    assert not messages[-1].calls
    waiting = []
    for message in messages:
        if message.role == "tool" and message.call_id:
            assert message.call_id == waiting.pop(0)
        else:
            assert waiting == []
        waiting += [call.id for call in message.calls]
    assert waiting == []


def test_a_turn_that_takes_too_long_ends_in_the_middle_of_a_reply(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    slow = ScriptedModel(["".join(f"word {number} " for number in range(1500))], delay_s=0.02)
    assistant = open_assistant(project, slow, settings={"context": {"turnTimeoutS": 2.5}})
    answer = assistant.ask("Talk")
    assert answer.ended == "limit"
    assert "longer than 2.5 s" in answer.notice
    assert answer.text.startswith("word")
    check_whole(messages_of(assistant))


def test_a_turn_that_takes_too_long_ends_in_the_middle_of_a_tool(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    replies = [call("run_command", command="sleep 60"), "Never said."]
    settings = {"context": {"turnTimeoutS": 1.0}}
    assistant = open_assistant(project, replies, confirm=lambda _: True, settings=settings)
    answer = assistant.ask("Sleep")
    assert answer.ended == "limit"
    assert answer.duration_ms < 30_000
    check_whole(messages_of(assistant))


@pytest.mark.parametrize(("calls", "text"), [(CALLS[0], ""), ("", "I run it.")])
def test_what_was_said_before_a_call_that_is_stopped_is_in_the_answer(
    open_assistant, make_project, calls, text
):
    """A call that has ended has what was said before it."""
    project = make_project({"a.ts": "export const a = 1\n"})
    cancel = CancelToken()
    reply = f"I run it. {calls}{call('run_command', command='sleep 60')}"

    def stop(_proposal):
        cancel.cancel()
        return True

    assistant = open_assistant(project, [reply, "Never said."], confirm=stop)
    answer = assistant.ask("Sleep", cancel)
    assert answer.ended == "stopped"
    assert answer.text == text
    *ended, stopped = answer.tool_calls
    assert [c.said.strip() for c in ended] == ([] if text else ["I run it."])
    assert (stopped.call.name, stopped.result.error.type) == ("run_command", "cancelled")
    messages = messages_of(assistant)
    check_whole(messages)
    assert sum("I run it." in m.content for m in messages) == 1


def test_the_time_that_the_user_takes_does_not_count(open_assistant, make_project):

    project = make_project({"a.ts": "export const a = 1\n"})
    replies = [EDIT, "Done."]

    def think(_proposal):
        time.sleep(4.3)
        return True

    settings = {"context": {"turnTimeoutS": 4.0}}
    assistant = open_assistant(project, replies, confirm=think, settings=settings)
    assert assistant.ask("Edit").text == "Done."


def test_a_fault_ends_the_turn_and_is_raised_where_nobody_reads_events(
    open_assistant, make_project, caplog
):
    project = make_project({"a.ts": "export const a = 1\n"})
    assistant = open_assistant(project, [faulty, faulty, "Here."])
    with pytest.raises(RuntimeError, match="a bug of the model's"):
        assistant.ask("Go on")
    assert "Traceback" in caplog.text
    *_, last = assistant.stream("Go on")
    assert last.answer.ended == "error"
    assert "RuntimeError" in last.answer.notice
    assert assistant.ask("Still there?").text == "Here."


@pytest.mark.parametrize("reply", ["", "  \n", "<think>Hm.</think>"])
def test_an_empty_reply_is_told_to_the_model_and_then_to_the_user(
    open_assistant, make_project, reply
):
    project = make_project({"a.ts": "export const a = 1\n"})
    model = ScriptedModel([reply, "Now.", *[reply] * 9])
    assistant = open_assistant(project, model)
    assert assistant.ask("Hello").text == "Now."
    assert "empty" in model.requests[1].messages[-1].content
    answer = assistant.ask("Hello")
    assert answer.ended == "limit"
    assert "empty" in answer.notice


def test_alternating_calls_end_the_turn(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n", "b.ts": "export const b = 1\n"})
    replies = [call("get_lines", path="a.ts"), call("get_lines", path="b.ts")] * 9
    answer = open_assistant(project, replies).ask("Loop")
    assert answer.ended == "limit"
    assert len(answer.tool_calls) == 6


def test_edits_to_and_fro_end_the_turn(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 0\n"})
    replies = [EDIT.replace("{}", "1"), EDIT.replace("{}", "0")] * 9
    assistant = open_assistant(project, replies, auto_apply=True)
    assistant.call("get_lines", {"path": "a.ts"}, by_user=False)
    answer = assistant.ask("Loop")
    assert answer.ended == "limit"
    assert len(answer.edits) == 6


def cut_off(*pieces):
    return [*(Chunk(text=piece) for piece in pieces), Chunk(cut_off=True)]


def test_a_reply_that_was_cut_off_goes_on(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    model = ScriptedModel([cut_off("One, two, "), cut_off("three, "), "four.", "Next."])
    assistant = open_assistant(project, model)
    answer = assistant.ask("Count")
    assert answer.text == "One, two, three, four."
    assert answer.ended == "done"
    assert "cut off" in model.requests[1].messages[-1].content
    assert model.requests[1].messages[-2].content == "One, two,"
    (shown,) = assistant.transcript().turns
    assert shown.text == answer.text
    assert assistant.ask("And now?").text == "Next."


def test_what_was_cut_off_before_a_call_is_shown_with_it(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    replies = [cut_off("I re"), f"ad it.\n{CALLS[0]}", "<tool_call name='x'>", "It is 1."]
    assistant = open_assistant(project, replies)
    answer = assistant.ask("Read")
    (shown,) = assistant.transcript().turns
    assert (
        [c.said for c in shown.tool_calls] == [c.said for c in answer.tool_calls] == ["I read it."]
    )
    assert shown.text == answer.text == "It is 1."


def test_a_reply_that_is_always_cut_off_ends_with_what_there_is(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    settings = {"context": {"maxRepairs": 2}}
    answer = open_assistant(project, [cut_off("word ")] * 9, settings=settings).ask("Count")
    assert answer.text == "word word word"
    assert answer.ended == "limit"
    assert "too long" in answer.notice


def test_a_call_that_was_cut_off_goes_back_as_an_error(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    begun = "I write it.\n<tool_call name='create_file'><path>b.ts</path><content>export"
    model = ScriptedModel([cut_off(begun), "Smaller then."])
    answer = open_assistant(project, model, auto_apply=True).ask("Write")
    assert answer.text == "Smaller then."
    told = [m.content for m in model.requests[1].messages if m.role == "tool"]
    assert "Error (parse)" in told[0]
    assert "Make smaller calls" in told[1]
    assert not (project / "b.ts").exists()


def test_whole_calls_of_a_reply_that_was_cut_off_are_run(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    reply = cut_off(call("get_lines", path="a.ts"), "<tool_call name='get_lines'><path>")
    answer = open_assistant(project, [reply, "Read."]).ask("Read")
    assert answer.text == "Read."
    assert [c.result.success for c in answer.tool_calls] == [True]


def test_thoughts_alone_are_no_answer(open_assistant, make_project):
    project = make_project({"a.ts": "export const a = 1\n"})
    model = ScriptedModel([[Chunk(thinking="Hm.")], "Now."])
    assert open_assistant(project, model).ask("Hello").text == "Now."
    assert "thoughts only" in model.requests[1].messages[-1].content
