"""``%ipuaro graph``."""

import pytest

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
