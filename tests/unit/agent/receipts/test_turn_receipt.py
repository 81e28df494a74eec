"""The receipt of a turn: drawn with its answer, kept with it, and told in a terminal."""

import pytest
from talks import call

from ipuaro_jupyter.terminal_turn import TerminalView
from ipuaro_jupyter.views.answer import text

FILES = {
    "src/fee.ts": "export function fee(kg: number) {\n  return kg * 3\n}\n",
    "src/rate.zig": "fn fee() void {}\n",
}
FALSE = "`fee` (src/fee.ts:1) is the fee; see `src/fees.ts` and src/fee.ts:90."


def test_an_answer_comes_with_its_receipt(open_assistant, make_project):
    assistant = open_assistant(make_project(FILES), [FALSE])
    answer = assistant.ask("What is the fee?")
    assert answer.text == FALSE, "the text itself stays as it was written"
    assert [mark.named for mark in answer.receipt.marks] == ["src/fees.ts", "src/fee.ts:90"]
    told = text(answer)
    assert "`src/fees.ts` [no such file] and src/fee.ts:90 [no such lines]." in told
    assert "Not in the code:\n- src/fees.ts: there is no such file; closest: src/fee.ts\n" in told
    again = assistant.transcript().turns[-1]
    assert again.receipt == answer.receipt


def test_what_a_tool_could_not_see_is_said_under_the_answer(open_assistant, make_project):
    replies = [call("find_references", symbol="fee"), "It is used nowhere else."]
    answer = open_assistant(make_project(FILES), replies).ask("Who uses fee?")
    assert answer.receipt.unseen == "not looked at: 1 .zig file (1 contains the name: src/rate.zig)"
    assert f"The tools could not see everything; {answer.receipt.unseen}." in text(answer)


def test_what_was_seen_is_not_remarked_on(open_assistant, make_project):
    files = {"src/fee.ts": FILES["src/fee.ts"], "src/rate.zig": "fn toll() void {}\n"}
    replies = [call("find_references", symbol="fee"), "It is used nowhere else."]
    answer = open_assistant(make_project(files), replies).ask("Who uses fee?")
    assert answer.receipt.unseen == ""
    assert "could not see" not in text(answer)


def test_names_from_a_tool_s_result_or_a_proposal_are_not_made_up(open_assistant, make_project):
    files = {**FILES, "log.txt": "tideErrorCode at lib/deep/tide.ts:3\n"}
    replies = [
        call("get_lines", path="log.txt"),
        "`fee` fails with `tideErrorCode` (lib/deep/tide.ts:3).",
        call("create_file", path="src/toll.ts", content="export const seaToll = 1\n"),
        "It was not approved, so `seaToll` and `src/toll.ts` are missing for `fee`.",
    ]
    assistant = open_assistant(make_project(files), replies)
    assert assistant.ask("Why?").receipt.marks == ()
    assert assistant.ask("Go on").receipt.marks == ()


def test_a_name_that_was_only_looked_for_is_marked(open_assistant, make_project):
    replies = [call("find_references", symbol="seaToll"), "`fee` calls `seaToll`."]
    answer = open_assistant(make_project(FILES), replies).ask("Who?")
    assert [mark.named for mark in answer.receipt.marks] == ["seaToll"]


@pytest.mark.parametrize("path", ["e", "tideErr", "Code"])
def test_what_was_asked_for_is_no_part_of_the_names_that_were_found(
    open_assistant, make_project, path
):
    files = {**FILES, ".gitignore": path, path: "tideErrorCode of a log that is not indexed\n"}
    replies = [call("get_lines", path=path), "`fee` fails with `tideErrorCode`."]
    answer = open_assistant(make_project(files), replies).ask("Why?")
    assert answer.receipt.marks == ()


def test_what_the_turn_has_removed_is_not_marked(open_assistant, make_project):
    change = call(
        "edit_lines",
        path="src/fee.ts",
        start=1,
        end=1,
        content="export function toll(kg: number) {\n",
    )
    replies = [
        call("get_lines", path="src/fee.ts"),
        change,
        "`toll` stands where `fee` was called.",
    ]
    assistant = open_assistant(make_project(FILES), replies, settings={"approve": "edits"})
    answer = assistant.ask("Call it toll")
    assert len(answer.edits) == 1
    assert answer.receipt.marks == ()


def test_a_terminal_tells_it_below_the_streamed_text(open_assistant, make_project, capsys):
    assistant = open_assistant(make_project(FILES), [FALSE])
    view = TerminalView()
    for event in assistant.stream("What is the fee?"):
        view.show(event)
    printed = capsys.readouterr().out
    assert printed.startswith(FALSE)
    assert "\nNot in the code:\n- src/fees.ts: there is no such file" in printed
