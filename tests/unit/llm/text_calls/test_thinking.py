"""What models think aloud is in no part of a reply."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import CLOSING, StreamParser, parse_reply

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<THINK>", "</THINK>"),
        ("[THINK]", "[/THINK]"),
        ("<reasoning>", "</reasoning>"),
        ("◁think▷", "◁/think▷"),
    ],
)
def test_calls_in_thinking_are_no_calls(read, opening, closing):
    text = f"{opening}I could {LINES}{closing}Done. {opening}{LINES}"
    assert read(text) == ([], [], "Done.")


def test_thinking_that_the_prompt_opened_ends_with_a_lone_tag(read):
    assert read(f"I could {LINES}, but no.</think>\nDone.") == ([], [], "Done.")


def test_thinking_after_json_calls_leaves_the_text_alone(read):
    json_call = '{"name": "git_status", "arguments": {}}'
    assert read(f"Now {json_call}<think>so</think>.") == ([("git_status", {})], [], "Now .")
    assert read(f"Now {json_call}</think>Done.") == ([], [], "Done.")
    assert read(f"Now {LINES}</think>{json_call}") == ([("git_status", {})], [], "")


@pytest.mark.parametrize(("opening", "closing"), CLOSING.items())
def test_all_marks_open_and_close_thinking(read, opening, closing):
    calls = f"I could {LINES} or {{'name': 'get_lines', 'arguments': {{}}}}"
    assert read(f"{opening}{calls}{closing}Done.") == ([], [], "Done.")
    assert read(f"{calls}{closing}Done.") == ([], [], "Done.")
    assert read(f"Done.{opening}{calls}") == ([], [], "Done.")


def test_thinking_that_is_opened_twice_ends_with_the_last_mark(read):
    text = f"Hi. <think>a <think>b</think> {LINES}</think>Done."
    assert read(text) == ([], [], "Hi. Done.")


def test_marks_that_are_only_thought_of_close_nothing(read):
    text = f"<think>They ask about <think> tags.</think>See: {LINES}"
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "See:")


def test_a_mark_too_many_is_dropped(read):
    text = f"<think>a</think>\n</think>\nDone. {LINES}</think>"
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "Done.")


@pytest.mark.parametrize(
    "quoted",
    [
        "The tags `<think>x</think>` and `use <think> so`.",
        "```\n<think>\nx\n</think>\n```",
        "```xml\n<a/>\n<reasoning>x</reasoning>\n```",
        "Write '<think>' and \"</think>\" or `[THINK]`.",
    ],
)
def test_thinking_that_is_quoted_is_text(read, quoted):
    found, errors, rest = read(f"{quoted}\n{LINES}")
    assert (found, errors, rest) == ([("get_lines", {"path": "a.ts"})], [], quoted)


def test_a_call_in_thinking_that_is_quoted_is_no_call(read):
    for end in ("</think>", ""):
        text = f"```\n<think>I could {LINES}{end}\n```"
        assert read(text) == ([], [], text)


def test_calls_before_a_lone_mark_are_taken_back(schemas, aliases):
    """Who does not wait for the end of a reply has seen them."""
    parser = StreamParser(schemas, aliases=aliases)
    assert [p.call.name for p in parser.feed(LINES) if p.call] == ["get_lines"]
    parser.feed("</think>Done.")
    parser.finish()
    assert (parser.reply.calls, parser.reply.text) == ((), "Done.")


@pytest.mark.parametrize(
    "begun",
    [
        '<tool_call name="get_lines"> with',
        '<tool_call name="create_file"><content>',
        "a <tool_call>",
        '{"name": "get_lines", "arguments": {…',
        "<function=get_lines><parameter=path>",
        "[TOOL_CALLS] [{",
    ],
)
def test_a_call_that_was_begun_in_thought_is_left_off(read, begun):
    """The prompt has opened the thinking; its mark closes it in the middle of the call."""
    text = f"I could say {begun} but no.</think>Done. {LINES}"
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "Done.")


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call><tool_call></think>git_status()",
        'get_lines(path="a")</think>{"name": "git_status", "arguments": {}} git_status() So it is.',
    ],
)
def test_calls_without_a_mark_behind_thinking_are_read_once(schemas, aliases, text):
    reply = parse_reply(text, schemas, aliases=aliases)
    assert [call.name for call in reply.calls] == ["git_status"]
