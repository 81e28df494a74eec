from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.budget import estimate, fit, shorten
from ipuaro_jupyter.records.chat import Message, ToolCall


def turn(number, result):
    ask = Message(role="user", content=f"question {number}")
    look = ToolCall(id=f"c{number}", name="get_lines", arguments={"path": "a.ts"})
    return [
        ask,
        Message(role="assistant", content="", calls=(look,)),
        Message(role="tool", content=result, call_id=look.id, tool="get_lines"),
        Message(role="assistant", content=f"answer {number}"),
    ]


def test_what_fits_is_not_touched():
    messages = turn(1, "short")
    assert fit(messages, 10_000) == messages


def test_old_results_become_stubs_before_anything_is_left_out():
    messages = [*turn(1, "x" * 5000), *turn(2, "y" * 500)]
    fitted = fit(messages, 600)
    assert "left out" in fitted[2].content
    assert fitted[6].content == "y" * 500
    assert len(fitted) == len(messages)


def test_the_oldest_turns_go_whole():
    messages = [message for number in range(20) for message in turn(number, "z" * 150)]
    fitted = fit(messages, 400)
    assert fitted[0].role == "user"
    assert fitted[-1].content == "answer 19"
    assert len(fitted) % 4 == 0


@given(
    sizes=st.lists(st.integers(0, 20_000), min_size=1, max_size=12),
    limit=st.integers(300, 5_000),
)
def test_everything_fits_and_no_call_loses_its_result(sizes, limit):
    messages = [m for number, size in enumerate(sizes) for m in turn(number, "r" * size)]
    fitted = fit(messages, limit)
    assert estimate(fitted) <= limit
    assert [c.id for m in fitted for c in m.calls] == [m.call_id for m in fitted if m.call_id]
    assert fitted[-1].content == messages[-1].content


@given(st.text(max_size=500), st.integers(3, 400))
def test_shorten_keeps_both_ends(text, chars):
    short = shorten(text, chars)
    if len(text) <= chars:
        assert short == text
    else:
        assert short.startswith(text[: chars // 2])
        assert "characters left out" in short
