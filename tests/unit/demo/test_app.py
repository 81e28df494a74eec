"""The application and the recording about it: what the recorded answers say is true."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

import ipuaro_jupyter
from ipuaro_jupyter.agent.questions.message_kind import kind_of
from ipuaro_jupyter.demo.folder import shipped_notebook

DEMO = Path(ipuaro_jupyter.__file__).parent / "demo"
APP = DEMO / "app"
TURNS = json.loads((DEMO / "recording.json").read_text())["turns"]
CITATION = re.compile(r"`(?:\w+\.)?(\w+)` \((src/[\w./-]+):(\d+)\)")
CITED = [found.groups() for turn in TURNS for found in CITATION.finditer(turn["replies"][-1])]


def test_the_application_is_small_and_in_five_folders():
    files = sorted(APP.glob("src/**/*.ts"))
    assert 20 <= len(files) <= 30
    assert len({path.parent for path in files} - {APP / "src"}) == 5


def test_it_carries_no_installed_packages():
    assert not list(APP.rglob("node_modules"))
    assert not list(APP.rglob("package-lock.json"))


@pytest.mark.parametrize(("name", "path", "line"), CITED)
def test_a_recorded_answer_cites_lines_that_hold_the_name(name, path, line):
    lines = (APP / path).read_text().splitlines()
    assert re.search(rf"\b{name}\b", lines[int(line) - 1])


def test_what_the_index_does_not_answer_is_in_the_notebook_as_it_is_recorded():
    cells = nbformat.reads(shipped_notebook().decode(), as_version=4).cells
    asked = [cell.source.split("\n", 1)[1] for cell in cells if cell.source.startswith("%%ask")]
    left = [question for question in asked if kind_of(question).asks is None]
    assert left == [turn["message"] for turn in TURNS]
    assert len(asked) == len(left) + 2


def test_every_cell_has_an_id_that_says_what_it_is():
    cells = nbformat.reads(shipped_notebook().decode(), as_version=4).cells
    assert {"load", "prepare", "start", "ask-login", "ask-edit", "undo"} <= {c.id for c in cells}


@pytest.fixture
def assistant(open_assistant, tmp_path):
    shutil.copytree(APP, tmp_path / "parcels")
    return open_assistant(tmp_path / "parcels", [])


def output(assistant, tool, **arguments):
    result = assistant.call(tool, arguments)
    assert result.success, result.text()
    return result.output


def test_the_recorded_answer_cites_what_it_was_given_and_gets_no_mark(tmp_path, open_assistant):
    shutil.copytree(APP, tmp_path / "parcels")
    opened = open_assistant(tmp_path / "parcels", TURNS[0]["replies"])
    assert opened.ask("Who calls trackingLink?").is_sure
    answer = opened.ask(TURNS[0]["message"])
    assert "(`LoginService.login` src/auth/login.ts:23)" in answer.text
    assert answer.receipt.marks == ()


def test_tracking_and_notifications_import_each_other(assistant):
    def dependencies(path):
        return [one.path for one in output(assistant, "get_dependencies", path=path).dependencies]

    assert "src/notifications/index.ts" in dependencies("src/parcels/tracking.ts")
    assert "src/notifications/notifier.ts" in dependencies("src/notifications/index.ts")
    assert "src/parcels/tracking.ts" in dependencies("src/notifications/notifier.ts")
