"""Calls that are written as text are read as they were."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.llm.text_calls.call_format import format_call
from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser, parse_reply
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.tools import load_tools

HOSTILE = st.lists(
    st.sampled_from(
        [
            *("</content>", "<content>", "</tool_call>", '<tool_call name="delete_file">'),
            *("<![CDATA[", "]]>", "]]", ">", "<path>", "</path>", "&lt;", "null", "\n", "\r\n"),
            *("<think>", "</think>", "```", '{"name": "git_status", "arguments": {}}', " ", "a"),
            *("</param>", '<param name="path">', "</CONTENT>", "'", '"', "</content >"),
            *("<function=get_lines>", "</function>", "[TOOL_CALLS]", "<|channel|>", "true", "1"),
        ]
    )
    | st.text(max_size=4),
    max_size=8,
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def there_and_back(call, schemas, aliases):
    schema = next(s for s in schemas if s.name == call.name)
    reply = parse_reply(format_call(call, schema), schemas, aliases=aliases)
    assert reply.errors == ()
    assert reply.text == ""
    assert reply.calls == (call,)


def values(entry):
    """Return a strategy for values of a parameter, as its JSON schema has them, and nasty."""
    inner = entry.get("items") or entry.get("additionalProperties")
    kinds = {
        "string": st.sampled_from(entry["enum"]) if "enum" in entry else HOSTILE,
        "integer": st.integers(),
        "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "array": st.lists(values(inner) if inner else JSON, max_size=3),
        "object": st.dictionaries(HOSTILE, values(inner) if inner else JSON, max_size=3),
    }
    return kinds[entry["type"]]


@st.composite
def calls(draw, schema):
    """Return a strategy for calls of a tool, their parameters in any order."""
    entries = schema.parameters["properties"]
    needed = set(schema.parameters["required"])
    names = draw(st.permutations(sorted(entries)))
    given = [name for name in names if name in needed or draw(st.booleans())]
    return ToolCall(
        name=schema.name, arguments={name: draw(VALUES[schema.name][name]) for name in given}
    )


TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)
VALUES = {  # made once: a strategy is costly to make
    schema.name: {name: values(entry) for name, entry in schema.parameters["properties"].items()}
    for schema in SCHEMAS
}


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
@given(data=st.data())
def test_every_tool_is_called_as_it_was(schema, data):
    """What is written is read, by the letter, too."""
    call = data.draw(calls(schema))
    there_and_back(call, SCHEMAS, TOOLS.aliases)
    text = f"I look.\n{format_call(call, schema)}\nSo."
    parser = StreamParser(SCHEMAS, aliases=TOOLS.aliases)
    for letter in text:
        parser.feed(letter)
    parser.finish()
    assert (parser.reply.calls, parser.reply.errors) == ((call,), ())
    assert parser.reply.text.split() == ["I", "look.", "So."]


@given(path=HOSTILE, content=HOSTILE)
@example(path="a", content="]]><![CDATA[")
@example(path="null", content="\n\n  a\n")
def test_hostile_code_survives(schemas, aliases, path, content):
    call = ToolCall(name="create_file", arguments={"path": path, "content": content})
    there_and_back(call, schemas, aliases)


@given(filepath=HOSTILE, target=HOSTILE, patch=HOSTILE)
def test_all_code_parameters_survive(schemas, aliases, filepath, target, patch):
    arguments = {"target": target, "patch": patch, "filepath": filepath}
    there_and_back(ToolCall(name="update_file", arguments=arguments), schemas, aliases)


@given(
    query=HOSTILE,
    options=st.dictionaries(HOSTILE, JSON, max_size=3),
    ratio=st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_every_json_type_survives(schemas, aliases, query, options, ratio):
    arguments = {"query": query, "options": options, "ratio": ratio}
    there_and_back(ToolCall(name="search", arguments=arguments), schemas, aliases)


@given(type_=HOSTILE, path=HOSTILE)
def test_optional_texts_survive(schemas, aliases, type_, path):
    there_and_back(
        ToolCall(name="get_todos", arguments={"type": type_, "path": path}), schemas, aliases
    )


def test_a_call_reads_well(schemas):
    schema = next(s for s in schemas if s.name == "edit_lines")
    arguments = {"path": "V.tsx", "start": 2, "end": None, "content": "  <b>\n  </b>"}
    assert format_call(ToolCall(name="edit_lines", arguments=arguments), schema) == (
        '<tool_call name="edit_lines">\n<path>V.tsx</path>\n<start>2</start>\n'
        "<content>\n  <b>\n  </b></content>\n</tool_call>"
    )


def test_names_that_are_no_tags_become_attributes(schemas):
    call = ToolCall(name="search", arguments={"$filter": "a", "tool_call": "b"})
    text = format_call(call, next(s for s in schemas if s.name == "search"))
    assert '<param name="$filter">a</param>' in text
    assert parse_reply(text, schemas, aliases={}).calls == (call,)
