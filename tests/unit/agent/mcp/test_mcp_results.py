import base64
import json

import pytest

from ipuaro_jupyter.agent.mcp.mcp_results import read_result
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import ToolResult


def read(*content, **more):
    return read_result({"content": list(content), **more}, server="shop", tool="buy")


def said(text):
    return {"type": "text", "text": text}


DATA = base64.b64encode(b"1234567").decode()


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (said("as it is\n"), "as it is\n"),
        (
            {"type": "image", "data": DATA, "mimeType": "image/png"},
            "[image image/png, 7 bytes, not shown]",
        ),
        (
            {"type": "audio", "data": DATA, "mimeType": "audio/wav"},
            "[audio audio/wav, 7 bytes, not shown]",
        ),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}, "a:b:\ninside"),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": DATA}},
            "[file a:b, 7 bytes, not shown]",
        ),
        (
            {"type": "resource_link", "uri": "a:b", "name": "b", "description": "The b."},
            "[link to b a:b: The b.]",
        ),
        ({"type": "hologram"}, "[hologram, not shown]"),
    ],
)
def test_each_kind_of_content_is_text(block, text):
    assert read(block).text() == text


def test_pieces_stand_on_lines_of_their_own():
    assert read(said("one"), said("two")).text() == "one\ntwo"


def test_structured_content_is_kept_and_told_when_there_is_no_text():
    output = read(structuredContent={"a": [1, None]})
    assert json.loads(output.text()) == {"a": [1, None]}
    assert output.structured_content == {"a": [1, None]}


def test_text_counts_over_structured_content():
    assert read(said("short"), structuredContent={"a": 1}).text() == "short"


def test_nothing_is_said_to_be_nothing():
    assert read().text() == "Done; the server says nothing more."


def test_long_text_keeps_both_ends_and_long_structures_are_left_out():
    output = read(said("first\n" + "x\n" * 50_000 + "last"), structuredContent=["x" * 50_000])
    assert output.text().startswith("first\n")
    assert output.text().endswith("last")
    assert "bytes left out" in output.text()
    assert len(output.text()) < 33_000
    assert output.structured_content is None


@pytest.mark.parametrize("content", [[said("Out of milk.")], []])
def test_an_error_says_what_the_server_says(content):
    with pytest.raises(
        ToolError, match=r"buy of the MCP server 'shop' failed: (Out of milk|it does not)"
    ):
        read(*content, isError=True)


def test_the_output_is_plain_data():
    result = ToolResult(
        tool="mcp__shop__buy", output=read(said("milk"), structuredContent={"n": 1})
    )
    assert json.loads(json.dumps(result.to_dict()))["output"] == {
        "server": "shop",
        "tool": "buy",
        "content": "milk",
        "structuredContent": {"n": 1},
    }
