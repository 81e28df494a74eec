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
