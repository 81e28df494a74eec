"""``%ipuaro graph``, and what it leaves in a saved notebook."""

import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command

FILES = {
    "src/retry.ts": "import { b } from './b<i>.js'\nexport function retry() { return b ? 1 : 2 }\n",
    "src/b<i>.ts": "export const b = 1\n",
    "main.ts": "import './src/retry'\n",
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


@pytest.mark.parametrize(
    ("line", "nodes"),
    [
        ("graph src/retry.ts", {"main.ts", "src/b<i>.ts", "src/retry.ts"}),
        ("graph src/retry.ts --direction in", {"main.ts", "src/retry.ts"}),
        ("graph main.ts --depth 2 --direction out", {"main.ts", "src/b<i>.ts", "src/retry.ts"}),
        ("graph main.ts --depth 0", {"main.ts"}),
    ],
)
def test_the_part_around_a_path_is_shown(open_project, line, nodes):
    name, _, rest = line.partition(" ")
    command = find_command(name)
    assert (
        set(command.run(open_project, CellThread(lambda _: None), command.read(rest)).nodes)
        == nodes
    )


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("none.ts", "none.ts"),
        ("main.ts --depth -1", "Use a depth of 0 or more"),
        ("--depth 2", "need a PATH"),
        ("--direction in", "need a PATH"),
    ],
)
def test_a_mistake_is_said_with_what_to_do(open_project, rest, told):
    command = find_command("graph")
    with pytest.raises(SettingsError, match=told):
        command.run(open_project, CellThread(lambda _: None), command.read(rest))


def test_an_unknown_direction_names_those_there_are():
    with pytest.raises(SettingsError, match=r"invalid choice: .*up.* .choose from"):
        find_command("graph").read("a.ts --direction up")


def test_tab_offers_directions_flags_and_paths():
    completes = find_command("graph").completes
    assert completes(["src", "--direction"])[0] == ["in", "out", "both"]
    assert {"--depth", "--direction"} <= set(completes([])[0])
    assert completes([])[1] == "file"


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
