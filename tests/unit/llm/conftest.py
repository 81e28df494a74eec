import pytest

from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema


@pytest.fixture
def open_model(ollama_server):
    """Return how to open a model of the test server; it is closed afterwards."""
    opened = []

    def open_it(**settings):
        opened.append(OllamaModel(LlmSettings(**{"host": ollama_server.url, **settings})))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


def _schema(tool, required=(), **types):
    properties = {
        name: {"type": type_} if isinstance(type_, str) else type_ for name, type_ in types.items()
    }
    return ToolSchema(
        name=tool,
        description="",
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(required),
        },
    )


@pytest.fixture(scope="session")
def schemas():
    strings = {"type": "array", "items": {"type": "string"}}
    return (
        _schema("get_lines", ["path"], path="string", start="integer", end="integer"),
        _schema("get_function", ["path", "name"], path="string", name="string"),
        _schema(
            "edit_lines",
            ["path", "start", "end", "content"],
            path="string",
            start="integer",
            end="integer",
            content="string",
        ),
        _schema("create_file", ["path", "content"], path="string", content="string"),
        _schema("delete_file", ["path"], path="string"),
        _schema(
            "update_file",
            ["filepath", "target", "patch"],
            filepath="string",
            target="string",
            patch="string",
        ),
        _schema("read_file", ["filepath"], filepath="string"),
        _schema("git_status"),
        _schema("git_diff", path="string", staged="boolean"),
        _schema("git_commit", ["message"], message="string", files=strings),
        _schema("get_todos", path="string", type="string"),
        _schema("run_command", ["command"], command="string", timeout="integer"),
        _schema("search", ["query"], query="string", options={"type": "object"}, ratio="number"),
    )


@pytest.fixture(scope="session")
def aliases():
    return {"read_file": "get_lines", "cat": "get_lines", "view_file": "get_lines"}


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
