"""``ipuaro mcp``: its tools, and what they answer."""

import asyncio
import json

import pytest
from clients import EDIT, FILES, MODES, WITHIN_S, User, run, served, text

from ipuaro_jupyter.tools import load_tools

READING = {tool.name for tool in load_tools() if not tool.runs_alone}


@pytest.mark.parametrize("mode", MODES)
def test_tools_that_read_are_listed_with_their_schemas(root, mode):
    async def talk():
        async with served(root, mode=mode) as client:
            return client.server_info, client.instructions, await client.list_tools()

    info, instructions, listed = run(talk())
    assert info.name == "ipuaro_jupyter"
    assert str(root) in instructions
    assert {tool.name for tool in listed.tools} == READING
    ours = {tool.name: tool for tool in load_tools()}
    for tool in listed.tools:
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.description == ours[tool.name].schema.description
        assert tool.input_schema == ours[tool.name].schema.parameters


def test_all_tools_are_listed_when_they_may_write(root):
    async def talk():
        async with served(root, "--write") as client:
            return await client.list_tools()

    listed = {tool.name: tool.annotations for tool in run(talk()).tools}
    assert set(listed) == {tool.name for tool in load_tools() if not tool.in_notebook}
    assert listed["edit_lines"].read_only_hint is False
    assert listed["edit_lines"].destructive_hint is True
    assert {name for name, hints in listed.items() if hints.read_only_hint} == READING


@pytest.mark.parametrize("mode", MODES)
def test_results_are_text_and_the_documented_output(root, mode):
    async def talk():
        async with served(root, mode=mode) as client:
            return await client.call_tool("find_definition", {"symbol": "login"})

    result = run(talk())
    assert not result.is_error
    assert "a.ts:1 (function)" in text(result)
    assert result.structured_content["success"] is True
    (found,) = result.structured_content["output"]["definitions"]
    assert (found["path"], found["line"]) == ("a.ts", 1)


def test_errors_are_results_that_say_what_to_do(root):
    async def talk():
        async with served(root) as client:
            calls = [
                ("get_lines", {"path": "../secret"}),
                ("get_lines", {"pth": "a.ts"}),
                ("get_line", {"path": "a.ts"}),
                ("edit_lines", EDIT),
                ("job", {"id": "1"}),
                ("last_error", {}),
            ]
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    outside, misspelt, unknown, writing, job, kernel = run(talk())
    for result in (outside, misspelt, unknown, writing, job, kernel):
        assert result.is_error
        assert result.structured_content["success"] is False
    assert "outside of the project" in text(outside)
    assert "meant: path?" in text(misspelt)
    assert "get_lines(path" in text(unknown)
    assert "edit_lines" not in text(unknown)
    assert "--write" in text(writing)
    assert "--write" in text(job)
    assert "not in a terminal, a script or an MCP client" in text(kernel)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


def test_names_that_models_give_to_reading_tools_work(root):
    async def talk():
        async with served(root) as client:
            return await client.call_tool("Read_Lines", {"path": "b.ts"})

    assert "export const b = 2;" in text(run(talk()))


def test_the_index_follows_the_files(root):
    async def talk():
        async with served(root) as client:
            await client.call_tool("find_definition", {"symbol": "later"})
            (root / "c.ts").write_text("export function later() {}\n")
            for _ in range(WITHIN_S * 10):
                result = await client.call_tool("find_definition", {"symbol": "later"})
                if "c.ts:1" in text(result):
                    return True
                await asyncio.sleep(0.1)
        return False

    assert run(talk())


def test_secrets_are_hidden_and_their_placeholders_are_not_written(root):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (root / "key.ts").write_text(f'const token = "{secret}";\n')

    async def talk():
        async with served(root, "--write", user=User()) as client:
            read = await client.call_tool("get_lines", {"path": "key.ts"})
            shown = text(read).partition('"')[2].partition('"')[0]
            copied = {"path": "copy.ts", "content": f'const token = "{shown}";\n'}
            return read, shown, await client.call_tool("create_file", copied)

    read, shown, copied = run(talk())
    assert shown.startswith("[redacted:")
    assert secret not in text(read) + json.dumps(read.structured_content)
    assert copied.is_error
    assert "stands for a value that is hidden from you" in text(copied)
    assert not (root / "copy.ts").exists()
