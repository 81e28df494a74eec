"""How a reply is read while it comes: early, in one go, and the same however it is cut."""

import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from endless_replies import ENDLESS, LINES, NESTED, fed
from hypothesis import example, given
from hypothesis import strategies as st

import ipuaro_jupyter
from ipuaro_jupyter.llm.text_calls.reply_parser import CLOSING, StreamParser, parse_reply
from ipuaro_jupyter.llm.text_calls.tool_names import decode_entities

PACKAGE = Path(ipuaro_jupyter.__file__).parent


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


@pytest.mark.parametrize("content", ["", "const a = b < c;\n" * 200, f"Say {LINES} first.\n"])
def test_a_call_comes_when_there_is_a_quarter_more_of_it_at_the_latest(schemas, aliases, content):
    call = f'<tool_call name="create_file"><content>\n{content}</content></tool_call>'
    parser = StreamParser(schemas, aliases=aliases)
    pieces = [piece for letter in f"I look. {call[:-1]}" for piece in parser.feed(letter)]
    assert not any(piece.call for piece in pieces)
    assert [piece.begun for piece in pieces if piece.begun] == ["create_file"]
    after = call[-1] + " " + "so " * (len(call) // 12 + 1)
    pieces = [piece for letter in after for piece in parser.feed(letter)]
    assert [piece.call.arguments["content"] for piece in pieces if piece.call] == [content]
    assert "".join(piece.text for piece in pieces) == after[1:]


@pytest.mark.parametrize("bracket", ["[E1]", "[a link](b.md)", "[x, y]", "(see [1])"])
def test_brackets_in_prose_hold_nothing_back(schemas, aliases, bracket):
    parser = StreamParser(schemas, aliases=aliases)
    shown = "".join(piece.text for piece in parser.feed(f"It is 2.5 {bracket}. It grows"))
    assert shown.endswith(". It grows")


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
    shown = "".join(p.text for p in parser.feed('\n```\n{"type": "module", "main": '))
    assert shown.endswith('"main": ')


LONGEST_WAIT = 80


@pytest.mark.parametrize(
    "file",
    [
        *("demo/app/README.md", "agent/prompts/system.md", "agent/context/prompt.py"),
        *("records/key_forms.toml", "cli/project.ipynb", "languages/python/sample.py"),
        *("llm/ollama/messages.py", "languages/javascript/sample.js"),
    ],
)
def test_text_without_calls_passes_as_it_is_and_is_hardly_held_back(schemas, aliases, file):
    """No longer than it takes to see that this is no call: a key, a line of a fence or of code."""
    check_passes(schemas, aliases, (PACKAGE / file).read_text()[:20_000])


def test_marks_of_thinking_in_code_are_hardly_held_back(schemas, aliases):
    lines = [f'`    "{opening}": "{closing}",`\n' for opening, closing in CLOSING.items()]
    check_passes(schemas, aliases, "".join(lines))


def check_passes(schemas, aliases, text):
    parser = StreamParser(schemas, aliases=aliases)
    shown, longest = "", 0
    for read, letter in enumerate(text, 1):
        shown += "".join(piece.text for piece in parser.feed(letter))
        longest = max(longest, read - len(shown))
    shown += "".join(piece.text for piece in parser.finish())
    assert shown == text
    assert longest <= LONGEST_WAIT
    assert (parser.reply.calls, parser.reply.errors) == ((), ())


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
        '[TOOL_CALLS]get_lines[CALL_ID]7[ARGS]{"path": "a"} [TOOL_CALLS] [{"name": "x"}] [/TOOL',
        '<|channel|>analysis<|message|>a<|end|><|start|>assistant to=cat<|message|>{"path": "a"}',
        f"`{LINES}` is `{LINES}` and\n`{LINES}`\n` {LINES}",
        f"```\n<think>{LINES}</think>\n```\n<tools>\n{{}}</tools><function=cat>{{}}</function>",
        "{'name': 'get_lines', 'arguments': {\"a\": '}'}} {name: \"x\"} {“name”: “cat”, “args",
    ],
)
def test_a_text_that_comes_by_the_letter_is_read_the_same(schemas, aliases, text):
    parser, pieces = fed(schemas, aliases, text)
    assert parser.reply == parse_reply(text, schemas, aliases=aliases)
    assert tuple(piece.call for piece in pieces if piece.call) == parser.reply.calls


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_model_that_goes_on_and_on_is_read_as_in_one_go(schemas, aliases, text):
    """Small models repeat themselves until their window is full; a token is a few letters."""
    begun = text[:4000]
    parser, _ = fed(schemas, aliases, begun, size=8)
    assert parser.reply == parse_reply(begun, schemas, aliases=aliases)


def steps(schemas, aliases, text):
    """Return how many lines of our code run for a text that comes in parts."""
    count = 0

    def trace(frame, event, _argument):
        nonlocal count
        if "ipuaro_jupyter" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        fed(schemas, aliases, text, size=8)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", [name for name in ENDLESS if not name.startswith("deep")])
def test_twice_the_text_takes_twice_the_steps(schemas, aliases, name):
    text = ENDLESS[name]
    assert steps(schemas, aliases, text[:3000]) < 3 * steps(schemas, aliases, text[:1500])


@pytest.mark.parametrize("name", NESTED)
def test_twice_the_nesting_takes_twice_the_steps(schemas, aliases, name):
    """What is read in vain is not read again for each of its parts."""
    text = NESTED[name]
    assert steps(schemas, aliases, text(400)) < 3 * steps(schemas, aliases, text(200))
    parser, _ = fed(schemas, aliases, text(200), size=8)
    assert parser.reply == parse_reply(text(200), schemas, aliases=aliases)


FRAGMENTS = st.sampled_from(
    [
        *('<tool_call name="get_lines">', "<tool_call>", "</tool_call>", "<tool_call", "<path>"),
        *("</path>", "<content>", "</content>", "<![CDATA[", "]]>", "<think>", "</think>"),
        *("```json\n", "```", "\n", " ", '{"name": "get_lines", "arguments": ', "{", "}}", "["),
        *('"', "a.ts", "<", ">", "&lt;", "`", '<param name="path">', "</param>", "\\", "◁think▷"),
        *(LINES, '<tool_call name="create_file">', "null", "]", ",", "İ", "\r\n", "'", "/>", ";"),
        *("<function=get_lines>", "</function>", "<parameter=path>", "</parameter>", "<tools>"),
        *('<invoke name="get_lines">', "</invoke>", "[TOOL_CALLS]", "get_lines[ARGS]", "[THINK]"),
        *("<|python_tag|>", "<|channel|>", "analysis", "<|message|>", "<|start|>", "<|end|>"),
        *(" to=functions.get_lines", '{"path": "a.ts"}', "[/THINK]", "{'name': 'cat', 'args': "),
        *('{"type": "function", "function": ', '"name": "cat"', "}", "<reflection>", "~~~"),
        *(
            "get_lines(",
            'path="a.ts"',
            ")",
            "print(",
            "git_status()",
            "functions.",
            "```tool_code\n",
        ),
        *("<get_lines>", "</get_lines>", "<git_status/>", "Action: get_lines\n", "Action Input: "),
        *("Observation:", "<tool_result>", "<arg_key>path</arg_key>", "<arg_value>", "<tool_sep>"),
        *("</arg_value>", "<|tool_call_start|>", "<start_function_call>", "call:get_lines{path:"),
        *(
            "<escape>",
            "assistantcommentary to=get_lines",
            "assistantfinal",
            "analysis",
            "get_lines ",
        ),
        *(
            "<|tool_call_begin|>",
            "<|tool_sep|>",
            '{"get_lines": ',
            "functions.get_lines:0",
            "//",
            ",",
        ),
        *("</tools>", "<function_calls>", "``", "<|call|>", "</reflection>", "2", "true"),
    ]
)
REPLIES = st.lists(FRAGMENTS | st.text(max_size=3), max_size=16).map("".join)
OPTIONS = st.fixed_dictionaries({"unknown_calls": st.booleans()})


@given(text=REPLIES, cuts=st.lists(st.integers(0, 200), max_size=8), options=OPTIONS)
def test_however_the_text_is_cut_it_is_read_the_same(schemas, aliases, text, cuts, options):
    whole = parse_reply(text, schemas, aliases=aliases, **options)
    parser = StreamParser(schemas, aliases=aliases, **options)
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [piece for start, end in pairwise(places) for piece in parser.feed(text[start:end])]
    pieces += parser.finish()
    assert parser.reply == whole
    for piece in pieces:
        fields = (piece.text, piece.thinking, piece.begun, piece.call, piece.error)
        assert sum(map(bool, fields)) == 1
    if "</" not in text and "/" not in text and "◁" not in text:  # nothing is taken back
        assert "".join(piece.text for piece in pieces).strip() == whole.text


ENDS = re.compile(
    r"</tool_call|</function|</invoke|/>|[\"']?(?:name|tool)[\"']?\s*:|\[ARGS\]|TOOL_CALLS|to="
    r"|get_lines|git_status|function"
)


def literally_in(value, texts):
    """Whether a value's words all stand in one of the texts."""
    match value:
        case dict():
            return all(literally_in(inner, texts) for inner in (*value, *value.values()))
        case list():
            return all(literally_in(inner, texts) for inner in value)
        case bool() | None:
            return any(json.dumps(value) in text.lower() for text in texts)
        case str():
            return any(value in text for text in texts)
        case _:
            return any(str(value) in text for text in texts)


@given(text=REPLIES, options=OPTIONS)
def test_nothing_is_invented(schemas, aliases, text, options):
    """Every call has an end, and its name, parameters and values stand literally in the reply."""
    reply = parse_reply(text, schemas, aliases=aliases, **options)
    unescaped = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    joined = text.replace("]]><![CDATA[", "")
    texts = [text, joined, unescaped, decode_entities(text), decode_entities(joined)]
    assert len(reply.calls) <= len(ENDS.findall(text))
    names = {schema.name: schema.name for schema in schemas}
    for call in reply.calls:
        said = [alias for alias, name in aliases.items() if name == call.name]
        said += [names.get(call.name, call.name)]
        assert any(name.lower() in text.lower() for name in said)
        assert literally_in(call.arguments, texts)
    assert len(reply.text) <= len(text)
    rest = iter(text)
    assert all(character in rest for character in reply.text)


@given(text=st.text(alphabet=st.sampled_from("abc <>{}[]`\n\"':,/|=_"), max_size=80))
def test_text_without_calls_stays_as_it_is(schemas, aliases, text):
    reply = parse_reply(text, schemas, aliases=aliases)
    assert (reply.calls, reply.errors, reply.text) == ((), (), text.strip())


@given(before=REPLIES, after=REPLIES)
@example(before="assistantfinal", after="")
@example(before="analysis I look. assistantfinal", after="")
def test_what_is_thought_is_never_run(schemas, aliases, before, after):
    """Whatever comes after a mark that nothing closes, and before one that nothing opened."""
    unclosed = before.replace("</", "").replace("[/", "") + after.replace("</", "")
    thought = f"<thinking>{unclosed}"
    assert parse_reply(thought, schemas, aliases=aliases).calls == ()
    plain = re.sub(r"[`'\"<\[◁|]", "", before)
    assert parse_reply(f"{plain}{LINES}\n</think>", schemas, aliases=aliases).calls == ()
