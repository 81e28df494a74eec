"""Generated conversations, and what makes one whole."""

from functools import cache

from hypothesis import strategies as st

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.chat import Message, ToolCall, Usage

NASTY = ["", "\n", "%%ask\n%ls", "  x\n\n", "\r\nb\x0b\x85\u2028", "</style><script>", "\U0001f600"]


@cache  # a strategy is costly to make
def texts():
    return st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@cache
def json_values():
    scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts()
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
        max_leaves=6,
    )


@cache
def times():
    return st.floats(0, 4e9, allow_nan=False)


@cache
def decisions():
    return st.builds(
        Decision,
        action=st.sampled_from(["apply", "reject"]),
        reason=texts(),
        text=st.none() | texts(),
        remember=st.booleans(),
        by=st.sampled_from(["user", "setting", "nobody"]),
    )


@cache
def usages():
    counts = st.integers(0, 10**6)
    return st.none() | st.builds(
        Usage,
        prompt_tokens=counts,
        completion_tokens=counts,
        duration_ms=counts,
        estimated=st.booleans(),
    )


@st.composite
def replies_with_calls(draw, place):
    """A reply that calls tools, and the results."""
    count = draw(st.integers(1, 3))
    calls = [
        ToolCall(
            id=f"{place}.{number}",
            name=draw(st.sampled_from(["get_lines", "edit_lines", "no_such_tool"])),
            arguments=draw(st.dictionaries(texts(), json_values(), max_size=3)),
        )
        for number in range(count)
    ]
    said = [
        Message(
            role="assistant",
            content=draw(texts()),
            raw=draw(texts()),
            calls=tuple(calls),
            usage=draw(usages()),
            at=draw(times()),
        )
    ]
    for call in calls:
        result = {"success": True, "output": draw(json_values())}
        said.append(
            Message(
                role="tool",
                content=draw(texts()),
                call_id=call.id,
                tool=call.name,
                result=result,
                interrupted=draw(st.booleans()),
                decisions=tuple(draw(st.lists(decisions(), max_size=2))),
                at=draw(times()),
            )
        )
    return said


@st.composite
def histories(draw, *, most_turns=4):
    """Return a whole history, as turns leave it in a session."""
    messages = []
    for _ in range(draw(st.integers(0, most_turns))):
        messages.append(Message(role="user", content=draw(texts()), at=draw(times())))
        for _ in range(draw(st.integers(0, 3))):
            match draw(st.sampled_from(["calls", "repair", "summary"])):
                case "calls":
                    messages += draw(replies_with_calls(len(messages)))
                case "repair":
                    messages.append(Message(role="assistant", content=draw(texts()), raw="<to"))
                    messages.append(Message(role="tool", content="Error (parse): so"))
                case "summary":
                    covers = draw(st.integers(0, len(messages)))
                    messages.append(Message(role="system", content=draw(texts()), covers=covers))
        messages.append(
            Message(
                role="assistant",
                content=draw(texts()),
                raw=draw(texts()),
                usage=draw(usages()),
                interrupted=draw(st.booleans()),
                at=draw(times()),
            )
        )
    return messages


def ask(text):
    return Message(role="user", content=text)


def answer(text, *calls):
    return Message(role="assistant", content=text, calls=calls)


def check_whole(messages):
    """Assert that every turn ends, and every call has its result, right behind it, in order."""
    expected = []
    previous = Message(role="assistant", content="")
    for message in messages:
        if message.role == "system":
            continue
        if message.role == "tool" and message.call_id:
            assert expected, f"a result without its call: {message}"
            assert message.call_id == expected.pop(0)
        else:
            assert not expected, f"calls without a result: {expected}"
        if message.role == "user":
            assert previous.role == "assistant"
            assert not previous.calls
        expected += [call.id for call in message.calls]
        previous = message
    assert not expected
    assert previous.role == "assistant"
    assert not previous.calls
