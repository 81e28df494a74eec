"""JSON calls behind a mark."""

import pytest

LINES = ("get_lines", {"path": "a.ts"})
CALL = '{"name": "get_lines", "arguments": {"path": "a.ts"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"[TOOL_CALLS] [{CALL}]",
        f"[TOOL_CALLS]{CALL}",
        f"[TOOL_CALLS] [{CALL}] [/TOOL_CALLS]",
        '[TOOL_CALLS]get_lines[ARGS]{"path": "a.ts"}',
        '[TOOL_CALLS]get_lines{"path": "a.ts"}',
        '[TOOL_CALLS]get_lines[CALL_ID]a1b2c3d4e[ARGS]{"path": "a.ts"}',
        f"<|python_tag|>{CALL}",
        '<|python_tag|>{"name": "get_lines", "parameters": {"path": "a.ts"}}<|eom_id|>',
        f"<|tool_call|>[{CALL}]",
        '[TOOL_CALLS] [{"name": "cat", "arguments": "{\\"path\\": \\"a.ts\\"}"}]',
    ],
)
def test_the_forms_of_several_models_are_read(read, text):
    assert read(f"I look. {text}") == ([LINES], [], "I look.")


def test_several_calls_follow_one_mark_or_each_its_own(calls):
    status = '{"name": "git_status", "arguments": {}}'
    for text in (
        f"[TOOL_CALLS] [{CALL}, {status}]",
        f"<|python_tag|>{CALL}; {status}",
        f"<|python_tag|>{CALL}\n{status}<|eom_id|>",
        '[TOOL_CALLS]get_lines[ARGS]{"path": "a.ts"}[TOOL_CALLS]git_status[ARGS]{}',
        f"[TOOL_CALLS] [{CALL}] [TOOL_CALLS] [{status}]",
    ):
        assert calls(text) == [LINES, ("git_status", {})]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[TOOL_CALLS] [{"name": "x", "arguments": {}}]', "There is no tool 'x'"),
        ('[TOOL_CALLS]x[ARGS]{"a": 1}', "There is no tool 'x'"),
        ('[TOOL_CALLS] [{"name": "get_lines", "arguments": {"path": a}}]', "not valid JSON"),
        ('[TOOL_CALLS]get_lines[ARGS]{"path": a}', "not valid JSON (the word 'a'"),
        ('[TOOL_CALLS] [{"name": "get_lines", "argum', "cut off"),
        ('[TOOL_CALLS]get_lines[ARGS]{"path": "a', "cut off"),
        ("<|python_tag|>{}", "is no object like"),
        ("[TOOL_CALLS] []", "is no object like"),
    ],
)
def test_what_cannot_be_run_is_told(read, text, said):
    found, errors, rest = read(f"I look. {text}")
    assert (found, rest) == ([], "I look.")
    assert len(errors) == 1
    assert said in errors[0]


def test_code_for_an_interpreter_is_told_that_there_is_none(read):
    found, errors, rest = read('<|python_tag|>print(open("a.ts").read())')
    assert found == []
    assert rest == 'print(open("a.ts").read())'
    assert "Call a tool" in errors[0]


def test_an_unknown_tool_is_a_call_for_who_answers_it_himself(read):
    for text in (
        '[TOOL_CALLS]x[ARGS]{"a": 1}',
        '[TOOL_CALLS][{"name": "x", "arguments": {"a": 1}}]',
    ):
        found, errors, _ = read(text, unknown_calls=True)
        assert (found, errors) == ([("x", {"a": 1})], [])


@pytest.mark.parametrize(
    "text",
    [
        "The mark [TOOL_CALLS] begins a list.",
        "`[TOOL_CALLS]` and '<|python_tag|>'",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]word {x}",
        "[TOOL",
    ],
)
def test_a_mark_that_is_spoken_of_is_text(read, text):
    assert read(text) == ([], [], text)


def test_other_json_beside_them_is_text(read):
    status = '{"name": "git_status", "arguments": {}}'
    assert read(f"[TOOL_CALLS] [{CALL}]\nso {status}") == ([LINES], [], f"so {status}")
