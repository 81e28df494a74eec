import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.notebook.awaiting import asking, awaiting, is_silenced

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def transformed(cell):
    return "".join(awaiting(cell.splitlines(keepends=True)))


class Recorder:
    """Stands where `get_ipython` stands and keeps what the cell would run."""

    def __init__(self):
        self.magics_manager = self
        self.registry = {"IpuaroMagics": self}
        self.called = ()

    def awaited(self, *arguments):
        self.called = arguments


def run(cell):
    recorder = Recorder()
    code = transformed(cell).removeprefix("await ")
    eval(code.rstrip(";\n"), {"get_ipython": lambda: recorder})
    return recorder.called


@pytest.mark.parametrize(
    ("cell", "called"),
    [
        ("%%ask\nHow?\n", ("ask", "", "How?\n")),
        ("%%ask Please:\nHow?", ("ask", "Please:", "How?")),
        ("%%ask ;\nHow?", ("ask", ";", "How?")),
        ("%ask How? {x} $y", ("ask", "How? {x} $y", None)),
        ("\n# why\n%tool get_lines a.ts\n\n", ("tool", "get_lines a.ts", None)),
        ("%ipuaro", ("ipuaro", "", None)),
        ("  %ipuaro start .\n", ("ipuaro", "start .", None)),
    ],
)
def test_our_cells_await(cell, called):
    assert run(cell) == called


@pytest.mark.parametrize("cell", CASES["other_cells_stay_as_they_are"])
def test_other_cells_stay_as_they_are(cell):
    assert transformed(cell) == cell


@given(st.text(st.characters(exclude_characters="\r", codec="utf-8")))
def test_the_text_of_a_cell_arrives_as_it_was_typed(text):
    cell = f"%%ask\n{text}"
    recorder = Recorder()
    code = "".join(awaiting(cell.splitlines(keepends=True)))
    eval(code.removeprefix("await "), {"get_ipython": lambda: recorder})
    assert recorder.called == ("ask", "", text)


def test_a_semicolon_silences_and_ends_the_line_for_the_display_hook():
    assert transformed("%%ask ;\nx").endswith(");\n")
    assert transformed("%%ask\nx;").endswith(")\n")
    assert is_silenced(" ; ")
    assert not is_silenced("x ;")


ASK = "get_ipython().run_line_magic('ask', "


@pytest.mark.parametrize(
    ("cell", "runs"),
    [
        ("%ask How?", f"{ASK}'How?')\n"),
        ("x = 1\n%ask How?\ny = 2\n", f"x = 1\n{ASK}'How?')\ny = 2\n"),
        ("%ask What's (this?\n%ask And that?\n", f"{ASK}\"What's (this?\")\n{ASK}'And that?')\n"),
        ("# why\n\n%ask A?\n", f"# why\n\n{ASK}'A?')\n"),
        ("x = %ask How?\n", f"x = {ASK}'How?')\n"),
        ("%tool run_command ls ?", "get_ipython().run_line_magic('tool', 'run_command ls ?')\n"),
    ],
)
def test_a_question_mark_at_the_end_is_part_of_the_question(cell, runs):
    assert "".join(asking(cell.splitlines(keepends=True))) == runs


@pytest.mark.parametrize("cell", CASES["other_lines_are_not_questions"])
def test_other_lines_are_not_questions(cell):
    assert "".join(asking(cell.splitlines(keepends=True))) == cell


def test_a_question_in_a_cell_of_more_lines_is_rewritten_where_others_await():
    assert transformed("x = 1\n%ask How?") == f"x = 1\n{ASK}'How?')\n"
