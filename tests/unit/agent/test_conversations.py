"""Whole conversations: files, git, a scripted model and a user; everything between is real.

Each conversation of conversations.json says what has to come of it. Every one of these sentences
has its check here.
"""

import json
from pathlib import Path

import pytest

from ipuaro_jupyter.records.events import CallStarted, ProposalDecided

CASES = {
    case["id"].partition(".")[0]: case
    for case in json.loads((Path(__file__).with_name("conversations.json")).read_text())
}
CHECKS = {}


def check(case, sentence):
    """Say that a function asserts one sentence of a conversation."""

    def register(function):
        assert sentence in CASES[case]["check"], f"{case} does not say {sentence!r}"
        CHECKS[case, sentence] = function
        return function

    return register


SENTENCES = [(name, sentence) for name, case in CASES.items() for sentence in case["check"]]


@pytest.mark.parametrize(("name", "sentence"), SENTENCES, ids=lambda value: value[:60])
def test_a_conversation_comes_to_what_it_should(hold, name, sentence):
    assert (name, sentence) in CHECKS, "a sentence without a check"
    CHECKS[name, sentence](hold)


@check("S01", "edit result reaches the model before run_tests is requested")
def _(hold):
    held = hold(CASES["S01"])
    edit = held.model.requests[2].messages[-1]
    assert (edit.tool, edit.result["success"]) == ("edit_lines", True)
    assert not [m for m in held.model.requests[2].messages if m.tool == "run_tests"]
    assert [c.call.name for c in held.answers[0].tool_calls][2] == "run_tests"


@check("S01", "leading blanks of <content> are kept ('  return kg * 3')")
def _(hold):
    held = hold(CASES["S01"])
    assert held.answers[0].tool_calls[1].call.arguments["content"] == "  return kg * 3"
    assert "\n  return kg * 3\n" in held.git("show", "HEAD:src/fee.ts")


@check("S01", "run_tests output.passed == true with runner npm")
def _(hold):
    output = hold(CASES["S01"]).results[2]["output"]
    assert (output["runner"], output["passed"]) == ("npm", True)


@check("S01", "exactly two confirmations (edit, commit), each shows diff / file list")
def _(hold):
    held = hold(CASES["S01"])
    edit, commit = held.asked
    assert (edit.kind, commit.kind) == ("edit", "commit")
    assert "kg * 2" in edit.old_text
    assert "kg * 3" in edit.new_text
    assert commit.files == ("src/fee.ts",)


@check("S01", "git log -1 subject 'feat: fee is 3 per kg', only src/fee.ts in it")
def _(hold):
    held = hold(CASES["S01"])
    assert held.git("log", "-1", "--format=%s") == "feat: fee is 3 per kg"
    assert held.git("show", "--name-only", "--format=", "HEAD") == "src/fee.ts"


@check(
    "S01",
    "after /undo src/fee.ts is byte-identical to the start, git status shows it modified, "
    "HEAD unchanged",
)
def _(hold):
    held = hold(CASES["S01"])
    before = CASES["S01"]["files"]["src/fee.ts"].encode()
    assert (held.root / "src/fee.ts").read_bytes() == before
    assert held.git("status", "--porcelain") == "M src/fee.ts"
    assert held.git("log", "-1", "--format=%s") == "feat: fee is 3 per kg"
    assert held.git("rev-list", "--count", "HEAD") == "2"
    assert len(held.model.requests) == 5, "/undo is no message for the model"


@check(
    "S01",
    "session.stats: toolCalls 4, editsApplied 1 (0 after undo or with an undone counter), "
    "editsRejected 0",
)
def _(hold):
    info = hold(CASES["S01"]).assistant.session
    assert (info.tool_calls, info.edits_applied, info.edits_undone) == (4, 1, 1)
    assert info.edits_rejected == 0


@check("S02", "the denial is a normal tool result naming the user's decision, the loop continues")
def _(hold):
    held = hold(CASES["S02"])
    denial = held.told[2]
    assert (denial.role, denial.tool) == ("tool", "delete_file")
    assert denial.call_id == held.answers[0].tool_calls[1].call.id
    assert denial.result["error"]["type"] == "cancelled"
    assert "user rejected" in denial.content
    assert held.answers[0].text == "I marked it deprecated instead."


@check("S02", "file still exists and starts with /** @deprecated */")
def _(hold):
    assert hold(CASES["S02"]).read("src/fee.ts").startswith("/** @deprecated */")


@check("S02", "editsRejected 1, editsApplied 1")
def _(hold):
    info = hold(CASES["S02"]).assistant.session
    assert (info.edits_rejected, info.edits_applied) == (1, 1)


@check("S02", "undo stack has exactly one entry")
def _(hold):
    held = hold(CASES["S02"], anew=True)
    assert held.assistant.undo().success
    assert held.read("src/fee.ts") == CASES["S02"]["files"]["src/fee.ts"]
    assert not held.assistant.undo().success


@check(
    "S03",
    "2nd reply -> error.type conflict, recoverable true, NO confirmation shown, file untouched",
)
def _(hold):
    held = hold(CASES["S03"])
    error = held.results[1]["error"]
    assert (error["type"], error["recoverable"]) == ("conflict", True)
    started = [e for e in held.events if isinstance(e, (CallStarted, ProposalDecided))]
    kinds = ["asked" if isinstance(e, ProposalDecided) else e.call.name for e in started]
    assert kinds == ["get_lines", "edit_lines", "get_lines", "edit_lines", "asked"]
    assert held.asked[0].old_text.startswith("// new header by a colleague\n")
    assert "kg * 2" in held.asked[0].old_text


@check("S03", "the conflict result tells the model to read again (may include the current text)")
def _(hold):
    assert "Read the file again" in hold(CASES["S03"]).told[2].content


@check("S03", "after re-reading the edit succeeds and the colleague's header is kept")
def _(hold):
    held = hold(CASES["S03"])
    assert held.results[3]["success"]
    lines = held.read("src/fee.ts").splitlines()
    assert lines[0] == "// new header by a colleague"
    assert lines[2] == "  return kg * 4"


@check("S03", "result holds even if the watcher re-indexed the file between the two calls")
def _(hold):
    held = hold(CASES["S03"], watched=True)
    assert held.results[1]["error"]["type"] == "conflict"
    assert len(held.asked) == 1
    assert held.read("src/fee.ts").startswith("// new header by a colleague\n")


@check(
    "S04",
    "reply 1 (truncated call): an explicit parse-error message goes back to the model; "
    "the raw tag is not shown as the final answer",
)
def _(hold):
    held = hold(CASES["S04"])
    assert held.told[1].role == "tool"
    assert "Error (parse)" in held.told[1].content
    assert "<tool_call" not in held.answers[0].text
    assert held.answers[0].text == "fee multiplies kg by 2."


@check(
    "S04",
    "reply 2 (single quotes, missing parameter): either parsed and answered with a validation "
    "error naming 'name', or a parse error; never silently dropped",
)
def _(hold):
    told = hold(CASES["S04"]).told[2]
    assert "Error (validation)" in told.content or "Error (parse)" in told.content
    assert "'name'" in told.content


@check("S04", "reply 3 (JSON fallback) is executed")
def _(hold):
    held = hold(CASES["S04"])
    assert held.results[-1]["success"]
    assert "return kg * 2" in held.told[3].content


@check("S04", "at most N (configurable) repair rounds, then a clear message to the user")
def _(hold):
    broken = {**CASES["S04"], "turns": [{"user": "Show", "model": ["<tool_call name='x'>"] * 9}]}
    for most in (0, 2):
        held = hold(broken, max_repairs=most)
        assert len(held.model.requests) == 1 + most + 1, "at last it is asked for what it has"
        assert "cannot call tools any more" in held.told[-1].content
        assert held.answers[0].ended == "limit"
        assert "replies could not be used" in held.answers[0].notice


@check(
    "S05", "semantic_search -> recoverable validation error listing the real tools (closest first)"
)
def _(hold):
    error = hold(CASES["S05"]).results[0]["error"]
    assert (error["type"], error["recoverable"]) == ("validation", True)
    told = error["suggestion"]
    assert all(name in told for name in ("find_references", "get_lines", "edit_lines"))


@check("S05", "read_file is accepted as alias of get_lines (read-only aliases only)")
def _(hold):
    result = hold(CASES["S05"]).results[1]
    assert result["success"]
    assert "return kg * 2" in json.dumps(result["output"])


@check(
    "S05",
    "edit_file with foreign parameters is NOT mapped onto edit_lines blindly: validation error "
    "that names start/end/content; file untouched, no confirmation",
)
def _(hold):
    held = hold(CASES["S05"])
    error = held.results[2]["error"]
    assert error["type"] == "validation"
    assert all(name in error["suggestion"] for name in ("start", "end", "content"))
    assert held.read("src/fee.ts") == CASES["S05"]["files"]["src/fee.ts"]
    assert held.asked == []


@check("S05", "tool names are matched case-insensitively")
def _(hold):
    assert hold(CASES["S05"]).results[3]["success"]


@check("S05", "4 tool results for 4 calls, ids match")
def _(hold):
    held = hold(CASES["S05"])
    sent = held.model.requests[-1].messages
    calls = [call.id for message in sent for call in message.calls]
    assert len(set(calls)) == 4
    assert [m.call_id for m in sent if m.role == "tool"] == calls


@check(
    "S06",
    "the three reads may run concurrently but results come back in call order, one result per "
    "call id",
)
def _(hold):
    held = hold(CASES["S06"])
    sent = held.model.requests[1].messages
    (asked,) = [m for m in sent if m.calls]
    assert [m.call_id for m in sent if m.role == "tool"] == [c.id for c in asked.calls]
    names = [m.tool for m in sent if m.role == "tool"]
    assert names == ["get_lines", "get_dependents", "find_references"]


@check(
    "S06",
    "mutating calls run strictly in order, one confirmation at a time, and each confirmation is "
    "bound to its own call",
)
def _(hold):
    held = hold(CASES["S06"])
    assert [p.path for p in held.asked] == ["src/fee.ts", "src/tax.ts"]
    _, _, _, fee, tax, _ = held.results
    assert (fee["success"], tax["success"]) == (False, True)
    relevant = [e for e in held.events if isinstance(e, (CallStarted, ProposalDecided))][3:7]
    assert relevant[0].call.arguments["path"] == relevant[1].proposal.path == "src/fee.ts"
    assert relevant[2].call.arguments["path"] == relevant[3].proposal.path == "src/tax.ts"
    assert (relevant[1].decision.action, relevant[3].decision.action) == ("reject", "apply")


@check("S06", "the get_lines after the tax edit sees the new text")
def _(hold):
    assert "export const tax = 2" in hold(CASES["S06"]).told[2].content


@check("S06", "fee.ts unchanged, tax.ts changed")
def _(hold):
    held = hold(CASES["S06"])
    assert held.read("src/fee.ts") == CASES["S06"]["files"]["src/fee.ts"]
    assert held.read("src/tax.ts").strip() == "export const tax = 2"


@check("S06", "the text between the calls is kept as assistant text")
def _(hold):
    case = json.loads(json.dumps(CASES["S06"]))
    replies = case["turns"][0]["model"]
    replies[1] = replies[1].replace("</tool_call>\n<", "</tool_call>\nNow the tax.\n<", 1)
    held = hold(case)
    asking = [m for m in held.model.requests[2].messages if m.calls][1]
    assert asking.content.strip() == "Now the tax."
    assert [c.said.strip() for c in held.answers[0].tool_calls][3] == "Now the tax."
    assert held.read("src/tax.ts").strip() == "export const tax = 2"
