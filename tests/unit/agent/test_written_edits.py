"""Edits that a model writes into its reply."""

import time

import pytest

from ipuaro_jupyter.agent.written_edits import written_edit

TOOLS = {"edit_lines", "create_file", "get_lines"}
BLOCK = "<<<<<<< SEARCH\nconst a = 1\n=======\nconst a = 2\n>>>>>>> REPLACE"
DIFF = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n const b = 0\n-a\n+b"
NEW = "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+a"


@pytest.mark.parametrize(
    "text",
    [
        f"src/a.ts\n{BLOCK}",
        f"**src/a.ts**\n```ts\n{BLOCK}\n```",
        f"```ts src/a.ts\n{BLOCK}\n```\n\n```ts src/b.ts\n{BLOCK}\n```",
        f"### File: src/a.ts\n{BLOCK}\n{BLOCK}\n",
        DIFF,
        f"```diff\n{DIFF}\n```",
        f"```diff\n{DIFF}\n{NEW}\n```",
        DIFF.replace("a/src", "src").replace("b/src", "src"),
        "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch",
        f"src/a.ts\n{BLOCK}".replace("\n", "\r\n"),
    ],
)
def test_a_reply_that_is_an_edit_is_told_the_tools(text):
    told = written_edit(text, TOOLS)
    assert "src/a.ts" in told
    assert "call edit_lines or create_file" in told


def test_a_new_file_is_named():
    assert "src/new.ts" in written_edit(NEW, TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the change:\n```diff\n{DIFF}\n```",
        f"```diff\n{DIFF}\n```\nThis renames it.",
        f"diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n{DIFF}",
        BLOCK,
        "src/a.ts\n<<<<<<< SEARCH\na\n=======\nb",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main",
        "--- a\n+++ b\n",
        "---\ntitle: a\n---\n",
        "```diff\n-a\n+b\n```",
        "src/a.ts",
        "```ts\nconst a = 1\n```",
        "",
        "It is so.",
    ],
)
def test_other_text_is_an_answer(text):
    assert written_edit(text, TOOLS) == ""


def test_without_a_tool_for_edits_it_is_an_answer():
    assert written_edit(f"src/a.ts\n{BLOCK}", {"get_lines"}) == ""


@pytest.mark.parametrize("unit", ["*", "<<<<<<< SEARCH\n", "a/", DIFF + "\n", "a.b", "`` ", "-\n"])
def test_hostile_text_is_read_in_time(unit):
    began = time.process_time()
    written_edit(unit * (300_000 // len(unit)), TOOLS)
    assert time.process_time() - began < 5


def test_beside_a_question_no_tool_is_named():
    told = written_edit(DIFF, TOOLS, is_question=True)
    assert "asks for no change" in told
    assert "edit_lines" not in told
