"""The schemas and aliases of some tools, for replies that are read."""

import pytest

from ipuaro_jupyter.records.chat import ToolSchema


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
