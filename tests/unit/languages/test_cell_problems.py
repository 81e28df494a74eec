"""What speaks against the new text of a cell."""

import pytest

from ipuaro_jupyter.languages.cell_problems import cell_problems


@pytest.mark.parametrize(
    "text",
    [
        "%time x = 1\nawait f()\n!ls {x}\nx?\n",
        "%%bash\nfor i in; do",
        "async with a() as b:\n    pass\n",
        "x = %magic (\n",
        "",
        "a = 1\r\nb = 2",
        "x = '\0'",
    ],
)
def test_what_ipython_runs_has_no_error(text):
    assert cell_problems("py", None, text) == ()
    assert cell_problems("py", "y = 1\n", text) == ()


def test_an_error_is_told_with_its_line_in_the_cell():
    (told,) = cell_problems("py", "x = 1\n", "%time x = 1\ndef (:\n")
    assert told.startswith("syntax error in line 2: ")


def test_an_error_that_was_there_is_not_told():
    assert cell_problems("py", "def (\n", "def ((\n") == ()


@pytest.mark.parametrize("language", ["md", "", "r"])
def test_only_python_is_judged(language):
    assert cell_problems(language, None, "def (") == ()


def test_a_comment_in_place_of_code_is_told():
    (told,) = cell_problems("py", "a()\nb()\n", "a()\n# ... existing code ...\n")
    assert "placeholder" in told


def test_nothing_is_told_of_what_stays_or_goes():
    assert cell_problems("py", "def (", "def (") == ()
    assert cell_problems("py", "def (", None) == ()
