"""Calls in tags."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(
    "opening",
    [
        '<tool_call name="get_lines">',
        "<tool_call name='get_lines'>",
        "<tool_call name=get_lines>",
        '<tool_call id="7" name="get_lines" priority=high>',
        '<tool_call\n  name = "get_lines"\n>',
        '<tool_call name="GET_Lines" >',
        '<TOOL_CALL name="get_lines">',
    ],
)
def test_the_opening_tag_may_be_written_in_several_ways(calls, opening):
    assert calls(f"{opening}<path>a.ts</path></tool_call>") == [("get_lines", {"path": "a.ts"})]


def test_parameters_may_be_named_by_an_attribute(calls):
    text = (
        "<tool_call name='get_lines'><param name=\"path\">a.ts</param>"
        "<parameter type='int' name=start>2</parameter></tool_call >"
    )
    assert calls(text) == [("get_lines", {"path": "a.ts", "start": 2})]


def test_a_parameter_may_close_itself(calls):
    text = '<tool_call name="create_file"><path>a.ts</path><content/></tool_call>'
    assert calls(text) == [("create_file", {"path": "a.ts", "content": ""})]


def test_parameter_names_ignore_case(calls):
    text = '<tool_call name="get_lines"><Path>a.ts</Path><START>2</start></tool_call>'
    assert calls(text) == [("get_lines", {"path": "a.ts", "start": 2})]


def test_a_call_without_parameters_may_close_itself(calls):
    assert calls('<tool_call name="git_status"/>') == [("git_status", {})]
    assert calls('<tool_call name="git_status">\n\n</tool_call>') == [("git_status", {})]


def test_values_are_typed_by_the_schema(calls):
    text = (
        '<tool_call name="search"><query>12</query><ratio>0.5</ratio>'
        '<options>{"deep": {"a": [1, null]}}</options></tool_call>'
        '<tool_call name="git_diff"><staged>True</staged></tool_call>'
        '<tool_call name="get_lines"><path>7</path><start> 3\n</start><end>-1</end></tool_call>'
        '<tool_call name="git_commit"><message>true</message><files>\n["a.ts",\n "b"]\n</files>'
        "</tool_call>"
    )
    assert calls(text) == [
        ("search", {"query": "12", "ratio": 0.5, "options": {"deep": {"a": [1, None]}}}),
        ("git_diff", {"staged": True}),
        ("get_lines", {"path": "7", "start": 3, "end": -1}),
        ("git_commit", {"message": "true", "files": ["a.ts", "b"]}),
    ]


def test_types_may_be_alternatives_or_stand_elsewhere_in_the_schema():
    integer_or_null = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    properties = {"start": integer_or_null, "options": {"$ref": "#/$defs/Options"}}
    schema = ToolSchema(name="seek", description="", parameters={"properties": properties})
    text = '<tool_call name="seek"><start>3</start><options>{"a": 1}</options></tool_call>'
    (call,) = parse_reply(text, [schema], aliases={}).calls
    assert call.arguments == {"start": 3, "options": {"a": 1}}


@pytest.mark.parametrize("text", ["two", "NaN", "[1", "1" * 5000, "null", ""])
def test_what_is_not_of_the_type_stays_text_for_the_validation_to_name(value, text):
    assert value(text, "edit_lines", "start") == text


def test_null_omits_an_optional_parameter_only(calls):
    text = (
        '<tool_call name="get_lines"><path>null</path><start>null</start><end> null </end>'
        '</tool_call><tool_call name="get_todos"><path>null</path></tool_call>'
    )
    assert calls(text) == [("get_lines", {"path": "null"}), ("get_todos", {})]


def test_null_in_cdata_is_a_text(calls):
    text = '<tool_call name="get_todos"><path><![CDATA[null]]></path></tool_call>'
    assert calls(text) == [("get_todos", {"path": "null"})]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("\n    a\n      b\n", "    a\n      b\n"),
        ("\n\n\na", "\n\na"),
        ("\n  a\n  ", "  a\n"),
        ("\n  ", "  "),
        ("  a\n  ", "  a\n  "),
        ("\r\na\r\n", "a\r\n"),
        ("  a  ", "  a  "),
        ("\t", "\t"),
        ("", ""),
        ("\n", ""),
        ("a &lt; b &amp;&amp; c", "a &lt; b &amp;&amp; c"),
        ('<div className="x"><p>a</p></div>', '<div className="x"><p>a</p></div>'),
        ("a </content> b", "a </content> b"),
        ("<content>a</content><span>", "<content>a</content><span>"),
        ("a <![CDATA[ b ]]> c", "a <![CDATA[ b ]]> c"),
        ("the tag </tool_call> ends it", "the tag </tool_call> ends it"),
        ("write `<tool_call name='x'>` first", "write `<tool_call name='x'>` first"),
    ],
)
def test_code_is_kept_as_it_stands(value, inner, expected):
    """One newline after the opening tag is framing; nothing else is touched."""
    assert value(inner) == expected


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (" src/a.ts ", "src/a.ts"),
        ("\n  src/a.ts\n", "src/a.ts"),
        ("R&amp;D/&#97;&#x2e;&#X74;s", "R&D/a.ts"),
        ("&lt;&gt;&quot;&apos;&amp;lt;", "<>\"'&lt;"),
        ("a && b & c &unknown; &#xzz; &#1114112;", "a && b & c &unknown; &#xzz; &#1114112;"),
        ("\n  one\n    two\n", "  one\n    two"),
        ("<b>", "<b>"),
    ],
)
def test_what_is_no_code_is_decoded_and_loses_its_framing(value, inner, expected):
    assert value(inner, "get_todos", "path") == expected


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<![CDATA[</content></tool_call>]]>", "</content></tool_call>"),
        ("\n  <![CDATA[\n  a\n]]>\n", "\n  a\n"),
        ("<![CDATA[a[b[0]]>1]]>", "a[b[0]]>1"),
        ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        ("<![CDATA[a]]></x></tool_call>]]>", "a]]></x></tool_call>"),
        ("<![CDATA[&lt;]]>", "&lt;"),
        ("<![CDATA[]]>", ""),
    ],
)
def test_cdata_protects_everything(value, inner, expected):
    assert value(inner) == expected


def test_a_closing_tag_counts_when_a_parameter_of_the_tool_follows(calls):
    text = (
        '<tool_call name="update_file"><target><target>a</target> <other>b</other></target>\n'
        "<patch>x</patch>\n</a></patch><filepath>f.html</filepath></tool_call>"
    )
    assert calls(text) == [
        (
            "update_file",
            {
                "target": "<target>a</target> <other>b</other>",
                "patch": "x</patch>\n</a>",
                "filepath": "f.html",
            },
        )
    ]


def test_a_parameter_that_was_given_does_not_end_the_next(calls):
    text = (
        '<tool_call name="create_file"><path>f.svg</path>'
        "<content><content>a</content><path>b</path></content></tool_call>"
    )
    assert calls(text) == [
        ("create_file", {"path": "f.svg", "content": "<content>a</content><path>b</path>"})
    ]


def test_a_call_quoted_in_a_parameter_is_no_call(calls):
    quoted = f'Do this:\n{LINES}\n<tool_call name="delete_file"><path>x</path></tool_call>\n'
    inner = '<tool_call name="create_file"><path>b</path><content>c</content></tool_call>'
    for body in (quoted, inner, inner + quoted):
        text = (
            f'<tool_call name="create_file"><path>a.md</path><content>{body}</content></tool_call>'
        )
        assert calls(text) == [("create_file", {"path": "a.md", "content": body})]


def test_the_text_between_the_calls_is_kept(read):
    found, errors, rest = read(f"First.\n{LINES}\nThen.\n{LINES}\nEnd.")
    assert (len(found), errors, rest) == (2, [], "First.\n\nThen.\n\nEnd.")


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call name="create_file"><path>a.ts</path><content>let a',
        '<tool_call name="create_file"><path>a.ts</path><content>a</content>',
        '<tool_call name="create_file"><path>a.ts',
        '<tool_call name="create_file"><path>a</path><content><![CDATA[x</content></tool_call>',
        f'<tool_call name="create_file"><content>{LINES}{LINES}{LINES}',
        f'<tool_call name="create_file"><content>{LINES}</content>{LINES}',
        '<tool_call name="create_file',
        "<tool_call",
        "<tool_ca",
        '<tool_call name="get_lines">{"path": "a.ts"}',
        '<tool_call>{"name": "get_lines", "arguments": {',
    ],
)
def test_a_call_that_is_cut_off_is_an_error_and_out_of_the_text(read, text):
    found, errors, rest = read(f"Look: {text}")
    assert (found, rest) == ([], "Look:")
    assert len(errors) == 1
    assert "cut off" in errors[0]
    assert "not run" in errors[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<tool_call name="get_lines">src/a.ts</tool_call>', "get_lines(path, start?, end?)"),
        (
            '<tool_call name="get_lines"><path>a</path> and <start>1</start></tool_call>',
            "'path' has no closing tag",
        ),
        ('<tool_call name="get_lines"><path>a.ts</tool_call>', "'path' has no closing tag"),
        (
            '<tool_call name="get_lines"><path>a</path><path>b</path></tool_call>',
            "'path' is given twice",
        ),
        ("<tool_call><path>a</path></tool_call>", "has no name"),
        ("<tool_call> get_lines a.ts </tool_call>", "has no name"),
        ('<tool_call id="7"/>', "has no name"),
        (
            "".join(f"<p{n}>x</p{n}>" for n in range(300)).join(
                ['<tool_call name="search">', "</tool_call>"]
            ),
            "more than 200 parameters",
        ),
        ('<tool_call name="get_lines>\n<path>a</path></tool_call>', "cannot be read"),
        ('<tool_call name="get_lines">[1, 2]</tool_call>', "arguments"),
        ("<tool_call>{'name': get_lines}</tool_call>", "not valid JSON"),
        (
            '<tool_call name="get_lines">{"path": "a"}{"path": "b"}</tool_call>',
            "no </tool_call> follows",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_why(read, text, said):
    """The rest of the reply is read all the same."""
    found, errors, rest = read(f"{text} and {LINES}")
    assert (found, rest) == ([("get_lines", {"path": "a.ts"})], "and")
    assert len(errors) == 1
    assert said in errors[0]


def test_a_tag_that_is_spoken_of_does_not_swallow_the_next_call(read):
    text = f"A <tool_call> holds parameters, as in {LINES}"
    assert read(text) == (
        [("get_lines", {"path": "a.ts"})],
        [],
        "A <tool_call> holds parameters, as in",
    )


def test_a_call_without_its_end_does_not_swallow_the_next(read):
    found, errors, _ = read(f'<tool_call name="get_todos"><path>src</path>\n{LINES}')
    assert found == [("get_lines", {"path": "a.ts"})]
    assert "</tool_call>" in errors[0]


def test_an_unknown_tool_is_an_error_with_the_closest_ones(read):
    text = '<tool_call name="edit_file"><path>a</path><old>b</old><new>c</new></tool_call>'
    found, errors, rest = read(text)
    assert (found, rest) == ([], "")
    assert errors[0].startswith("There is no tool 'edit_file'.")
    assert "edit_lines(path, start, end, content)" in errors[0]


def test_an_unknown_tool_is_a_call_for_who_answers_it_himself(read):
    text = '<tool_call name="edit_file"><path>a</path><content>\n  b</content></tool_call>'
    found, errors, _ = read(text, unknown_calls=True)
    assert found == [("edit_file", {"path": "a", "content": "  b"})]
    assert errors == []


def test_an_unknown_parameter_and_a_missing_one_are_left_to_the_validation(calls):
    text = '<tool_call name="get_lines"><file>a.ts</file><start>2</start></tool_call>'
    assert calls(text) == [("get_lines", {"file": "a.ts", "start": 2})]


def test_a_tag_that_does_not_end_is_an_error(schemas, aliases):
    """It would otherwise hold back the whole rest of the reply, and each letter be read again."""
    endless = '<tool_call name="get_lines" ' + 'b="c" ' * 400
    git_status = '<tool_call name="git_status"></tool_call>'
    reply = parse_reply(f"{endless}></tool_call>{git_status}", schemas, aliases=aliases)
    assert [call.name for call in reply.calls] == ["git_status"]
    assert len(reply.errors) == 1
    assert "cannot be read" in reply.errors[0]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_call_in_quotes_is_spoken_of(read, quote):
    text = f"It printed {quote}{LINES}{quote}."
    assert read(text) == ([], [], text)


def test_a_mistake_that_is_repeated_and_repeated_is_told_a_number_of_times(read):
    _, errors, _ = read('<tool_call name="nothing"></tool_call>' * 500)
    assert 1 < len(errors) <= 20
