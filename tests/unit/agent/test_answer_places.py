"""The files and lines that an answer names and that are there."""

import pytest

from ipuaro_jupyter.agent.answer_places import with_places
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall
from ipuaro_jupyter.records.outputs import ToolResult

FILES = {
    "src/a.ts": "1\n2\n3\n",
    "src/b/index.ts": "1\n",
    "src/c/index.ts": "1\n",
    "package.json": "{}\n",
    "read me.md": "x\n",
    "src/[id]/(one)/page.tsx": "1\n2\n",
    "src/50%/c#.ts": "1\n",
}


@pytest.fixture
def named(open_assistant, make_project):
    """Return a function from the texts of an answer to its places as (named, path, line)."""
    project = open_assistant(make_project(FILES), []).project()

    def find(text, said=""):
        result = ToolResult(tool="get_lines")
        called = CalledTool(call=ToolCall(name="get_lines", arguments={}), result=result, said=said)
        answer = with_places(Answer(question="q", text=text, tool_calls=(called,)), project)
        assert answer.root == str(project.workspace.root)
        return {(one.named, one.path, one.line) for one in answer.places}

    return find


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/a.ts:2.", ("src/a.ts:2", "src/a.ts", 2)),
        ("`src/a.ts:2-3`", ("src/a.ts:2-3", "src/a.ts", 2)),
        ("`` src/a.ts ``", ("src/a.ts", "src/a.ts", None)),
        ("a.ts#L3, and", ("a.ts#L3", "src/a.ts", 3)),
        ("[x](src/a.ts#L1)", ("src/a.ts#L1", "src/a.ts", 1)),
        ("`src/a.ts` (line 2)", ("src/a.ts", "src/a.ts", 2)),
        ("src/a.ts (lines 1-2)", ("src/a.ts", "src/a.ts", 1)),
        ("**package.json**", ("package.json", "package.json", None)),
        ("./src/a.ts", ("./src/a.ts", "src/a.ts", None)),
        ("`read me.md:1`", ("read me.md:1", "read me.md", 1)),
        ("`src/50%/c#.ts`", ("src/50%/c#.ts", "src/50%/c#.ts", None)),
        ("src/[id]/(one)/page.tsx:2", ("src/[id]/(one)/page.tsx:2", "src/[id]/(one)/page.tsx", 2)),
    ],
)
def test_what_is_there_is_found_as_it_is_written(named, text, found):
    assert named(text) == {found}


@pytest.mark.parametrize(
    "text",
    [
        "src/a.ts:4",
        "`src/a.ts:0`",
        "src/no.ts:1",
        "index.ts:1",
        "```ts\nsrc/a.ts:1\n```",
        "https://example.org/src/a.ts",
        "../src/a.ts",
        "`Name`",
        "",
    ],
)
def test_what_is_not_there_or_not_certain_is_left_out(named, text):
    assert named(text) == set()


def test_a_file_of_which_several_lines_are_named_beside_it_opens_at_its_top(named):
    assert named("src/a.ts (line 1), src/a.ts (line 3)") == {("src/a.ts", "src/a.ts", None)}


def test_what_is_said_before_a_call_counts_too(named):
    assert named("src/a.ts:1", said="`src/b/index.ts:1`") == {
        ("src/a.ts:1", "src/a.ts", 1),
        ("src/b/index.ts:1", "src/b/index.ts", 1),
    }
