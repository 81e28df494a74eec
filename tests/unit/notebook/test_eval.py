"""``%ipuaro eval``."""

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.views.drawing import mimebundle

ANSWER = "`retry` is in `src/retry.ts:1-4`; `stop()` is in `src/halt.ts`."


def run(open_project, line=""):
    command = find_command("eval")
    return command.run(open_project, CellThread(lambda _: None), command.read(line))


@pytest.fixture
def open_project(project):
    opened = OpenProject()
    review = "**Holds in part**: <b>no</b> `stop`."
    opened.open(str(project), model=ScriptedModel([ANSWER, review], name="tester"))
    yield opened
    opened.close()


def test_the_findings_and_the_review_are_drawn(open_project):
    open_project.assistant.ask("Where?")
    drawn = mimebundle(run(open_project))
    for said in ("2 ok, 2 wrong", "retry in src/retry.ts:1-4", "src/halt.ts", "tester"):
        assert said in drawn["text/plain"]
        assert said in drawn["text/html"]
    assert "<strong>Holds in part</strong>" in drawn["text/html"]
    assert "<b>no</b>" not in drawn["text/html"]
    assert drawn["text/plain"].index("wrong  ") < drawn["text/plain"].index("ok  ")


def test_nothing_is_asked_without_a_review(open_project):
    open_project.assistant.ask("Where?")
    assert run(open_project, "--no-review").review == ""
    assert run(open_project).review


def test_without_an_answer_it_says_so(open_project):
    with pytest.raises(SettingsError, match="Ask something first"):
        run(open_project)
