import pytest

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall, Usage
from ipuaro_jupyter.records.outputs import Plain, TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.views import answer


def called(name="get_lines", error=None, **arguments):
    failure = error and ToolFailure(type=error, message="it broke")
    output = None if error else TextOutput(content="seen", shown=Plain(text="seen"))
    return CalledTool(
        call=ToolCall(name=name, arguments=arguments),
        result=ToolResult(tool=name, output=output, error=failure, duration_ms=12),
    )


def test_the_record_says_calls_changes_text_time_and_tokens():
    turn = Answer(
        question="q",
        text="It is **done**.",
        tool_calls=(called(path="a.ts"),),
        edits=(Change(path="a.ts", before=b"1\n", after=b"2\n"),),
        usage=Usage(prompt_tokens=1204, completion_tokens=80),
        duration_ms=2500,
    )
    html, text = answer.html(turn), answer.text(turn)
    assert "<strong>done</strong>" in html
    for said in ('get_lines(path="a.ts")', "Edited a.ts"):
        assert said in text
        assert said.replace('"', "&quot;") in html
    told = (
        "Done",
        "1 tool call",
        "1 file changed (+1 \u22121)",
        "2.5 s",
        "1,204 tokens read, 80 written",
    )
    ending = " \u00b7 ".join(told)
    assert ending in text
    assert ending in html


@pytest.mark.parametrize(
    ("ended", "said"),
    [("stopped", "Stopped"), ("limit", "Ended by a limit"), ("error", "Ended by an error")],
)
def test_the_ending_is_a_word_not_a_colour(ended, said):
    turn = Answer(question="q", ended=ended, notice="Because.")
    assert said in answer.text(turn)
    assert said in answer.html(turn)


def test_a_notice_is_shown_once():
    assert (
        answer.html(Answer(question="q", ended="limit", notice="Because.")).count("Because.") == 1
    )
    assert "Stopped." not in answer.html(Answer(question="q", ended="stopped", notice="Stopped."))


def test_many_calls_are_folded_into_one_line_that_says_what_failed():
    turn = Answer(question="q", tool_calls=(*[called() for _ in range(4)], called("grep", "file")))
    html = answer.html(turn)
    assert "<summary>5 tool calls (1 not done): get_lines, grep</summary>" in html


def test_a_failed_call_says_why_without_being_opened():
    html = answer.html(Answer(question="q", tool_calls=(called(error="file"),)))
    assert html.index("it broke") < html.index("</summary>")


def test_created_and_deleted_files_are_named():
    turn = Answer(
        question="q",
        edits=(
            Change(path="new.ts", before=None, after=b"x\n"),
            Change(path="old.ts", before=b"x\n", after=None),
        ),
    )
    assert "Created new.ts" in answer.text(turn)
    assert "Deleted old.ts" in answer.html(turn)


def test_what_was_applied_stands_under_its_call():
    one = called().model_copy(update={"decided": ("Applied 1 of 2 changes: <b>",)})
    turn = Answer(question="q", tool_calls=(one,))
    assert "\n  Applied 1 of 2 changes: <b>" in answer.text(turn)
    assert "Applied 1 of 2 changes: &lt;b&gt;</div>" in answer.html(turn)


def test_a_record_of_many_changes_stays_small_and_tells_what_it_leaves_out():
    long = "".join(f"line {number}\n" for number in range(2000)).encode()
    edits = tuple(Change(path=f"f{n}.txt", before=None, after=long) for n in range(200))
    drawn = Answer(question="q", edits=edits)
    html = answer.html(drawn)
    assert len(html) < 3_000_000
    assert "<details open>" not in html
    assert html.count("added lines not shown") == 200
    assert answer.text(drawn).count("added lines not shown") == 200
