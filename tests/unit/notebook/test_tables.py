"""``%ipuaro complexity``, ``todos`` and ``diff``, and tables as DataFrames."""

import subprocess
import sys

import pandas as pd
import pytest

from ipuaro_jupyter.errors import ProjectError, SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.views.drawing import Shown, mimebundle

FILES = {
    "src/a.ts": "export function a(n: number) {\n  if (n) { return 1 }\n  return 2\n}\n",
    "src/b.ts": "import { a } from './a'\n// TODO: more\nexport const b = a(1)\n",
    "c.ts": "// FIXME: less\nexport const c = 1\n",
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


@pytest.fixture
def command(open_project):
    def run(line):
        name, _, rest = line.partition(" ")
        found = find_command(name)
        return found.run(open_project, CellThread(lambda _: None), found.read(rest))

    return run


def test_complexity_is_a_frame_with_a_row_for_each_file(command):
    frame = command("complexity src").to_pandas()
    assert list(frame.path) == ["src/a.ts", "src/b.ts"]
    assert list(frame.columns) == [
        *("path", "loc", "nesting_depth", "cyclomatic_complexity", "score")
    ]
    assert frame.cyclomatic_complexity.max() == 2
    assert list(command("complexity --limit 1").to_pandas().path) == ["src/a.ts"]


def test_the_impact_of_what_is_not_committed_is_a_frame(command, project):
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]
    subprocess.run(["git", *commit], cwd=project, check=True)
    (project / "src/a.ts").write_text(FILES["src/a.ts"].replace("return 2", "return 3"))
    frame = command("impact --depth 1").to_pandas()
    assert list(zip(frame.path, frame.line, frame.of, strict=True)) == [("src/b.ts", 3, "a")]


def test_todos_are_a_frame(command):
    assert set(command("todos").to_pandas().path) == {"c.ts", "src/b.ts"}
    frame = command("todos --type fixme").to_pandas()
    assert (
        frame.to_dict("records")[0].items() >= {"path": "c.ts", "line": 1, "text": "less"}.items()
    )
    empty = command("todos src/a.ts").to_pandas()
    assert len(empty) == 0
    assert "line" in empty.columns


@pytest.mark.parametrize(
    ("tool", "arguments", "first"),
    [
        ("find_references", {"symbol": "a"}, {"path": "src/a.ts", "line": 1, "column": 17}),
        ("find_definition", {"symbol": "b"}, {"path": "src/b.ts", "line": 3}),
        ("get_dependencies", {"path": "src/b.ts"}, {"path": "src/a.ts"}),
        ("get_dependents", {"path": "src/a.ts"}, {"path": "src/b.ts"}),
        ("grep", {"pattern": "FIXME"}, {"where": "c.ts:1"}),
    ],
)
def test_lists_of_tools_are_frames(open_project, tool, arguments, first):
    frame = open_project.assistant.call(tool, arguments).to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame.iloc[0].to_dict().items() >= first.items()


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [("get_lines", {"path": "c.ts"}, "no table"), ("get_lines", {"path": "d.ts"}, "d.ts")],
)
def test_what_is_no_table_says_so(open_project, tool, arguments, why):
    with pytest.raises(ProjectError, match=why):
        open_project.assistant.call(tool, arguments).to_pandas()


def test_a_table_that_a_subcommand_shows_is_a_frame():
    table = Table(title="t", columns=("N", "Tool"), rows=((1, "bash"),))
    assert Shown(table).to_pandas().to_dict("records") == [{"N": 1, "Tool": "bash"}]
    with pytest.raises(ProjectError):
        Shown("text").to_pandas()


def test_without_pandas_the_error_says_how_to_get_it():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from ipuaro_jupyter.records.outputs import Table\n"
        "Table(title='t', columns=('a',), rows=()).to_pandas()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert "pip install pandas" in done.stderr


def test_diff_shows_what_git_sees(command, open_project):
    def git(*arguments):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=open_project.assistant.root,
            check=True,
            capture_output=True,
            timeout=60,
        )

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    (open_project.assistant.root / "c.ts").write_text(FILES["c.ts"].replace("= 1", "= 2"))
    assert list(command("diff").to_pandas().path) == ["c.ts"]
    unified, beside = (
        mimebundle(command(line))["text/html"] for line in ("diff", "diff --side-by-side")
    )
    for drawn in (unified, beside):
        assert "<strong>c.ts</strong>" in drawn
        assert "<mark>1</mark>" in drawn
        assert "<mark>2</mark>" in drawn
        assert '<span class="ipuaro-k">export</span>' in drawn
    assert ("<table" in unified, "<table" in beside) == (False, True)
    assert command("diff --staged").text.startswith("No staged changes to show. ")
    assert command("diff src").text.startswith("No changes to show in src. ")
    assert command("diff none").error.type == "file"
    assert open_project.assistant.call("git_diff", {"path": "src"}).error.type == "command"


def test_a_wrong_limit_is_said():
    with pytest.raises(SettingsError, match="invalid int"):
        find_command("complexity").read("--limit many")
