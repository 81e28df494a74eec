"""The cells that a kernel has run, and their errors."""

import pytest
from shells import cells, one_shell

from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.kernel.open_kernel import kernel_of

__all__ = ["cells", "one_shell"]

SECRET = "hT7kQ2vXz9LmP4wRhT7kQ2vXz9LmP4wR"
HIDDEN = Redaction(b"k" * 16).text


def failed(cells):
    found = cells.kernel.failed()
    return found and found.errors[0].headline


def test_an_error_that_cannot_be_written_is_still_the_latest(cells):
    cells.run("1 / 0")
    cells.run("raise KeyError(10**5000)")
    found = cells.kernel.failed()
    assert found.number == 2
    assert found.later == 0
    assert found.source == "raise KeyError(10**5000)"
    assert "digits" in found.errors[0].message  # IPython itself fails to show it


def test_an_error_that_cannot_be_read_leaves_its_class(cells):
    def broken(_text):
        raise RuntimeError

    cells.ran.hide(broken)
    cells.run("1 / 0")
    cells.ran.hide(str)
    assert failed(cells) == "ZeroDivisionError"


def test_of_two_failed_cells_the_other_is_told_when_one_is_repaired(cells):
    cells.run("first_fails", "a")
    cells.run("second_fails", "b")
    cells.run("second_fails = 1", "b")
    assert failed(cells) == "NameError: name 'first_fails' is not defined"
    assert cells.kernel.failed().later == 2
    cells.run("first_fails = 1", "a")
    assert failed(cells) is None


def test_a_failed_cell_is_found_by_its_number(cells):
    cells.run("first_fails")
    cells.run("second_fails")
    assert cells.kernel.failed(1).errors[0].message == "name 'first_fails' is not defined"
    assert cells.kernel.failed(7) is None


TRACE = 'Traceback (most recent call last):\\n  File "/a.py", line 1, in f\\nKeyError: 1'


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f"!exit 3\nprint('{TRACE}' + 9 * '\\n.')", "A command ended with exit status 3"),
        (f"!true\nprint('{TRACE}')", "A command printed an error"),
        (f"!true\nprint('{TRACE}' + 9 * '\\n.')", None),
        ("!exit 1", None),
        ("!exit 3", "A command ended with exit status 3"),
        ("!kill -9 $$", "A command ended with signal 9"),
        ("!kill -2 $$", None),
        ("!exit 3\nif 1 > 2:\n    !true", "A command ended with exit status 3"),
        (f"print('{TRACE}')", None),
    ],
)
def test_a_command_that_prints_an_error_fails_its_cell(cells, code, told):
    cells.run(code)
    assert failed(cells) == told
    cells.run("1 / 1")
    cells.run("1 / 0")
    assert failed(cells) == "ZeroDivisionError: division by zero"


def test_a_command_that_has_not_run_has_not_the_status_of_an_earlier_one(cells):
    cells.run("!exit 3", "a")
    cells.run("if 1 > 2:\n    !true")
    cells.run("1 / 1", "a")
    assert failed(cells) is None


def test_a_cell_tells_how_its_command_ended(cells):
    cells.run("!exit 1")
    cells.run("!true")
    cells.run("1 / 1")
    told = ["A command ended with exit status 1", "", ""]
    assert [one.error for one in cells.kernel.cells()] == told


def test_an_error_that_a_magic_shows_and_does_not_raise_is_the_latest(cells, tmp_path):
    (tmp_path / "run.py").write_text("{}['run']")
    cells.run("1 / 0", "a")
    cells.run(f"%run {tmp_path}/run.py", "b")
    assert failed(cells) == "KeyError: 'run'"
    cells.run("%%capture\n{}['captured']", "c")
    assert failed(cells) == "KeyError: 'captured'"
    cells.run("2 / 1", "c")
    cells.run("2 / 1", "b")
    assert failed(cells) == "ZeroDivisionError: division by zero"


def test_an_error_of_what_the_front_end_runs_by_itself_is_no_cells(cells):
    cells.shell.run_cell("1 / 0", store_history=False)
    cells.run("1 / 1")
    assert failed(cells) is None


def test_a_wrong_syntax_is_told_with_its_own_place_only(cells):
    cells.run("def f(:")
    (frame,) = cells.kernel.failed().errors[0].frames
    assert frame.cell is not None
    assert frame.code == "def f(:"


@pytest.mark.parametrize("before", [1960, 1990, 5970])
def test_an_error_before_the_project_is_open_is_read_when_it_is(one_shell, before):
    one_shell.reset(new_session=True)
    ran = RunCells(one_shell)
    one_shell.events.register("post_run_cell", ran.note)
    try:
        text = f'{"x" * before} password="{SECRET}"'
        one_shell.run_cell(f"raise ValueError({text!r})", store_history=True)
        one_shell.run_cell("ValueError", store_history=True)
    finally:
        one_shell.events.unregister("post_run_cell", ran.note)
    kernel = kernel_of(one_shell, ran, HIDDEN)
    found = kernel.failed()
    assert found.later == 1
    assert SECRET[:4] not in found.errors[0].message
    assert SECRET[:4] not in found.errors[0].frames[-1].code


@pytest.mark.parametrize(("cell", "told"), [("1 / 0", True), ("%%ask\nExplain", False)])
def test_what_failed_before_the_extension_was_loaded_is_known_unless_it_is_ours(
    one_shell, cell, told
):
    def stopped(_line, _cell):
        raise KeyboardInterrupt

    one_shell.reset(new_session=True)
    one_shell.register_magic_function(stopped, "cell", "ask")
    one_shell.run_cell(cell, store_history=True)
    ran = RunCells(one_shell)
    ran.begin()
    ran.hide(str)
    assert (ran.failed() is not None) == told


def test_the_end_of_a_long_output_is_its_end(cells):
    code = f"print('a\\n' * 24_990 + 'password = \"{SECRET}\"')\nprint('b\\n' * 60_000 + 'THE END')"
    cells.run(code)
    ran = RunCells(cells.shell)
    ran.hide(HIDDEN)
    found = ran.ran()[-1]
    if found.is_whole:  # IPython 9
        assert found.output.endswith("b\nTHE END")
        assert "characters left out" in found.output
        assert SECRET[:4] not in found.output
        assert len(found.output) < 5000


def test_what_is_read_in_part_holds_no_part_of_a_secret(cells):
    for before in (49_970, 149_990):
        told = cells.ran
        told.hide(HIDDEN)
        shown = told._shown("y" * before + f'\npassword = "{SECRET}"\n' + "z" * 90_000, 4000)
        assert SECRET[:4] not in shown
        assert "left out" in shown


def test_a_value_that_changes_while_it_is_read_is_an_error_of_the_tool(cells):
    def changing(_text):
        raise RuntimeError("dictionary changed size during iteration")

    cells.run("value = {'a': 'b'}")
    kernel = kernel_of(cells.shell, cells.ran, changing)
    with pytest.raises(ToolError, match="value could not be read: RuntimeError"):
        kernel.value("value")
