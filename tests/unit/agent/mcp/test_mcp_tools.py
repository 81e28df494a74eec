import pytest

from ipuaro_jupyter.agent.mcp.mcp_results import McpOutput
from ipuaro_jupyter.agent.mcp.mcp_tools import RemoteTool, as_tools, prefixes
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.tools import Tools


def remote(name="act", *, read_only=True, description="", **schema):
    return RemoteTool(
        server="shop", name=name, description=description, parameters=schema, read_only=read_only
    )


def made(*remotes, sent=None):
    """The tools; what is sent to the server is appended to ``sent``."""

    def call(tool, arguments, _cancel):
        if sent is not None:
            sent.append((tool.name, arguments))
        return McpOutput(server=tool.server, tool=tool.name, content="done")

    return as_tools(remotes, call, prefix="mcp__shop__")


@pytest.fixture
def called(project_in, tmp_path):
    """Return a function that calls a tool and returns what the server gets, else the error."""

    def call(tool, **arguments):
        sent = []
        (again,) = made(tool, sent=sent)
        result = Tools([again]).call(again.name, arguments, project_in(tmp_path))
        return sent[0][1] if sent else result.error.message

    return call


NAMED = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Whose."},
        "count": {"type": "integer"},
        "deep": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "model_dump": {"type": "boolean"},
        "file-path": {"type": "string"},
    },
    "required": ["name"],
}


def test_servers_with_names_that_look_alike_keep_apart():
    found = prefixes(["a.b", "a b", "A_B", "", "x" * 100])
    assert found["a.b"] == "mcp__a_b__"
    assert len({prefix.lower() for prefix in found.values()}) == 5
    assert all(prefix.replace("_", "").isalnum() for prefix in found.values())


def test_names_are_what_models_and_their_servers_take():
    tools = made(remote("get/user"), remote("get user"), remote("y" * 90), remote("\u00e9t\u00e9"))
    names = [tool.name for tool in tools]
    assert names[0] == "mcp__shop__get_user"
    assert len(set(names)) == 4
    for name in names:
        assert len(name) <= 64
        assert name.isascii()
        assert name.replace("_", "").replace("-", "").isalnum()


def test_the_description_names_the_server_and_is_bounded():
    short, long = made(remote("a", description=" Buy. "), remote("b", description="word " * 2000))
    assert short.schema.description == "[MCP server shop] Buy."
    assert len(long.schema.description) < 1400


def test_the_schema_is_passed_on():
    (tool,) = made(remote(**NAMED))
    assert tool.schema.parameters == NAMED
    assert tool.signature == "mcp__shop__act(name, count?, deep?, model_dump?, file-path?)"


def test_an_odd_schema_becomes_one_that_can_be_read():
    (tool,) = made(remote(properties={"a": True, "b": None}, required=["b", "c"]))
    assert tool.schema.parameters == {
        "type": "object",
        "properties": {"a": {}, "b": {}},
        "required": ["b"],
    }


def test_arguments_arrive_under_their_own_names_in_the_order_of_the_schema(called):
    arguments = {"file-path": "a.ts", "model_dump": "true", "count": 2.0, "name": 7}
    sent = called(remote(**NAMED), **arguments)
    assert list(sent.items()) == [
        ("name", "7"), ("count", 2), ("model_dump", True), ("file-path", "a.ts")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "the parameter 'name' is missing"),
        ({"name": None}, "the parameter 'name' is missing"),
        ({"name": "a", "cuont": 1}, "there is no parameter 'cuont' (meant: count?)"),
        ({"name": "a", "count": "many"}, "count='many' should be a valid integer"),
        ({"name": "a", "count": True}, "count=True should be a valid integer"),
        ({"name": "a", "deep": [1]}, "deep=[1] should be a valid dictionary"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_sent(arguments, told, called):
    assert told in called(remote(**NAMED), **arguments)


def test_what_a_schema_allows_goes_through(called):
    schema = {
        "properties": {
            "mode": {"enum": ["fast", "slow"]},
            "size": {"type": "number"},
            "any": {"anyOf": [{"type": "integer"}, {"type": "array"}]},
            "odd": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]},
            "free": {},
        }
    }
    arguments = {"mode": "slow", "size": 3, "any": [1], "odd": {"a": 1}, "free": "x"}
    sent = called(remote(**schema), **arguments)
    assert sent == arguments
    assert isinstance(sent["size"], int)
    assert "mode='medium'" in called(remote(**schema), mode="medium")


def test_a_required_parameter_that_may_be_null_is_sent_as_null(called):
    schema = {
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["string", "null"]}},
        "required": ["a"],
    }
    assert called(remote(**schema), b=None) == {"a": None}


@pytest.mark.parametrize("schema", [{}, {"additionalProperties": True, **NAMED}])
def test_further_arguments_go_through_where_the_schema_says_so(schema, called):
    given = {"name": "a", "argument": 1, "project": {"x": None}}
    assert called(remote(**schema), **given) == given


@pytest.mark.parametrize("more", [{}, {"additionalProperties": False}])
def test_further_arguments_are_refused_elsewhere(more, called):
    assert "no parameter 'x'" in called(remote(**NAMED, **more), name="a", x=1)


def test_only_what_is_marked_read_only_runs_unasked():
    (reads, writes) = made(remote("a"), remote("b", read_only=False))
    assert not reads.asks_first
    assert writes.asks_first


def test_validation_errors_are_the_tools_own():
    (tool,) = made(remote(**NAMED))
    with pytest.raises(ToolError) as caught:
        tool.validate({})
    assert caught.value.type == "validation"
    assert caught.value.suggestion.startswith("Call mcp__shop__act(name")
