from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.budget import brief_call, cut, stub, with_short_calls
from ipuaro_jupyter.agent.cutting import cut_turn
from ipuaro_jupyter.agent.tokens import message_tokens, messages_tokens
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
    short, was_cut = cut_turn(messages, limit)
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
