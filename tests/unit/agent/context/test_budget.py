import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.context.budget import brief_call, cut, stub, with_short_calls
from ipuaro_jupyter.agent.context.tokens import count_tokens, message_tokens, messages_tokens
from ipuaro_jupyter.agent.context.truncation import truncate_turn
from ipuaro_jupyter.records.chat import Message, ToolCall

LOOK = ToolCall(id="c1", name="get_lines", arguments={"path": "a.ts", "start": 2})


def result(text, *, tool="get_lines", success=True):
    told = {"success": success}
    return Message(role="tool", content=text, call_id="c1", tool=tool, result=told)


def test_a_stub_says_what_it_was_and_how_to_get_it_again():
    short = stub(result("one\n" * 300), LOOK, repeatable={"get_lines"})
    assert 'get_lines(path="a.ts", start=2), 301 line(s), 1200 characters' in short.content
    assert "Call it again" in short.content
    assert short.call_id == "c1"


def test_the_stub_of_a_change_keeps_its_first_line_and_offers_no_repetition():
    edit = ToolCall(id="c1", name="edit_lines", arguments={"path": "a.ts"})
    told = "Edited a.ts: 1 line(s) removed, 2 added.\n" + "  1\tx\n" * 100
    short = stub(result(told, tool="edit_lines"), edit, repeatable={"get_lines"})
    assert short.content.startswith("Edited a.ts: 1 line(s) removed, 2 added.")
    assert "100 more line(s) left out" not in short.content.split("\n")[0]
    assert "again" not in short.content


def test_an_error_and_what_is_short_stay_as_they_are():
    error = result("Error (file): There is no b.ts.", success=False)
    assert stub(error, LOOK, repeatable={"get_lines"}) == error
    assert stub(result("ok"), LOOK, repeatable={"get_lines"}) == result("ok")


def test_long_arguments_lose_their_middle_and_the_call_stays():
    create = ToolCall(id="c1", name="create_file", arguments={"path": "a", "content": "x y " * 999})
    short = with_short_calls(Message(role="assistant", content="So:", calls=(create,)))
    assert short.calls[0].id == "c1"
    assert short.calls[0].arguments["path"] == "a"
    assert "characters left out" in short.calls[0].arguments["content"]
    assert len(brief_call(create)) < 200


@given(
    question=st.integers(0, 3000),
    head=st.integers(0, 2000),
    sizes=st.lists(st.integers(0, 6000), max_size=8),
    limit=st.integers(600, 4000),
)
def test_a_turn_is_cut_to_its_limit_and_pairs_stay_whole(question, head, sizes, limit):
    calls = tuple(
        ToolCall(id=f"c{n}", name="get_lines", arguments={"path": f"{n}.ts"})
        for n in range(len(sizes))
    )
    messages = [
        Message(role="user", content="head " * head),
        Message(role="user", content="ask " * question),
        Message(role="assistant", content="", calls=calls),
        *(
            Message(role="tool", content="line\n" * size, call_id=f"c{n}", tool="get_lines")
            for n, size in enumerate(sizes)
        ),
    ]
    short, was_cut = truncate_turn(messages, limit)
    assert messages_tokens(short) <= max(limit, 8 + 64 + 8)
    made = [call.id for message in short for call in message.calls]
    assert made == [message.call_id for message in short if message.call_id]
    assert bool(was_cut) == (short[1].content != messages[1].content)
    if messages_tokens(messages) <= limit:
        assert short == messages


@given(st.text(max_size=2000), st.integers(30, 500))
def test_what_is_cut_keeps_both_ends(text, tokens):
    short = cut(Message(role="tool", content=text), tokens)
    assert message_tokens(short) <= max(tokens, 60)
    if short.content != text:
        head, _, tail = short.content.partition("\n[… ")
        assert text.startswith(head)
        assert text.endswith(tail.partition("…]\n")[2])


def test_only_results_become_stubs():
    asked = Message(role="user", content="x" * 1000)
    assert stub(asked, LOOK, repeatable={"get_lines"}) is asked


@pytest.mark.parametrize(("length", "kept"), [(160, "x" * 160), (161, "x" * 160 + "\u2026")])
def test_a_result_without_its_call_keeps_its_first_line(length, kept):
    short = stub(result("x" * length + "\nmore"), None, repeatable={"get_lines"})
    assert short.content == kept
    assert short.result is None


def test_a_failed_call_keeps_its_first_line_although_it_may_be_repeated():
    told = "Error (file): no.\n" + "why\n" * 50
    short = stub(result(told, success=False), LOOK, repeatable={"get_lines"})
    assert short.content == "Error (file): no.\n[51 more line(s) left out to save room]"


def test_a_stub_is_never_longer_than_what_it_stands_for():
    edit = ToolCall(id="c1", name="edit_lines", arguments={})
    told = "x\n[1 more line(s) left out to save room]"
    message = result("x\n" + "y" * (len(told) - 2), tool="edit_lines")
    assert stub(message, edit, repeatable=()) is message
    longer = result("x\n" + "y" * (len(told) - 1), tool="edit_lines")
    assert stub(longer, edit, repeatable=()).content == told


def test_a_call_in_one_line_has_short_arguments():
    call = ToolCall(id="c", name="f", arguments={"a": "\u00e9" * 58, "b": "x" * 59, "c": None})
    expected = f'f(a="{chr(0xE9) * 58}", b="{"x" * 59}\u2026, c=null)'
    assert brief_call(call) == expected


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(name="y" * 20_000, arguments={}),
        ToolCall(name="f", arguments={"y" * 20_000: 1}),
        ToolCall(name="f", arguments={"edits": [{"text": "y" * 20_000, "line": 1}]}),
    ],
)
def test_long_texts_anywhere_in_the_newest_call_are_shortened(call):
    messages = [
        Message(role="user", content="Go."),
        Message(role="assistant", content="", calls=(call,)),
    ]
    short, _ = truncate_turn(messages, 1000)
    assert messages_tokens(short) < 200
    assert len(short[-1].calls) == 1


def test_arguments_that_are_not_long_stay_whole():
    call = ToolCall(id="c", name="f", arguments={"a": "x " * 200, "b": ["y" * 500]})
    message = Message(role="assistant", content="", calls=(call,))
    assert with_short_calls(message) is message
    longer = call.model_copy(update={"arguments": {**call.arguments, "c": "x " * 200 + "x"}})
    short = with_short_calls(message.model_copy(update={"calls": (longer,)})).calls[0].arguments
    assert (short["a"], short["b"]) == (call.arguments["a"], call.arguments["b"])
    assert "characters left out" in short["c"]
    assert count_tokens(short["c"]) <= 60


def test_the_users_message_is_told_with_its_size_when_it_was_cut():
    asked = Message(role="user", content="ask " * 4000)
    head = Message(role="user", content="Earlier: " + "fact\n" * 100)
    short, size = truncate_turn([head, asked], 1000, has_head=True)
    assert size == message_tokens(asked)
    assert short[0] == head, "the head is the last to lose"
    assert messages_tokens(short) <= 1000
    assert truncate_turn([asked], messages_tokens([asked])) == ([asked], 0.0)


def test_calls_go_one_by_one_with_their_results_when_nothing_else_helps():
    calls = tuple(ToolCall(id=f"c{n}", name="get_lines", arguments={}) for n in range(6))
    results = [Message(role="tool", content="ok", call_id=call.id) for call in calls]
    asked = Message(role="user", content="go")
    messages = [asked, Message(role="assistant", content="", calls=calls), *results]
    limit = messages_tokens(messages) - 1
    short, _ = truncate_turn(messages, limit)
    assert [call.id for call in short[1].calls] == ["c1", "c2", "c3", "c4", "c5"]
    assert [message.call_id for message in short[2:]] == ["c1", "c2", "c3", "c4", "c5"]
    last, _ = truncate_turn(messages, 20)
    assert [call.id for call in last[1].calls] == ["c5"], "the newest stays"
