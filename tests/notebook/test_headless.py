"""Notebooks that run without anybody in front of them."""

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
    asked = notebook("%%ask\nRaise it", "r = %tool run_command 'echo ran > ran.txt'", "r.success")
    asked.cells[1].source += f" --approve {approve}"
    done = execute(asked, project)
    assert f"attempts = {attempts}" in (project / "src/retry.ts").read_text()
    assert done.cells[4].outputs[0].data["text/plain"] == str(command)
    assert (project / "ran.txt").exists() == command


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
