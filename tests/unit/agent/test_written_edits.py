"""Edits that a model writes into its reply."""

import time

import pytest

from ipuaro_jupyter.agent.written_edits import WrittenEdit, written_edit, written_edits

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


CHANGE = "-const a = 1\n+const a = 2"
OLD, NEW_LINES = ("const a = 1",), ("const a = 2",)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"Here it is.\n\nsrc/a.ts\n{BLOCK}\n\nThat is all.", "src/a.ts"),
        (f"```ts\nsrc/a.ts\n{BLOCK}\n```", "src/a.ts"),
        (f"### `src/a.ts`\n\n```ts\n{BLOCK}\n```", "src/a.ts"),
        (f"```ts:src/a.ts\n{BLOCK}\n```", "src/a.ts"),
        (BLOCK, ""),
        (
            "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -90,7 +90,7 @@\n-const a = 1\n+const a = 2",
            "src/a.ts",
        ),
        ("```diff\n@@ ... @@\n-const a = 1\n+const a = 2\n```", ""),
        ("```diff\n-const a = 1\n+const a = 2\n```", ""),
        (
            f"*** Begin Patch\n*** Update File: src/a.ts\n@@\n{CHANGE}\n*** End Patch",
            "src/a.ts",
        ),
        (f"src/a.ts\n{BLOCK}".replace("\n", "\r\n"), "src/a.ts"),
    ],
)
def test_edits_say_what_they_replace(text, path):
    assert written_edits(text) == [WrittenEdit(path, OLD, NEW_LINES)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("```ts\nconst a = 2\n```", ""),
        ("~~~ts\nconst a = 2\n~~~", ""),
        ("```ts src/a.ts\nconst a = 2\n```", "src/a.ts"),
        ('```ts title="src/a.ts"\nconst a = 2\n```', "src/a.ts"),
        ("**File: src/a.ts**\n\n```ts\nconst a = 2\n```", "src/a.ts"),
        ("````ts src/a.ts\nconst a = 2\n````", "src/a.ts"),
        ("```{.ts}\nconst a = 2\n```", ""),
    ],
)
def test_code_in_a_fence_is_whole(text, path):
    assert written_edits(text) == [WrittenEdit(path, None, NEW_LINES)]


@pytest.mark.parametrize(
    "text",
    [
        "--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+const a = 2",
        "*** Begin Patch\n*** Add File: src/a.ts\n+const a = 2\n*** End Patch",
    ],
)
def test_a_new_file_of_a_diff_replaces_nothing(text):
    assert written_edits(text) == [WrittenEdit("src/a.ts", (), NEW_LINES)]


def test_a_first_line_that_names_the_file_is_told_apart():
    text = "```ts\n// src/a.ts\nconst a = 2\n```"
    assert written_edits(text) == [WrittenEdit("src/a.ts", None, NEW_LINES, "// src/a.ts")]


@pytest.mark.parametrize("path", [".env", "Makefile", "/etc/hosts", "~/a.py", "/src/a.py"])
def test_files_without_ending_or_outside_are_named_too(path):
    """Else the lines would be looked for in other files."""
    assert [one.path for one in written_edits(f"src/a.ts\n{BLOCK}\n\n{path}\n{BLOCK}")][1] == path


@pytest.mark.parametrize(
    "text",
    [
        "```python src/a.py\ndef f():\n    return 2",
        f"```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ @@\n{CHANGE}",
        f"*** Begin Patch\n*** Update File: src/a.ts\n{CHANGE}",
        "<<<<<<< SEARCH\na\n=======\nb",
    ],
)
def test_what_was_cut_off_is_no_edit(text):
    assert written_edits(text) == []


def test_a_whole_block_in_a_fence_that_was_cut_off_is_one():
    assert written_edits(f"```ts\nsrc/a.ts\n{BLOCK}") == [WrittenEdit("src/a.ts", OLD, NEW_LINES)]


def test_a_fence_in_a_fence_ends_by_itself():
    text = "README.md\n```md\n# A\n```py\nx\n```\nEnd.\n```\nThat is all."
    new = ("# A", "```py", "x", "```", "End.")
    assert written_edits(text) == [WrittenEdit("README.md", None, new)]


def test_a_line_like_the_middle_of_a_block_is_quoted_and_not_the_middle():
    """The longest text is looked for, so that it has no place rather than a wrong one."""
    block = "a.md\n<<<<<<< SEARCH\nA\n=======\nB\n=======\nA\n=======\nC\n>>>>>>> REPLACE"
    [edit] = written_edits(block)
    assert (edit.old, edit.new) == (("A", "=======", "B", "=======", "A"), ("C",))
    [edit] = written_edits(block.replace("A\n=======", "A\n====="))
    assert (edit.old, edit.new) == (("A", "=====", "B"), ("A", "=====", "C"))


def test_a_patch_that_moves_its_file_is_not_one_of_the_old_file():
    patch = f"*** Update File: a.ts\n*** Move to: b.ts\n@@\n{CHANGE}\n*** End of File"
    edits = written_edits(f"*** Begin Patch\n{patch}\n*** End Patch")
    assert edits == [WrittenEdit("b.ts", OLD, NEW_LINES)]


def test_a_file_named_above_a_fence_is_not_that_of_the_next_one():
    found = written_edits("src/a.ts\n```ts\na\n```\nand\n```ts\nb\n```")
    assert [one.path for one in found] == ["src/a.ts", ""]


def test_edits_go_before_code_that_only_shows():
    found = written_edits(f"Now it is\n```ts\nconst a = 1\n```\nsrc/a.ts\n{BLOCK}")
    assert found == [WrittenEdit("src/a.ts", OLD, NEW_LINES)]


def test_a_block_ends_where_it_says_and_not_at_a_fence_inside_of_it():
    fence = "```md\nx\n```"
    text = f"```\nREADME.md\n<<<<<<< SEARCH\n{fence}\n=======\ny\n>>>>>>> REPLACE\n```"
    assert written_edits(text) == [WrittenEdit("README.md", tuple(fence.split("\n")), ("y",))]


def test_several_blocks_are_of_the_file_named_last():
    found = written_edits(f"src/a.ts\n{BLOCK}\n{BLOCK}\n\nsrc/b.ts\n{BLOCK}")
    assert [one.path for one in found] == ["src/a.ts", "src/a.ts", "src/b.ts"]


def test_hunks_say_where_they_are_and_may_lack_the_blank_before_a_line():
    hunk = "@@ -1,3 +1,3 @@ class A:\ndef f():\n-    x\n+    y\n    z"
    [edit] = written_edits(f"```diff\n--- a/a.py\n+++ b/a.py\n{hunk}\n```")
    assert edit.within == "class A:"
    assert edit.old == ("def f():", "    x", "    z")
    assert edit.new == ("def f():", "    y", "    z")


@pytest.mark.parametrize("text", ["", "It is so.", "```bash\nls\n```", "src/a.ts", "--- a\n+++ b"])
def test_other_text_holds_no_edit(text):
    assert written_edits(text) == []


@pytest.mark.parametrize(
    "unit",
    [
        *("```\n", "```a\n", "<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n=======\n", "a.b\n", "@@\n-\n"),
        *("*** Begin Patch\n", "--- a.b\n+++ a.b\n", "~~~\n```\n", "# ", "-\n", "a/", " "),
    ],
)
def test_hostile_text_is_read_for_edits_in_time(unit):
    began = time.process_time()
    written_edits(unit * (300_000 // len(unit)))
    assert time.process_time() - began < 5
