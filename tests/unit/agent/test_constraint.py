"""The schema of replies that cannot be wrong, and what is written by it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ipuaro_jupyter.agent.constraint import call_schema, freed
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.tools.tool import Tool

FILES = {
    "src/fee.ts": "export function fee(kg: number) {\n  return kg\n}\n",
    "src/deep/bill.ts": "import { fee } from '../fee'\nexport class Bill { pay() { fee(1) } }\n",
    "README.md": "# Read me\n",
}
KNOWN_KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"),
    *("const", "$ref", "$defs"),
}
QUESTION = [Message(role="user", content="What does `pay` in src/deep/bill.ts do?")]


@pytest.fixture
def project(open_assistant, make_project):
    return open_assistant(make_project(FILES), []).project()


def keywords(schema):
    """Yield the keywords of a schema and of those in it."""
    if isinstance(schema, list):
        for inner in schema:
            yield from keywords(inner)
    if isinstance(schema, dict):
        yield from schema
        for key, inner in schema.items():
            if key in {"properties", "$defs"}:
                for entry in inner.values():
                    yield from keywords(entry)
            elif key not in {"enum", "const", "required"}:
                yield from keywords(inner)


def test_calls_of_the_tools_and_an_answer_are_all_that_fits(project):
    schema = call_schema(load_tools(), project.index, QUESTION)
    Draft202012Validator.check_schema(schema)
    fits = Draft202012Validator(schema).is_valid
    assert fits({"answer": "It pays."})
    assert fits({"name": "get_lines", "arguments": {"path": "src/fee.ts", "start": 1}})
    assert fits({"name": "get_function", "arguments": {"path": "src/fee.ts", "name": "Bill.pay"}})
    assert fits({"name": "grep", "arguments": {"pattern": "fee", "path": "src/deep"}})
    assert fits({"name": "git_status", "arguments": {}})
    assert not fits({"name": "get_lines", "arguments": {"path": "src/none.ts"}})
    assert not fits({"name": "get_lines", "arguments": {}})
    assert not fits({"name": "get_lines", "arguments": {"path": "src/fee.ts", "file": "x"}})
    assert not fits({"name": "find_definition", "arguments": {"symbol": "nothing"}})
    assert not fits({"name": "no_such_tool", "arguments": {}})
    assert not fits({"text": "It pays."})


def test_new_files_may_have_any_name(project):
    schema = call_schema(load_tools(), project.index, QUESTION)
    for name, parameter in (("create_file", "path"), ("write_file", "path")):
        arguments = {parameter: "src/new.ts", "content": "x"}
        assert Draft202012Validator(schema).is_valid({"name": name, "arguments": arguments})


def test_what_the_question_and_the_results_name_comes_first(project):
    messages = [
        *QUESTION,
        Message(role="tool", call_id="1", tool="grep", content="src/fee.ts:1: export function fee"),
    ]
    listed = call_schema(load_tools(), project.index, messages)["$defs"]
    assert listed["file"]["enum"][:2] == ["src/deep/bill.ts", "src/fee.ts"]
    assert listed["symbol"]["enum"][:2] == ["Bill.pay", "pay"]
    assert "fee" in listed["symbol"]["enum"]
    assert {".", "src", "src/deep"} == set(listed["folder"]["enum"])


def test_at_most_two_hundred_names_are_listed(open_assistant, make_project):
    files = {f"src/part{n:03}.ts": f"export const value{n:03} = {n}\n" for n in range(230)}
    index = open_assistant(make_project(files), []).project().index
    question = [Message(role="user", content="What is value229 in part229.ts?")]
    listed = call_schema(load_tools(), index, question)["$defs"]
    assert {len(kind["enum"]) for kind in listed.values()} <= {2, 200}
    assert listed["file"]["enum"][0] == "src/part229.ts"
    assert listed["symbol"]["enum"][0] == "value229"


def test_only_keywords_are_used_that_grammars_know(project):
    odd = {
        "type": "object",
        "properties": {
            "how": {"$ref": "#/$defs/How"},
            "many": {"type": ["integer", "null"], "minimum": 3, "description": "How many."},
            "where": {"oneOf": [{"type": "string", "format": "uri"}, {"const": 1}]},
            "list": {"type": "array", "items": {"type": "string", "pattern": "x"}, "minItems": 1},
            "enum": {"enum": []},
            "any": {"anyOf": []},
            "one": {"oneOf": []},
            "type": {"type": []},
            "inner": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
        },
        "$defs": {"How": {"enum": ["a"]}},
    }
    foreign = Tool(
        name="foreign",
        function=print,
        schema=ToolSchema(name="foreign", description="", parameters=odd),
        arguments=Chunk,
    )
    schema = call_schema([*load_tools(), foreign], project.index, QUESTION)
    assert set(keywords(schema)) <= KNOWN_KEYWORDS
    fits = Draft202012Validator(schema).is_valid
    assert fits({"name": "foreign", "arguments": {"how": {"any": 1}, "many": 1, "where": "x"}})
    assert fits({"name": "foreign", "arguments": dict.fromkeys(("enum", "any", "one", "type"), 1)})
    assert not fits({"name": "foreign", "arguments": {"inner": {}}})


def read(text, *, size=3):
    pieces = [text[n : n + size] for n in range(0, len(text), size)]
    chunks = list(freed(Chunk(text=piece) for piece in pieces))
    said = "".join(chunk.text for chunk in chunks)
    return said, [call for chunk in chunks for call in chunk.calls]


@given(text=st.text(), size=st.integers(1, 9), ascii_only=st.booleans(), indent=st.booleans())
def test_an_answer_is_read_back(text, size, ascii_only, indent):
    written = json.dumps({"answer": text}, ensure_ascii=ascii_only, indent=2 if indent else None)
    assert read(written, size=size) == (text, [])


def test_an_answer_streams():
    chunks = freed(Chunk(text=piece) for piece in ('{"ans', 'wer": "It ', "is ", 'one."', "}"))
    assert [chunk.text for chunk in chunks] == ["", "It ", "is ", "one.", "", ""]


def test_a_call_is_read_back():
    call = ToolCall(name="get_lines", arguments={"path": "a.ts", "start": 2})
    written = json.dumps({"name": call.name, "arguments": call.arguments})
    assert read(written) == ("", [call])


@pytest.mark.parametrize(
    "text",
    [
        "It is one.",
        "",
        "{",
        '{"answer',
        '{"path": "a.ts"}',
        '<tool_call name="get_lines">\n<path>a.ts</path>\n</tool_call>',
        '{"name": "get_lines", "argum',
    ],
)
def test_what_is_written_in_another_form_is_left_as_it_is(text):
    assert read(text) == (text, [])


def test_an_answer_that_is_cut_off_is_kept():
    assert read('{"answer": "Half an ans')[0] == "Half an ans"
