"""What comes of a model's reply while it streams, and at its end."""

import pytest

from ipuaro_jupyter.agent.reply import Reply, read_reply
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk, PromptRead
from ipuaro_jupyter.records.chat import ToolCall, Usage
from ipuaro_jupyter.records.events import PhaseChanged, PromptSent, TextAdded
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
STATUS = '<tool_call name="git_status"></tool_call>'
NATIVE = ToolCall(name="get_lines", arguments={"path": "a.ts"})


def reading(reply, *chunks, **options):
    """Read a reply of these chunks or texts."""
    sent = (Chunk(text=chunk) if isinstance(chunk, str) else chunk for chunk in chunks)
    schemas = tuple(tool.schema for tool in TOOLS)
    return read_reply(sent, reply, schemas=schemas, aliases=TOOLS.aliases, **options)


def read(*chunks, **options):
    """Return the whole reply and its events."""
    reply = Reply()
    return reply, list(reading(reply, *chunks, **options))


def phases(events):
    return [(e.phase, e.detail) for e in events if isinstance(e, PhaseChanged)]


def named(calls):
    return [(call.name, call.id) for call in calls]


def test_text_and_calls_are_taken_apart():
    reply, events = read("I look.\n", LINES[:20], LINES[20:], "\nSo.")
    assert "".join(e.text for e in events if isinstance(e, TextAdded)).split() == [
        "I",
        "look.",
        "So.",
    ]
    assert reply.text == "I look.\n\nSo."
    assert reply.raw == f"I look.\n{LINES}\nSo."
    assert reply.calls == [NATIVE]
    assert reply.errors == []


def test_each_phase_is_told_once_with_the_tool_whose_call_is_written():
    _, events = read(
        Chunk(phase="waiting"),
        Chunk(phase="loading"),
        Chunk(phase="generating"),
        Chunk(thinking="hm"),
        Chunk(thinking=" so"),
        "I ",
        "look.",
        LINES[:30],
        LINES[30:],
        STATUS,
        "So.",
    )
    assert phases(events) == [
        ("waiting", "another model on this machine"),
        ("loading", ""),
        ("thinking", ""),
        ("writing", ""),
        ("writing", "get_lines"),
        ("writing", "git_status"),
        ("writing", ""),
    ]


def test_thinking_in_the_text_is_a_phase_too():
    reply, events = read("<think>", "hm", "</think>", "Yes.")
    assert phases(events) == [("thinking", ""), ("writing", "")]
    assert reply.text == "Yes."
    assert reply.thought


def test_a_call_that_is_kept_back_is_being_written():
    _, events = read('{"name": "get_lines", ', '"arguments": {"path": "a/path/that/is/long.ts"}}')
    assert phases(events) == [("thinking", ""), ("writing", "")]


@pytest.mark.parametrize(
    ("chunk", "thought"),
    [(Chunk(thinking="hm"), True), (Chunk(thinking=" \n"), False), ("a", False)],
)
def test_whether_there_were_thoughts_is_known(chunk, thought):
    assert read(chunk)[0].thought is thought


def test_a_call_is_there_before_the_reply_goes_on():
    reply = Reply()
    events = reading(reply, LINES, STATUS, "So.", ids="4.")
    assert next(events) == PhaseChanged(phase="thinking")
    assert next(events).detail == "get_lines"
    assert next(events).detail == "git_status"
    assert named(reply.calls) == [("get_lines", "4.1")]
    assert next(events) == PhaseChanged(phase="writing")
    assert named(reply.calls) == [("get_lines", "4.1"), ("git_status", "4.2")]


def test_native_calls_and_those_in_the_text_come_in_their_order():
    status = Chunk(calls=(ToolCall(name="GIT_Status", arguments={}),))
    own = Chunk(calls=(ToolCall(name="get_todos", arguments={}, id="own"),))
    reply, _ = read(STATUS.replace("git_status", "git_diff"), status, LINES, own, ids="7.")
    assert named(reply.calls) == [
        ("git_diff", "7.1"),
        ("git_status", "7.n1"),
        ("get_lines", "7.2"),
        ("get_todos", "own"),
    ]


@pytest.mark.parametrize(
    "said", [LINES, '{"name": "get_lines", "arguments": {"path": "a.ts"}}', f"Now {LINES}"]
)
@pytest.mark.parametrize("first", [True, False])
def test_a_native_call_that_is_written_too_is_one_call(said, first):
    chunks = [Chunk(calls=(NATIVE,)), said]
    reply, _ = read(*(chunks if first else reversed(chunks)), ids="")
    assert named(reply.calls) == [("get_lines", "n1")]


def test_a_call_that_is_written_twice_is_two_calls():
    assert read(LINES, LINES)[0].calls == [NATIVE, NATIVE]


def test_what_was_thought_is_taken_back():
    reply, _ = read(f"I could {LINES} or {STATUS} or <tool_call>x</tool_call>", "</think>", LINES)
    assert reply.text == ""
    assert reply.calls == [NATIVE]
    assert reply.errors == []


def test_unknown_tools_are_calls_that_the_tools_answer():
    reply, _ = read('<tool_call name="edit_file"><old>a</old></tool_call>')
    assert [(call.name, call.arguments) for call in reply.calls] == [("edit_file", {"old": "a"})]


def test_what_cannot_be_read_is_an_error():
    reply, _ = read('I look. <tool_call name="get_lines"><path>a.ts')
    assert (reply.text, reply.calls) == ("I look.", [])
    assert len(reply.errors) == 1
    assert "cut off" in reply.errors[0]


@pytest.mark.parametrize("sent", [LINES, f"{STATUS} {LINES}", Chunk(calls=(NATIVE,))])
def test_a_call_of_a_reply_without_room_is_not_made_though_it_can_be_read(sent):
    reply, _ = read(sent, Chunk(cut_off=True))
    assert NATIVE not in reply.calls
    assert "get_lines was cut off" in reply.errors[0]
    assert NATIVE in read(sent)[0].calls


@pytest.mark.parametrize("rest", ["Now I", STATUS, '<tool_call name="git_diff"><path>'])
def test_a_call_with_something_behind_it_was_not_cut_off(rest):
    assert NATIVE in read(LINES, rest, Chunk(cut_off=True))[0].calls


def test_a_reply_without_room_is_cut_off():
    usage = Usage(prompt_tokens=30_000, completion_tokens=2768)
    reply, _ = read("Half an", Chunk(text=" ans", usage=usage, cut_off=True))
    assert reply.cut_off
    assert reply.usage == usage
    assert not read("Done.")[0].cut_off


def test_what_came_before_an_error_is_kept():
    def broken():
        yield Chunk(text=f"I look. {LINES} And ")
        raise ModelError("broke off")

    reply = Reply()
    events = read_reply(
        broken(), reply, schemas=tuple(tool.schema for tool in TOOLS), aliases=TOOLS.aliases
    )
    with pytest.raises(ModelError):
        list(events)
    assert reply.text.startswith("I look. ")
    assert reply.calls == [NATIVE]


def test_half_a_surrogate_pair_becomes_a_question_mark():
    call = ToolCall(name="get_lines", arguments={"path": "\ud800", "more": [{"\udc00": "a"}]})
    reply, _ = read(
        "a\ud800b", Chunk(calls=(call,)), '{"name": "cat", "arguments"', ': {"path": 1}}'
    )
    assert reply.raw.startswith("a?b")
    assert reply.calls[0].arguments == {"path": "?", "more": [{"?": "a"}]}
    escaped, _ = read('<tool_call>{"name": "cat", "arguments": {"path": "\\ud800"}}</tool_call>')
    assert escaped.calls[0].arguments == {"path": "?"}


def test_an_invented_result_ends_the_reply_and_the_request():
    sent = []

    def chunks():
        for text in ("I look.\n", LINES, "\n<tool_result>\n1 con", "st a</tool_result>\nSo."):
            sent.append(text)
            yield Chunk(text=text)

    reply = Reply()
    schemas = tuple(tool.schema for tool in TOOLS)
    events = list(read_reply(chunks(), reply, schemas=schemas, aliases=TOOLS.aliases))
    assert reply.calls == [NATIVE]
    assert (reply.text, reply.raw) == ("I look.", f"I look.\n{LINES}\n")
    assert "".join(e.text for e in events if isinstance(e, TextAdded)).strip() == "I look."
    assert len(sent) == 3


def test_a_result_that_is_invented_behind_a_native_call_is_cut_off():
    reply, _ = read(Chunk(calls=(NATIVE,)), "Observation: 1", " const a")
    assert (reply.text, reply.raw, reply.calls) == ("", "", [NATIVE])


def test_an_edit_in_the_text_is_an_error():
    diff = "```diff\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n```"
    reply, _ = read(diff)
    assert reply.raw == diff
    assert "call edit_lines" in reply.errors[0]
    assert read(f"{diff}{LINES}")[0].errors == []


def test_json_data_is_an_answer_but_in_the_form_of_a_call():
    assert read('The manifest: {"name": "yard", "arguments": {}}')[0].calls == []
    assert read('{"name": "yard", "version": 1}')[0].text == '{"name": "yard", "version": 1}'
    (call,) = read('```json\n{"name": "open_editor", "arguments": {"file": "a"}}\n```')[0].calls
    assert call.name == "open_editor"


def test_words_that_were_held_back_are_told_when_the_model_breaks_off():
    def chunks():
        yield Chunk(text="It calls the ta")
        raise ModelError("gone")

    reply = Reply()
    with pytest.raises(ModelError):
        list(read_reply(chunks(), reply, schemas=(), aliases={}))
    assert reply.text == "It calls the ta"


def test_how_far_the_prompt_is_read_is_told_with_the_time_that_is_left():
    steps = [PromptRead(tokens=n, of=1500, seconds=n / 100) for n in (0, 500, 1000, 1500)]
    _, events = read(*(Chunk(read=one) for one in steps), "Hi.")
    assert [event for event in events if isinstance(event, PromptSent)] == [
        PromptSent(tokens=1500, read=500, seconds=10.0),
        PromptSent(tokens=1500, read=1000, seconds=5.0),
    ]


def test_joints_of_control_tokens_are_taken_out_of_a_reply():
    """Requests have them in, so that a file's mark ends no turn."""
    joint = "\u2060"
    end, own = f"<{joint}|eot_id|>", f"<{joint}{joint}|eot_id|>"
    call = f'<tool_call name="create_file"><path>a</path><content>{end}</content></tool_call>'
    native = ToolCall(name="create_file", arguments={"path": "b", "content": f"{end}{own}"})
    text = f"It is {end}, and {own}."
    chunks = [*text, call, Chunk(calls=(native,)), Chunk(thinking=end)]
    reply, events = read(*chunks)
    assert reply.text == "It is <|eot_id|>, and <\u2060|eot_id|>."
    assert "".join(e.text for e in events if isinstance(e, TextAdded)) == reply.text
    written = [each.arguments["content"] for each in reply.calls]
    assert sorted(written) == sorted(["<|eot_id|>", f"<|eot_id|>{end}"])
    assert joint not in reply.thinking
    assert reply.raw.startswith(reply.text)
