"""Notebooks and scripts that run without anybody in front of them.

| run by | what it may do without a question | outcome and exit status |
|---|---|---|
| nbclient | test_approve_says_what_an_unattended_run_may_do | test_an_error_ends_the_run |
| jupyter execute | the same client | test_jupyter_execute_and_nbconvert_end_with_the_outcome |
| nbconvert --execute | the same client | the same, and test_jupyter_execute_and_nbconvert_read_it |
| papermill | the same client | test_papermill_ends_with_the_outcome |
| IPython, a script | test_approve_says_what_a_script_may_do | test_a_script_ends_with_the_outcome |
| IPython, typed | tests/system/notebook/test_terminal.py | the same |
| the command line | tests/system/cli/test_cli_ask.py | the same |

Nobody can be asked in any of them: what needs an answer is rejected, which the model is told.
"""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


@pytest.fixture
def notebook(project, recording):
    def write(*cells):
        begin = [
            "%load_ext ipuaro_jupyter",
            f"%ipuaro start {project} --model recorded:{recording}",
        ]
        return nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in [*begin, *cells]],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )

    return write


def execute(notebook, folder):
    client = NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return notebook


def test_proposals_are_rejected_and_the_run_ends(notebook, project):
    done = execute(notebook("%%ask\nRaise it", "print(_.ended)"), project)
    record = done.cells[2].outputs[0]
    assert record.output_type == "execute_result"
    assert "nobody" in record.data["text/plain"]
    assert done.cells[3].outputs[0].text == "done\n"
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


@pytest.mark.parametrize(
    ("approve", "attempts", "command"),
    [("never", 3, False), ("ask", 3, False), ("edits", 5, False), ("all", 5, True)],
)
def test_approve_says_what_an_unattended_run_may_do(notebook, project, approve, attempts, command):
    cells = ["%%ask\nRaise it", "r = %tool run_command 'echo ran > ran.txt'", "r.success"]
    asked = notebook("%%ask\nRead it", *cells)
    asked.cells[1].source += f" --approve {approve}"
    done = execute(asked, project)
    assert f"attempts = {attempts}" in (project / "src/retry.ts").read_text()
    assert done.cells[5].outputs[0].data["text/plain"] == str(command)
    assert (project / "ran.txt").exists() == command


def test_what_nobody_approved_is_shown_as_an_error(notebook, project):
    done = execute(notebook("%tool edit_lines src/retry.ts 1 1 x"), project)
    (output,) = done.cells[2].outputs
    assert output.data["text/plain"].startswith("edit_lines failed (cancelled): Not done")
    assert "ipuaro-bad" in output.data["text/html"]


def test_what_is_denied_stays_denied_whatever_is_approved(notebook, project):
    asked = notebook("r = %tool run_command 'rm -rf /'", "r.error.type, r.error.recoverable")
    asked.cells[1].source += " --approve all"
    done = execute(asked, project)
    assert done.cells[3].outputs[0].data["text/plain"] == "('command', False)"


def test_approve_and_auto_apply_must_not_contradict(notebook, project):
    asked = notebook("1")
    asked.cells[1].source += " --approve never --auto-apply"
    with pytest.raises(CellExecutionError, match="one of the two"):
        execute(asked, project)


def test_what_is_saved_is_static(notebook, project):
    done = execute(notebook("%%ask\nRaise it", "%%ask\nExplain"), project)
    for cell in done.cells[1:]:
        (output,) = cell.outputs
        assert set(output.data) == {"text/plain", "text/html"}
        assert "<script" not in output.data["text/html"]
    assert not done.metadata.get("widgets")


def test_an_error_ends_the_run(notebook, project):
    with pytest.raises(CellExecutionError, match="not in it"):
        execute(notebook("%%ask\nNobody recorded this", "print('not reached')"), project)


@pytest.mark.slow
def test_jupyter_execute_and_nbconvert_read_it(notebook, tmp_path):
    path = tmp_path / "run.ipynb"
    nbformat.write(notebook("%%ask\nRead it", "%%ask\nRaise it"), path)
    jupyter = [sys.executable, "-m", "jupyter"]
    subprocess.run([*jupyter, "execute", "--inplace", str(path)], check=True, timeout=120)
    subprocess.run([*jupyter, "nbconvert", "--to", "html", str(path)], check=True, timeout=120)
    page = path.with_suffix(".html").read_text()
    assert "I have read it." in page
    assert "nobody" in page
    assert "widget-view" not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "status", "shown"),
    [
        ("%%ask\nRead it", 0, "I have read it."),
        ("%%ask\nRaise it", 0, "nobody"),
        ("%%ask\nNobody recorded this", 1, "not in it"),
        ("%ipuaro undo now", 1, "unrecognized arguments"),
    ],
)
def test_papermill_ends_with_the_outcome(notebook, tmp_path, cell, status, shown):
    path, out = tmp_path / "run.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook(cell), path)
    done = subprocess.run(
        [sys.executable, "-m", "papermill", str(path), str(out), "--no-progress-bar"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert shown in (done.stderr if status else out.read_text())
    assert "ipuaro_jupyter/" not in done.stderr, "no traceback of ours"


@pytest.mark.slow
@pytest.mark.parametrize("program", ["execute", "nbconvert"])
@pytest.mark.parametrize(
    ("cell", "status", "shown"),
    [("%%ask\nRaise it", 0, "nobody"), ("%%ask\nNobody recorded this", 1, "not in it")],
)
def test_jupyter_execute_and_nbconvert_end_with_the_outcome(
    notebook, tmp_path, *, program, cell, status, shown
):
    path = tmp_path / "run.ipynb"
    nbformat.write(notebook(cell), path)
    options = {
        "execute": ["execute", "--inplace"],
        "nbconvert": ["nbconvert", "--execute", "--to", "notebook", "--inplace"],
    }
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", *options[program], str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert shown in (done.stderr if status else path.read_text())
    assert "ipuaro_jupyter/" not in done.stderr, "no traceback of ours"


@pytest.fixture
def script(project, recording, tmp_path):
    """Return a function that runs lines as IPython runs a file, and returns how that ended."""

    def run(*lines, approve="ask"):
        start = f"%ipuaro start {project} --model recorded:{recording} --approve {approve}"
        path = tmp_path / "run.ipy"
        path.write_text("\n".join(["%load_ext ipuaro_jupyter", start, *lines, ""]))
        return subprocess.run(
            [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", str(path)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
            env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")},
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("approve", "attempts"), [("never", 3), ("ask", 3), ("edits", 5), ("all", 5)]
)
def test_approve_says_what_a_script_may_do(script, project, approve, attempts):
    done = script("%ask Read it", "%ask Raise it", approve=approve)
    assert done.returncode == 0, done.stderr
    assert f"attempts = {attempts}" in (project / "src/retry.ts").read_text()
    assert "It retries five times now." in done.stdout


@pytest.mark.slow
def test_a_script_ends_with_the_outcome(script):
    done = script("%ask Nobody recorded this", "print('not reached')")
    assert done.returncode == 1
    assert "not in it" in done.stdout + done.stderr
    assert "not reached" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
