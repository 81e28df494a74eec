"""A replayed turn beside the recorded one."""

from ipuaro_jupyter.records.chat import Attachment, Message, ToolCall
from ipuaro_jupyter.replay.comparison import attachments, compared, ending

ASK = Message(role="user", content="go")
DONE = Message(role="assistant", content="done")
STOPPED = Message(role="assistant", content="[Stopped.]", interrupted=True)


def turn(*results, end=DONE):
    """A turn with one call for each result: a value, or None for one that was broken off."""
    calls = tuple(ToolCall(id=f"{n}", name="grep", arguments={"n": n}) for n in range(len(results)))
    said = [
        Message(
            role="tool",
            content="",
            call_id=f"{n}",
            tool="grep",
            interrupted=result is None,
            result={"success": True, "output": result},
        )
        for n, result in enumerate(results)
    ]
    replies = [Message(role="assistant", content="", calls=calls)] if calls else []
    return [ASK, *replies, *said, end]


def outcomes(recorded, replayed):
    return [(one.number, one.outcome) for one in compared(3, recorded, replayed, roots=())]


def test_the_same_results_are_the_same():
    assert outcomes(turn("a", {"x": [1]}), turn("a", {"x": [1]})) == [(1, "same"), (2, "same")]
    assert outcomes(turn(), turn()) == []


def asked(*attached):
    return [ASK.model_copy(update={"attached": attached}), DONE]


def differing(then, now):
    return list(attachments(1, asked(*then), asked(*now), roots=("/then", "/now")))


def test_what_is_attached_is_compared_but_for_what_varies():
    one = Attachment(mention="@a.ts", title="a.ts", text="in /then/a.ts")
    assert differing([one], [one.model_copy(update={"text": "in /now/a.ts"})]) == []
    part = one.model_copy(update={"title": "a.ts, in part", "text": "in"})
    assert differing([part], [one]) == []
    kernel = [Attachment(mention=name, title=name) for name in ("@error", "@cell:3")]
    assert differing(kernel, []) == []
    assert differing([one], []) == ["Message 1, @a.ts: Attached: a.ts. Now: nothing."]
    assert list(attachments(1, asked(one), [], roots=())) == []


def test_another_result_differs_and_both_are_told():
    recorded = turn({"b": 2, "a": "one\ntwo", "list": [{"p": 1}, {"p": 2}], "none": []})
    (one,) = compared(3, recorded, turn({"b": 3}), roots=())
    assert (one.turn, one.number, one.outcome) == (3, 1, "differs")
    assert one.recorded == (
        "output:\n  a:\n    one\n    two\n  b: 2\n  list:\n    -\n      p: 1\n    -\n      p: 2\n"
        "  none: []\nsuccess: true\n"
    )
    assert one.replayed == "output:\n  b: 3\nsuccess: true\n"


def test_the_order_of_fields_does_not_count_that_of_lists_does():
    assert outcomes(turn({"a": 1, "b": 2}), turn({"b": 2, "a": 1})) == [(1, "same")]
    assert outcomes(turn([1, 2]), turn([2, 1])) == [(1, "differs")]


def test_calls_that_only_one_side_has_count():
    assert outcomes(turn("a", "b"), turn("a")) == [(1, "same"), (2, "missing")]
    assert outcomes(turn("a"), turn("a", "b")) == [(1, "same"), (2, "added")]
    assert outcomes(turn("a"), []) == [(1, "missing")]


def test_another_call_differs_though_its_result_is_the_same():
    other = turn("a")
    call = ToolCall(id="0", name="glob", arguments={"n": 0})
    other[1] = other[1].model_copy(update={"calls": (call,)})
    (one,) = compared(1, turn("a"), other, roots=())
    assert one.outcome == "differs"
    assert one.recorded.startswith("grep:")
    assert one.replayed.startswith("glob:")


def test_what_was_broken_off_is_not_compared():
    recorded = turn("a", None, None, end=STOPPED)
    assert outcomes(recorded, turn("a", "late", end=STOPPED)) == [
        (1, "same"),
        (2, "not compared"),
        (3, "not compared"),
    ]
    assert outcomes(recorded, turn(None, None, end=STOPPED))[0] == (1, "not compared")
    assert outcomes(turn("a"), turn(None, end=STOPPED)) == [(1, "differs")]


def test_endings():
    assert ending(2, turn("a"), turn("b")) is None
    assert ending(2, turn("a", end=STOPPED), turn("b", end=STOPPED)) is None
    assert ending(2, turn("a"), turn("b", end=STOPPED)) == (
        "Message 2 was answered, now it was broken off: [Stopped.]"
    )
    assert ending(2, turn(end=STOPPED), turn()) == "Message 2 was broken off, now it is answered."
    assert "could not be sent" in ending(2, turn(), [])
