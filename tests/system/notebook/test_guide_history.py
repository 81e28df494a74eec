"""The guide page about errors and values, run as a front end runs it.

nbval runs cells without history, which hides them from `last_error` and `notebook_cells`, so the
cells that need it are skipped there and checked here.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

PAGE = Path(__file__, "../../../../notebooks/errors-and-values.ipynb").resolve()


def texts(notebook):
    """The source of each cell that nbval skips, with its results as plain text."""
    return {
        cell.source: [
            one.data["text/plain"] for one in cell.outputs if one.output_type == "execute_result"
        ]
        for cell in notebook.cells
        if "nbval-skip" in cell.metadata.get("tags", [])
    }


def test_what_nbval_skips_is_as_the_page_shows_it(tmp_path):
    shown = texts(nbformat.read(PAGE, as_version=4))
    assert len(shown) == 2
    assert all(shown.values())
    notebook = nbformat.read(PAGE, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources=resources).execute()
    assert texts(notebook) == shown
