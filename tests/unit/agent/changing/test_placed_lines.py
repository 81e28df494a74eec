"""Where the lines stand that an edit quotes, and what comes into their place."""

import difflib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ipuaro_jupyter
from ipuaro_jupyter.agent.changing.placed_lines import placed_lines
from ipuaro_jupyter.agent.written_edits import WrittenEdit, written_edits
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

SOURCES = sorted(Path(ipuaro_jupyter.__file__).parent.rglob("*.py"))[::12]
TEXT = """class A:
    def one(self):
        x = 1
        return x

    def two(self):
        x = 1
        return x + 1
"""


def file_of(text):
    return TextFile("a.py", text.encode(), 0o644)


def edit(old, new):
    return WrittenEdit("a.py", tuple(old.split("\n")), tuple(new.split("\n")))


def applied(file, one, near=()):
    placed = placed_lines(file, one, near)
    return file.replaced(placed.start, placed.end, placed.content).decode()


def outcome(before, text):
    """The text with all edits, or why there is none."""
    try:
        for one in written_edits(text):
            before = applied(file_of(before), one)
    except ToolError as error:
        return error.message
    return before


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("        return x + 1", "        return x + 2", ("x + 1", "x + 2")),
        ("        return x + 1   ", "        return x + 2", ("x + 1", "x + 2")),
        ("return x + 1", "return x + 2", ("x + 1", "x + 2")),
        ("            return x + 1", "            return x + 2", ("x + 1", "x + 2")),
        (
            "def two(self):\n    x = 1",
            "def two(self):\n    if self:\n        y = 1\n    x = 1",
            ("two(self):\n", "two(self):\n        if self:\n            y = 1\n"),
        ),
        ("\n\n    def two(self):\n", "\n\n    def zwei(self):\n", ("two", "zwei")),
        ("        return x + 1", "", ("        return x + 1\n", "\n")),
    ],
)
def test_lines_may_be_quoted_loosely(old, new, after):
    assert applied(file_of(TEXT), edit(old, new)) == TEXT.replace(*after)


def test_what_an_edit_leaves_keeps_the_text_of_the_file():
    file = file_of("def f():  \n    a\n    b\n")
    assert applied(file, edit("def f():\n    a", "def f():\n    c")) == "def f():  \n    c\n    b\n"


def test_several_places_are_named_and_none_is_taken():
    with pytest.raises(ToolError, match=r"a\.py:3, a\.py:7"):
        placed_lines(file_of(TEXT), edit("        x = 1", "        x = 2"), ())


def test_the_declaration_that_is_meant_decides_between_several_places():
    one = edit("        x = 1", "        x = 2")
    after = "x = 2".join(TEXT.rsplit("x = 1", 1))
    assert applied(file_of(TEXT), one, [LineSpan(6, 8)]) == after


def test_a_line_around_a_change_may_be_wrong_in_the_declaration_that_is_meant_only():
    old = "    def three(self):\n        x = 1\n        return x + 1"
    one = edit(old, old.replace("+ 1", "+ 2"))
    assert applied(file_of(TEXT), one, [LineSpan(6, 8)]) == TEXT.replace("x + 1", "x + 2")
    assert placed_lines(file_of(TEXT), one, ()) is None


def test_lines_quoted_with_one_indentation_for_several_have_no_place():
    one = edit("if a:\nb()", "if a:\nb()\nc()")
    assert placed_lines(file_of("if a:\n    b()\n"), one, ()) is None


@pytest.mark.parametrize("old", ["        y = 1", "", "\n\n", "x"])
def test_lines_that_are_not_there_have_no_place(old):
    assert placed_lines(file_of(TEXT), edit(old, "z"), ()) is None


@st.composite
def changes(draw):
    """A real file, and the same with some of its lines changed."""
    text = draw(st.sampled_from(SOURCES)).read_text()
    lines = text.splitlines(keepends=True)
    at = draw(st.integers(0, max(0, len(lines) - 1)))
    count = draw(st.integers(0, 4))
    new = draw(st.lists(st.sampled_from(["    new = 1\n", "\n", "def new():\n"]), max_size=4))
    return text, "".join([*lines[:at], *new, *lines[at + count :]])


@given(changes(), st.integers(3, 6))
def test_a_diff_with_wrong_numbers_gives_the_file_or_names_places(change, context):
    before, after = change
    assume(before != after)
    lines = [one.splitlines() for one in (before, after)]
    diff = difflib.unified_diff(*lines, "a/a.py", "b/a.py", n=context, lineterm="")
    wrong = ["@@ -1,2 +1,2 @@" if line.startswith("@@") else line for line in diff]
    made = outcome(before, "\n".join(["```diff", *wrong, "```"]))
    assert made == after or "several places" in made


@given(changes())
def test_a_block_that_quotes_the_changed_lines_gives_the_file_or_names_places(change):
    before, after = change
    old, new = (one.split("\n") for one in (before, after))
    same = next((n for n, pair in enumerate(zip(old, new, strict=False)) if len({*pair}) > 1), 0)
    assume(before != after)
    begin, behind = max(0, same - 3), len(old) - same - 8
    assume(behind > 0)
    block = ["a.py", "<<<<<<< SEARCH", *old[begin:-behind], "=======", *new[begin:-behind]]
    made = outcome(before, "\n".join([*block, ">>>>>>> REPLACE"]))
    assert made == after or "several places" in made
