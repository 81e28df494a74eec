"""What a model's text is taken apart into."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.llm.text_calls import StreamParser, meant_call, parse_reply
from ipuaro_jupyter.records.chat import ToolCall

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.fixture
def read(schemas, aliases):
    """Parse a text; (name, arguments) of its calls, the errors, the text."""

    def parse(text, **options):
        reply = parse_reply(text, schemas, aliases=aliases, **options)
        return [(c.name, c.arguments) for c in reply.calls], list(reply.errors), reply.text

    return parse


@pytest.fixture
def calls(read):
    """Parse a text that holds nothing wrong; return (name, arguments) of its calls."""

    def parse(text):
        found, errors, _ = read(text)
        assert errors == []
        return found

    return parse


@pytest.fixture
def value(calls):
    """Return what is read from between the tags of a parameter."""

    def parse(inner, tool="create_file", parameter="content"):
        found = calls(f'<tool_call name="{tool}"><{parameter}>{inner}</{parameter}></tool_call>')
        return found[0][1][parameter]

    return parse


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
        ("R&amp;D/&#97;&#x2e;ts", "R&D/a.ts"),
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


def test_tags_that_are_spoken_of_are_text(read):
    text = 'Write `<tool_call name="x">`, end with `</tool_call>`; `<think>` and "</think>" too.'
    assert read(text) == ([], [], text)


def test_a_call_in_a_fence_is_a_call_and_its_fence_goes(read):
    text = f"First:\n```xml\n{LINES}\n```\nThen:\n```\n{LINES}{LINES}```\n"
    found, errors, rest = read(text)
    assert (len(found), errors) == (3, [])
    assert rest.split() == ["First:", "Then:"]


def test_a_fence_with_more_than_calls_stays(read):
    text = f"```ts\nconst a = 1\n{LINES}\n```\n```\n```"
    assert read(text) == (
        [("get_lines", {"path": "a.ts"})],
        [],
        "```ts\nconst a = 1\n\n```\n```\n```",
    )


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
        ('<tool_call name="get_lines>\n<path>a</path></tool_call>', "cannot be read"),
        ('<tool_call name="get_lines">[1, 2]</tool_call>', "arguments"),
        ("<tool_call>{'name': 'get_lines'}</tool_call>", "not valid JSON"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_why(read, text, said):
    """The rest of the reply is read all the same."""
    found, errors, rest = read(f"{text} and {LINES}")
    assert (found, rest) == ([("get_lines", {"path": "a.ts"})], "and")
    assert len(errors) == 1
    assert said in errors[0]


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


def test_an_alias_counts_when_its_tool_takes_the_parameters(calls):
    text = '<tool_call name="View_File"><path>a.ts</path></tool_call>'
    assert calls(text) == [("get_lines", {"path": "a.ts"})]


def test_an_alias_with_foreign_parameters_is_unknown_and_told_the_form(read):
    found, errors, _ = read('<tool_call name="cat"><file>a.ts</file></tool_call>')
    assert found == []
    assert "Use one of: get_lines(path, start?, end?)" in errors[0]


def test_a_tool_comes_before_the_alias_of_its_name(calls):
    assert calls('<tool_call name="read_file"><filepath>a.ts</filepath></tool_call>') == [
        ("read_file", {"filepath": "a.ts"})
    ]
    assert calls('<tool_call name="read_file"><path>a.ts</path></tool_call>') == [
        ("get_lines", {"path": "a.ts"})
    ]
    assert calls('<tool_call name="read_file"><file>a.ts</file></tool_call>') == [
        ("read_file", {"file": "a.ts"})
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("read_file", {"path": "a"}, "get_lines"),
        ("read_file", {"filepath": "a"}, "read_file"),
        ("Get_Lines", {"file": "a"}, "get_lines"),
        ("cat", {"file": "a"}, "cat"),
        ("edit_file", {"path": "a"}, "edit_file"),
    ],
)
def test_a_native_call_is_given_the_name_of_the_tool_it_means(
    schemas, aliases, name, arguments, meant
):
    call = ToolCall(name=name, arguments=arguments, id="7")
    expected = ToolCall(name=meant, arguments=arguments, id="7")
    assert meant_call(call, schemas, aliases=aliases) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}',
        '{"tool": "get_lines", "args": {"path": "a.ts"}}',
        '{"name": "Get_Lines", "parameters": {"path": "a.ts"}}',
        '{"function": "get_lines", "arguments": {"path": "a.ts"}}',
        '{"arguments": {"path": "a.ts"}, "name": "get_lines"}',
        '{"name": "get_lines", "arguments": "{\\"path\\": \\"a.ts\\"}"}',
        '{"type": "function", "function": {"name": "get_lines", "arguments": {"path": "a.ts"}}}',
        '{"tool_calls": [{"name": "get_lines", "arguments": {"path": "a.ts"}}]}',
        '[{"name": "get_lines", "arguments": {"path": "a.ts"}}]',
        '```json\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n```',
        '```\n\n  {"name": "get_lines",\n "arguments": {"path": "a.ts"}}```',
        '```json {"name": "get_lines", "arguments": {"path": "a.ts"}} ```',
        '{"name": "cat", "arguments": {"path": "a.ts"}}',
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>',
        '<tool_call name="get_lines">{"path": "a.ts"}</tool_call>',
    ],
)
def test_json_calls_come_in_several_forms(read, text):
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "")


def test_json_strings_may_hold_braces_quotes_and_newlines(calls):
    text = '{"name":"create_file","arguments":{"path":"a","content":"{ \\"}\\" }\n}]\\\\"}}'
    assert calls(text) == [("create_file", {"path": "a", "content": '{ "}" }\n}]\\'})]


def test_json_values_that_were_quoted_are_typed(calls):
    text = (
        '{"name": "get_lines", "arguments": {"path": "7", "start": "2"}}\n'
        '{"name": "git_commit", "arguments": {"message": "m", "files": "[\\"a\\"]"}}'
    )
    assert calls(text) == [
        ("get_lines", {"path": "7", "start": 2}),
        ("git_commit", {"message": "m", "files": ["a"]}),
    ]


def test_several_json_calls_keep_their_order_and_the_text(read):
    text = (
        'First {"name": "git_status", "arguments": {}},\n{"tool": "get_todos"}\nthen\n'
        '```json\n{"name": "git_diff", "arguments": null}\n```\nend'
    )
    found, errors, rest = read(text)
    assert [name for name, _ in found] == ["git_status", "get_todos", "git_diff"]
    assert errors == []
    assert rest.split() == ["First", "then", "end"]


@pytest.mark.parametrize(
    "text",
    [
        'The manifest: {"name": "yard", "arguments": {"x": 1}}',
        '{"arguments": {"x": 1}, "name": "yard"}',
        '{"name": "git_status"}',
        '{"calls": [{"name": "git_status", "arguments": {}}]}',
        'call({"name": "git_status", "arguments": {}})',
        '```ts\nconst call =\n  {"name": "git_status", "arguments": {}}\n```',
        '{"name": "git_status", "version": "1.0"',
        "{ name: 1 } [link](x) [1, 2] {",
    ],
)
def test_other_json_is_text(read, text):
    assert read(text) == ([], [], text)


def test_json_beside_a_call_in_tags_is_text(read):
    json_call = '{"name": "git_status", "arguments": {}}'
    for text in (f"{json_call}\n{LINES}", f"{LINES}\n{json_call}"):
        assert read(text) == ([("get_lines", {"path": "a.ts"})], [], json_call)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "get_lines", "arguments": {"path": "a.ts"', "cut off"),
        ('{"name": "get_lines", "arguments": {"path": a.ts}}', "not valid JSON"),
        ('{"name": "get_lines", "arguments": "path"}', "no JSON"),
        ('{"name": "get_lines", "arguments": [1]}', "no JSON object"),
        (
            '[{"name": "get_lines", "arguments": {"path": "a"}}, {"name": "x", "arguments": {}}]',
            "There is no tool 'x'",
        ),
    ],
)
def test_a_json_call_that_cannot_be_read_is_an_error(read, text, said):
    _, errors, rest = read(f"Now {text}")
    assert len(errors) == 1
    assert said in errors[0]
    assert rest == "Now"


def test_text_streams_and_a_call_comes_as_soon_as_it_closes(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    assert [p.text for p in parser.feed("Let me look. a <")] == ["Let me look. a "]
    assert [p.text for p in parser.feed(" b")] == ["< b"]
    assert parser.feed("<tool") == []
    parts = ('_call name="get_lines">', "<path>a.ts</path></tool_call")
    assert [p.begun for part in parts for p in parser.feed(part)] == ["get_lines"]
    (piece,) = parser.feed("> so")[:1]
    assert piece.call is not None
    assert piece.call.name == "get_lines"


def test_thinking_streams_apart_from_the_text(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    pieces = [p for part in ("<thi", "nk>a b", " c</th", "ink>d") for p in parser.feed(part)]
    pieces += parser.finish()
    assert "".join(p.thinking for p in pieces) == "a b c"
    assert "".join(p.text for p in pieces) == "d"


def test_data_that_begins_like_a_call_is_let_go_early(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    shown = "".join(p.text for p in parser.feed('```json\n{"name": "yard", "version": '))
    assert shown == '```json\n{"name": "yard", "version": '


@pytest.mark.parametrize(
    "text",
    [
        f"First.\n```xml\n{LINES}\n```\n`code` and ```\n```ts\na = `b`\n```` \n```x\n```\nEnd {{",
        f"```\n{LINES}",
        "```\n\n",
        "```ts",
        f"a < b `<think>` <think>no {LINES}</think> yes </think>`</think>`<thin",
        "it says '<think>",
        "</tool_call> and `</tool_call>` and </tool_call",
        '<tool_call name="get_lines"><path><![CDATA[a]]></path></tool_call>',
        "<tool_call name=\"search\"><query>a <b c=1 d='2' e/> </query></tool_call> [THI",
        '["a"] [{"name": "get_lines", "arguments": {"path": "a\\"b"}}] x',
        '{"name": "get_lines", "arguments": {}} <tool_call name="git_status" />',
        '{"a": {"name": "get_lines"}} {"name": "git_status", "arguments": {',
        '<tool_call> is a tag. {"tool": "git_status"}',
    ],
)
def test_a_text_that_comes_by_the_letter_is_read_the_same(schemas, aliases, text):
    parser = StreamParser(schemas, aliases=aliases)
    pieces = [piece for letter in text for piece in parser.feed(letter)] + parser.finish()
    assert parser.reply == parse_reply(text, schemas, aliases=aliases)
    assert tuple(piece.call for piece in pieces if piece.call) == parser.reply.calls


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call name="create_file"><path>a</path><content>' + "<b>x</b>\n" * 4000,
        "<tool_call " * 4000,
        '<tool_call name="' * 2500,
        '<tool_call name="a" ' + 'b="c" ' * 7000,
        "<tool_call " + " " * 40_000,
        '{"name": "get_lines", ' * 5000,
        '{"name": "create_file", "arguments": {"content": "' + '\\"a\\" {\\n' * 4000,
        '{"name": "get_lines" ' * 5000,
        "<think>" + "a < b " * 5000,
        "<" * 20_000,
        "`" * 20_000,
        "[{" * 20_000,
        '<tool_call>[{"tool_calls": ' + "[" * 5000 + "]" * 5000 + "}]</tool_call>",
        '{"tool": "git_status", "args": ' + '{"function": ' * 900 + "1" + "}" * 901,
    ],
    ids=lambda text: text[:30],
)
@pytest.mark.timeout(30)
def test_a_model_that_goes_on_and_on_is_read_in_time(schemas, aliases, text):
    """Small models repeat themselves until their window is full; a token is a few letters."""
    parser = StreamParser(schemas, aliases=aliases)
    began = time.process_time()
    for start in range(0, len(text), 8):
        parser.feed(text[start : start + 8])
    parser.finish()
    assert time.process_time() - began < 10
    assert len(parser.reply.calls) <= 1


def test_a_tag_that_does_not_end_is_an_error(schemas, aliases):
    """It would otherwise hold back the whole rest of the reply, and each letter be read again."""
    endless = '<tool_call name="get_lines" ' + 'b="c" ' * 400
    git_status = '<tool_call name="git_status"></tool_call>'
    reply = parse_reply(f"{endless}></tool_call>{git_status}", schemas, aliases=aliases)
    assert [call.name for call in reply.calls] == ["git_status"]
    assert len(reply.errors) == 1
    assert "cannot be read" in reply.errors[0]


FRAGMENTS = st.sampled_from(
    [
        *('<tool_call name="get_lines">', "<tool_call>", "</tool_call>", "<tool_call", "<path>"),
        *("</path>", "<content>", "</content>", "<![CDATA[", "]]>", "<think>", "</think>"),
        *("```json\n", "```", "\n", " ", '{"name": "get_lines", "arguments": ', "{", "}}", "["),
        *('"', "a.ts", "<", ">", "&lt;", "`", '<param name="path">', "</param>", "\\", "◁think▷"),
        *(LINES, '<tool_call name="create_file">', "null", "]", ",", "İ", "\r\n", "'", "/>"),
    ]
)
REPLIES = st.lists(FRAGMENTS | st.text(max_size=3), max_size=14).map("".join)


@settings(deadline=None)
@given(text=REPLIES, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_however_the_text_is_cut_it_is_read_the_same(schemas, aliases, text, cuts):
    whole = parse_reply(text, schemas, aliases=aliases)
    parser = StreamParser(schemas, aliases=aliases)
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [piece for start, end in pairwise(places) for piece in parser.feed(text[start:end])]
    pieces += parser.finish()
    assert parser.reply == whole
    for piece in pieces:
        fields = (piece.text, piece.thinking, piece.begun, piece.call, piece.error)
        assert sum(map(bool, fields)) == 1


@settings(deadline=None)
@given(text=REPLIES)
def test_nothing_is_invented(schemas, aliases, text):
    """Every call has its closing tag or is JSON, every word of the text stands in the reply."""
    reply = parse_reply(text, schemas, aliases=aliases)
    in_tags = text.count("</tool_call>") + text.count("/>")
    assert len(reply.calls) <= in_tags + text.count('"name"')
    assert len(reply.text) <= len(text)
    rest = iter(text)
    assert all(character in rest for character in reply.text)


@settings(deadline=None)
@given(text=st.text(alphabet=st.sampled_from("abc <>{}[]`\n\"':,/"), max_size=60))
def test_text_without_calls_stays_as_it_is(schemas, aliases, text):
    reply = parse_reply(text, schemas, aliases=aliases)
    assert (reply.calls, reply.errors, reply.text) == ((), (), text.strip())
