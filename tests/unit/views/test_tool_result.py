"""A rejection is a record for the person who rejected, and an error for everybody else."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.views import tool_result
from ipuaro_jupyter.workspace.approval import refusal

EDIT = Proposal(
    id="1", kind="edit", tool="edit_lines", title="Edit <a.ts>", path="a.ts", new_text="2\n"
)


def refused(**decision):
    error = refusal(EDIT, Decision(action="reject", **decision))
    return ToolResult(tool="edit_lines", error=ToolFailure.of(error))


def test_who_rejected_reads_what_was_not_done_by_whom_and_why():
    result = refused(reason="not now")
    told = "Not done: Edit <a.ts>. The user rejected it: not now"
    assert tool_result.text(result) == f"\u2013 {told}"
    html = tool_result.html(result)
    assert told.replace("<", "&lt;").replace(">", "&gt;") in html
    assert "ipuaro-bad" not in html
    assert "Suggestion" not in html


def test_doubts_come_first_for_everybody():
    doubt = "Another process is writing <the index>"
    for result in (refused(), ToolResult(tool="job", output=TextOutput(content="done"))):
        told = result.model_copy(update={"doubts": (doubt,)})
        assert tool_result.text(told) == f"Note: {doubt}\n{tool_result.text(result)}"
        assert tool_result.html(told).endswith(tool_result.html(result))
        assert "Note: Another process is writing &lt;the index&gt;" in tool_result.html(told)
        assert told.text() == f"[{doubt}]\n{result.text()}"


def test_the_model_and_python_are_told_as_ever():
    result = refused(reason="not now")
    assert result.text().startswith("Error (cancelled): Not done")
    assert "Suggestion: Do not repeat it" in result.text()
    assert set(result.to_dict()["error"]) == {"type", "message", "suggestion", "recoverable"}


def test_what_nobody_or_a_setting_rejected_is_an_error():
    for by in ("nobody", "setting"):
        result = refused(by=by, reason="it runs without anybody")
        assert tool_result.text(result).startswith("edit_lines failed (cancelled): Not done")
        assert "ipuaro-bad" in tool_result.html(result)


def test_lines_that_were_typed_and_not_written_are_kept_for_the_user_only():
    error = ToolError("conflict", "a.ts has been changed.")
    error.typed = "const a = <b>;\nlast\n"
    result = ToolResult(tool="edit_lines", error=ToolFailure.of(error))
    assert tool_result.text(result).endswith("not written:\nconst a = <b>;\nlast")
    html = tool_result.html(result)
    assert "<pre>const a = &lt;b&gt;;\nlast\n</pre>" in html
    assert "<details" in html
    assert "const a" not in result.text()
    assert "typed" not in result.to_dict()["error"]
