"""Calls in tags."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


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


def test_a_call_quoted_in_a_parameter_is_no_call(calls):
    quoted = f'Do this:\n{LINES}\n<tool_call name="delete_file"><path>x</path></tool_call>\n'
    inner = '<tool_call name="create_file"><path>b</path><content>c</content></tool_call>'
    for body in (quoted, inner, inner + quoted):
        text = (
            f'<tool_call name="create_file"><path>a.md</path><content>{body}</content></tool_call>'
        )
        assert calls(text) == [("create_file", {"path": "a.md", "content": body})]


def test_a_tag_that_does_not_end_is_an_error(schemas, aliases):
    """It would otherwise hold back the whole rest of the reply, and each letter be read again."""
    endless = '<tool_call name="get_lines" ' + 'b="c" ' * 400
    git_status = '<tool_call name="git_status"></tool_call>'
    reply = parse_reply(f"{endless}></tool_call>{git_status}", schemas, aliases=aliases)
    assert [call.name for call in reply.calls] == ["git_status"]
    assert len(reply.errors) == 1
    assert "cannot be read" in reply.errors[0]


def test_a_mistake_that_is_repeated_and_repeated_is_told_a_number_of_times(read):
    _, errors, _ = read('<tool_call name="nothing"></tool_call>' * 500)
    assert 1 < len(errors) <= 20
