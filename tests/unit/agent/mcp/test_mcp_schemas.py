import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ollama._client import _copy_tools

from ipuaro_jupyter.agent.mcp.mcp_schemas import readable, type_names
from ipuaro_jupyter.agent.mcp.mcp_tools import RemoteTool, as_tools
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.llm.wire_messages import wire_tool


def entry(schema, **root):
    return readable({"properties": {"a": schema}, **root})["properties"]["a"]


def test_a_plain_schema_stays_as_it_is():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "A.", "minLength": 1, "default": "x"},
            "b": {"type": "array", "items": {"type": "object", "properties": {"c": {}}}},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    found = readable(schema)
    del schema["$schema"]
    assert found == schema


@pytest.mark.parametrize(
    ("schema", "becomes"),
    [
        (
            {"$ref": "#/$defs/size", "description": "How big."},
            {"type": "integer", "minimum": 1, "description": "How big."},
        ),
        ({"$ref": "#/definitions/a~1b"}, {"type": "boolean"}),
        ({"$ref": "https://example.org/schema"}, {}),
        ({"$ref": "#/$defs/none"}, {}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            {"type": ["integer", "null"], "default": None},
        ),
        ({"allOf": [{"$ref": "#/$defs/size"}]}, {"type": "integer", "minimum": 1}),
        (
            {"oneOf": [{"type": "integer"}, {"$ref": "#/definitions/a~1b"}]},
            {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
        ),
        ({"const": "x"}, {"const": "x", "enum": ["x"]}),
        ({"type": "array", "items": {"$ref": "#/$defs/size"}}, None),
        (True, {}),
        (None, {}),
        ({"type": 3, "description": 5, "enum": "no", "x": 1}, {"x": 1}),
    ],
)
def test_what_stands_behind_references_and_choices_is_put_in_their_place(schema, becomes):
    defs = {"size": {"type": "integer", "minimum": 1}}
    found = entry(schema, **{"$defs": defs, "definitions": {"a/b": {"type": "boolean"}}})
    if becomes is None:
        becomes = {"type": "array", "items": {"type": "integer", "minimum": 1}}
    assert found == becomes


def test_a_schema_that_holds_itself_comes_to_an_end():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    found = entry({"$ref": "#/$defs/node"}, **{"$defs": {"node": node}})
    assert found["properties"]["next"]["type"] == "object"
    assert len(json.dumps(found)) < 1000


def test_a_schema_that_grows_beyond_measure_is_cut():
    levels = {
        f"l{n}": {"properties": {f"p{m}": {"$ref": f"#/$defs/l{n + 1}"} for m in range(30)}}
        for n in range(10)
    }
    found = entry({"$ref": "#/$defs/l0"}, **{"$defs": levels})
    assert len(json.dumps(found)) < 50_000


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"anyOf": [{"type": "string"}, {"minimum": 1}]}, {"string", "any"}),
        ({}, set()),
    ],
)
def test_the_types_of_a_schema_are_told(schema, types):
    assert type_names(schema) == types


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["type", "properties", "items", "anyOf", "allOf", "$ref", "enum", "description", "required"]
)
ANYTHING = st.recursive(
    SCALARS | st.sampled_from(["string", "object", "#/$defs/a", "null"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@example({}, {"": {"items": None, "type": "object"}})
@example({}, {"": {"items": {"properties": 1}, "type": "object"}})
@given(st.dictionaries(KEYS, ANYTHING, max_size=5), st.dictionaries(st.text(max_size=3), ANYTHING))
def test_whatever_a_server_says_can_be_sent_to_a_model(schema, properties):
    parameters = readable({**schema, "properties": properties, "$defs": properties})
    assert set(parameters["properties"]) == set(properties)
    assert all(isinstance(type_names(one), set) for one in parameters["properties"].values())
    remote = RemoteTool(server="a", name="b", parameters=parameters)
    (tool,) = as_tools([remote], None, prefix="mcp__a__")
    assert list(_copy_tools([wire_tool(tool.schema)]))
    with suppress(ToolError):
        assert set(tool.validate(dict.fromkeys(properties, "x")).values()) <= {"x"}
