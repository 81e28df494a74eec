"""What ``%ipuaro graph`` leaves in a saved notebook."""

import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

FILES = {
    "src/retry.ts": "import { b } from './b<i>.js'\nexport function retry() { return b ? 1 : 2 }\n",
    "src/b<i>.ts": "export const b = 1\n",
    "main.ts": "import './src/retry'\n",
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


@pytest.mark.parametrize(("to", "ending"), [("html", "html"), ("markdown", "md")])
def test_a_saved_notebook_is_read_without_a_kernel(open_project, tmp_path, to, ending):
    """nbconvert knows nothing of the live type and shows the record."""
    graph = open_project.assistant.graph()
    output = new_output("execute_result", data=graph._repr_mimebundle_(), execution_count=1)
    notebook = new_notebook(cells=[new_code_cell("%ipuaro graph", outputs=[output])])
    nbformat.validate(notebook)
    nbformat.write(notebook, tmp_path / "n.ipynb")
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", to, "--log-level=ERROR", "n.ipynb"],
        cwd=tmp_path,
        check=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    page = (tmp_path / f"n.{ending}").read_text("utf-8")
    assert "<svg" in page
    assert "src/b&lt;i&gt;.ts" in page
    assert "src/b<i>.ts" not in page
    assert "vnd.ipuaro" not in page
