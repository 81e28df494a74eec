"""Calls that are written as text are read as they were."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.llm.text_calls import format_call, parse_reply
from ipuaro_jupyter.records.chat import ToolCall

HOSTILE = st.lists(
    st.sampled_from(
        [
            *("</content>", "<content>", "</tool_call>", '<tool_call name="delete_file">'),
            *("<![CDATA[", "]]>", "]]", ">", "<path>", "</path>", "&lt;", "null", "\n", "\r\n"),
            *("<think>", "</think>", "```", '{"name": "git_status", "arguments": {}}', " ", "a"),
            *("</param>", '<param name="path">', "</CONTENT>", "'", '"', "</content >"),
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


@settings(deadline=None)
@given(path=HOSTILE, content=HOSTILE)
@example(path="a", content="]]><![CDATA[")
@example(path="null", content="\n\n  a\n")
def test_hostile_code_survives(schemas, aliases, path, content):
    call = ToolCall(name="create_file", arguments={"path": path, "content": content})
    there_and_back(call, schemas, aliases)


@settings(deadline=None)
@given(filepath=HOSTILE, target=HOSTILE, patch=HOSTILE)
def test_all_code_parameters_survive(schemas, aliases, filepath, target, patch):
    arguments = {"target": target, "patch": patch, "filepath": filepath}
    there_and_back(ToolCall(name="update_file", arguments=arguments), schemas, aliases)


@settings(deadline=None)
@given(
    query=HOSTILE,
    options=st.dictionaries(HOSTILE, JSON, max_size=3),
    ratio=st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_every_json_type_survives(schemas, aliases, query, options, ratio):
    arguments = {"query": query, "options": options, "ratio": ratio}
    there_and_back(ToolCall(name="search", arguments=arguments), schemas, aliases)


@settings(deadline=None)
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
