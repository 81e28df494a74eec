"""What models think aloud is in no part of a reply."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import CLOSING, StreamParser

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(("opening", "closing"), CLOSING.items())
def test_all_marks_open_and_close_thinking(read, opening, closing):
    calls = f"I could {LINES} or {{'name': 'get_lines', 'arguments': {{}}}}"
    assert read(f"{opening}{calls}{closing}Done.") == ([], [], "Done.")
    assert read(f"{calls}{closing}Done.") == ([], [], "Done.")
    assert read(f"Done.{opening}{calls}") == ([], [], "Done.")


def test_calls_before_a_lone_mark_are_taken_back(schemas, aliases):
    """Who does not wait for the end of a reply has seen them."""
    parser = StreamParser(schemas, aliases=aliases)
    assert [p.call.name for p in parser.feed(LINES) if p.call] == ["get_lines"]
    parser.feed("</think>Done.")
    parser.finish()
    assert (parser.reply.calls, parser.reply.text) == ((), "Done.")


def test_an_analysis_streams_as_thinking(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    parser.feed("<|channel|>analysis<|message|>")
    assert [piece.thinking for piece in parser.feed("Let me")] == ["Let me"]
    assert [piece.thinking for piece in parser.feed(" see.<|e")] == [" see."]
    assert parser.feed("nd|><|start|>assistant<|channel|>final<|message|>") == []
    assert [piece.text for piece in parser.feed("Yes.")] == ["Yes."]
