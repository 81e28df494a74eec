"""Calls in tags as other models write them, and JSON between the tags."""

import pytest
from endless_replies import LINES


@pytest.mark.parametrize(
    "text",
    [
        "<function=get_lines>\n<parameter=path>\na.ts\n</parameter>\n</function>",
        '<function=get_lines>{"path": "a.ts"}</function>',
        '<function name="get_lines">{"path": "a.ts"}</function>',
        '<invoke name="get_lines"><parameter name="path">a.ts</parameter></invoke>',
        "<tool_call>\n<function=get_lines>\n<parameter=path>a.ts</parameter></function>\n</tool_call>",
        (
            '<function_calls>\n<invoke name="get_lines">\n<parameter name="path">a.ts</parameter>'
            "\n</invoke>\n</function_calls>"
        ),
        "<function=get_lines>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>",
        '<tool_calls><tool_call name="get_lines"><path>a.ts</path></tool_call></tool_calls>',
        "<tool_call=get_lines><path>a.ts</path></tool_call>",
    ],
)
def test_the_forms_of_other_models_are_read(read, text):
    """Qwen coder often forgets the first tag of the two around a call."""
    assert read(f"I look.\n{text}") == ([("get_lines", {"path": "a.ts"})], [], "I look.")


def test_a_line_break_on_both_sides_of_a_value_is_theirs(calls):
    parameters = "<parameter=path>\na\n</parameter>\n<parameter=content>\n  x\n\n</parameter>"
    assert calls(f"<function=create_file>\n{parameters}\n</function>") == [
        ("create_file", {"path": "a", "content": "  x\n"})
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<function name="strlen"><p>text</p></function>',
        '<function name="get_lines" since="1.0"><p>Reads lines.</p></function>',
        '<invoke name="other"><parameter name="path">a</parameter></invoke>',
        "Say <function=get_lines> and the parameters.",
        "<function_calls> come first, <tools> next</tools>.",
        "Array<function>() </function> </invoke> </tools>",
        '<tools>{"hammer": 1}</tools>',
        "<tools> {",
        '<tools kind="a',
        '<tools "a">{}',
    ],
)
def test_what_only_looks_like_another_form_is_text(read, text):
    assert read(text) == ([], [], text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<function=get_line>{}</function>", "There is no tool 'get_line'"),
        ("<function=get_lines><parameter=path>a</function>", "no closing tag"),
        ('<function=get_lines>{"path": a}</function>', "not valid JSON (the word 'a'"),
        ("<function=get_lines><parameter=path>a</parameter>", "cut off"),
    ],
)
def test_what_is_wrong_in_another_form_is_told(read, text, said):
    found, errors, rest = read(text)
    assert (found, rest) == ([], "")
    assert len(errors) == 1
    assert said in errors[0]


def test_a_value_may_hold_its_own_closing_tag(calls):
    """The last one counts after which the call goes on."""
    text = '<tool_call name="search"><query><query>a</query><b></query></tool_call>'
    assert calls(text) == [("search", {"query": "<query>a</query><b>"})]


def test_several_objects_in_one_call_are_several_calls(calls):
    text = (
        '<tool_call>\n{"name": "git_status", "arguments": {}}\n'
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>'
    )
    assert calls(text) == [("git_status", {}), ("get_lines", {"path": "a.ts"})]


def test_each_object_of_a_call_that_cannot_be_run_is_told(read):
    found, errors, rest = read(
        '<tool_call>\n{"name": "x", "arguments": {}}\n{"name": "y", "arguments": {}}\n</tool_call>'
    )
    assert (found, rest) == ([], "")
    assert ["There is no tool 'x'" in errors[0], "There is no tool 'y'" in errors[1]] == [True] * 2


def test_text_behind_the_json_of_a_call_is_told_and_what_follows_is_kept(read):
    call = '{"name": "git_status", "arguments": {}}'
    found, errors, rest = read(f"<tool_call>{call} and so on</tool_call> after")
    assert (found, rest) == ([], "after")
    assert len(errors) == 1
    assert "no </tool_call> follows" in errors[0]


def test_a_json_call_without_its_end_does_not_swallow_the_next(read):
    found, errors, _ = read(f'<tool_call>{{"name": "git_status", "arguments": {{}}}}\n{LINES}')
    assert found == [("get_lines", {"path": "a.ts"})]
    assert "no </tool_call> follows" in errors[0]


def test_other_usual_names_hold_code_and_end_it(calls):
    text = (
        '<tool_call name="update_file"><file_path>a.ts</file_path>\n'
        "<old_string>\n  a < b &amp;&amp; <b>x</b>\n</old_string>\n"
        "<new_string>  <text>y</text>\n</new_string>\n</tool_call>"
    )
    assert calls(text) == [
        (
            "update_file",
            {
                "file_path": "a.ts",
                "old_string": "  a < b &amp;&amp; <b>x</b>\n",
                "new_string": "  <text>y</text>\n",
            },
        )
    ]
    text = (
        '<tool_call name="create_file"><path>a.html</path>'
        "<content><a>x</content><text>y</text></a>\n</content></tool_call>"
    )
    assert calls(text) == [
        ("create_file", {"path": "a.html", "content": "<a>x</content><text>y</text></a>\n"})
    ]
