"""The whole demo, once, in an empty folder. A plain ``pytest`` runs this too."""

import re
from contextlib import closing

import nbformat
import pytest
from demo_runs import cells_of
from nbformat.sign import NotebookNotary

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def text_of(cell):
    return re.sub(r"\x1b\[\d*m", "", "".join(output.get("text", "") for output in cell.outputs))


def test_it_tells_in_five_lines_what_happened_and_how_to_open_it(first):
    folder, lines = first
    assert re.fullmatch(r"Indexed \d\d files of parcels in .*\.", lines[0])
    assert "4 of 4 questions" in lines[1]
    assert re.search(r"\b(\d+) of \1 succeeded", lines[2])
    assert re.search(r"src/auth/login\.ts \((\w{7}) -> (?!\1)\w{7}\)", lines[3])
    assert lines[4] == "Undone: every file is as it was committed."
    assert lines[5].startswith("Open it: ")
    assert lines[6:] == [f"notebook: {folder / 'ipuaro-demo' / 'quickstart.ipynb'}"]


def test_every_code_cell_was_executed_in_order_without_an_error(first):
    folder, _ = first
    code = [c for c in cells_of(folder / "ipuaro-demo" / "quickstart.ipynb") if "outputs" in c]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [o for cell in code for o in cell.outputs if o.output_type == "error"]


def test_the_notebook_shows_the_edit_on_disk_and_that_it_is_gone(first):
    folder, _ = first
    cells = {cell.id: cell for cell in cells_of(folder / "ipuaro-demo" / "quickstart.ipynb")}
    assert "+    this.failures.delete(account.id);" in text_of(cells["diff"])
    assert text_of(cells["undone"]).strip() == "Nothing is changed any more."


def test_the_notebook_has_no_links_to_pages_that_were_not_copied(first):
    folder, _ = first
    text = cells_of(folder / "ipuaro-demo" / "quickstart.ipynb")[-1].source
    assert "exploring a codebase (notebooks/exploring.ipynb)" in text
    assert not re.search(r"\]\([\w.-]+\.ipynb\)", text)


def test_jupyterlab_trusts_the_notebook_that_was_run_here(first):
    folder, _ = first
    path = folder / "ipuaro-demo" / "quickstart.ipynb"
    notary = NotebookNotary()
    with closing(notary.store):
        assert notary.check_signature(nbformat.read(path, as_version=4))
