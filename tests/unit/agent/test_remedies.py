"""What the user decides about an error: retry, skip or abort."""

import subprocess

import pytest
from stored_messages import messages_of
from waiting import until

import ipuaro_jupyter
from ipuaro_jupyter import Remedy, ScriptedModel
from ipuaro_jupyter.errors import Cancelled, ModelError, ToolError
from ipuaro_jupyter.records.events import TroubleDecided
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.records.trouble import Trouble, remedied
from ipuaro_jupyter.tools.tool import Project, tool

READ = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
CRASH = '<tool_call name="crash"></tool_call>'


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": "export const a = 1\n"})


def broken(_messages):
    raise ModelError("The connection broke.")


class User:
    """Answers what it was told to answer, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, trouble):
        self.asked.append(trouble)
        return self.answers.pop(0)


def roles(assistant):
    return [m.role for m in messages_of(assistant)]


def test_retry_asks_the_model_again(open_assistant, project):
    user = User("retry", "retry")
    model = ScriptedModel([READ, broken, broken, "One."])
    assistant = open_assistant(project, model, on_error=user)
    events = list(assistant.stream("Read it"))
    assert events[-1].answer.text == "One."
    assert events[-1].answer.ended == "done"
    assert [t.kind for t in user.asked] == ["model", "model"]
    assert user.asked[0].message == "The connection broke."
    decided = [e for e in events if isinstance(e, TroubleDecided)]
    assert [d.remedy.action for d in decided] == ["retry", "retry"]
    assert model.requests[1].messages == model.requests[3].messages
    assert roles(assistant) == ["user", "assistant", "tool", "assistant"]


def test_retry_when_the_model_cannot_even_be_prepared(open_assistant, project):
    class Asleep(ScriptedModel):
        tries = 0

        def prepare(self, cancel):
            cancel.check()
            self.tries += 1
            if self.tries < 3:
                raise ModelError("Ollama does not answer.")

    assistant = open_assistant(project, Asleep(["Here."]), on_error=User("retry", "retry"))
    assert assistant.ask("Hello").text == "Here."


def test_skip_ends_the_turn_with_what_there_is_and_no_error(open_assistant, project):
    def half(_messages):
        raise ModelError("The connection broke.")

    assistant = open_assistant(project, [READ, half, "Again."], on_error=User("skip"))
    answer = assistant.ask("Read it")
    assert answer.ended == "stopped"
    assert "connection broke" in answer.notice
    assert len(answer.tool_calls) == 1
    assert assistant.ask("And now?").text == "Again."


@pytest.mark.parametrize("answer", ["abort", "no such answer", None])
def test_abort_and_what_is_no_answer_raise_the_error(open_assistant, project, answer):
    assistant = open_assistant(project, [broken, "Again."], on_error=User(answer))
    with pytest.raises(ModelError, match="connection broke"):
        assistant.ask("Read it")
    assert assistant.ask("And now?").text == "Again."


def test_an_error_is_retried_only_so_often(open_assistant, project):
    asked = []

    def always(trouble):
        asked.append(trouble)
        return "retry"

    settings = {"context": {"maxRetries": 3}}
    assistant = open_assistant(project, [broken] * 9, on_error=always, settings=settings)
    with pytest.raises(ModelError):
        assistant.ask("Read it")
    assert ["retry" in t.options for t in asked] == [True, True, True, False]


def test_nobody_is_asked_when_trying_again_cannot_help(open_assistant, project):
    assistant = open_assistant(project, [READ], on_error=User())
    with pytest.raises(ModelError, match="no more replies"):
        assistant.ask("Read it")


def test_a_stop_while_it_is_asked_stops_the_turn(open_assistant, project):
    def stop(_trouble):
        raise Cancelled

    assistant = open_assistant(project, [broken], on_error=stop)
    assert assistant.ask("Read it").ended == "stopped"


@tool()
def crash(project: Project) -> TextOutput:
    """Fail by a fault until it has been mended."""
    if not (project.workspace.root / "mended").exists():
        raise ZeroDivisionError
    return TextOutput(content="It works.")


@pytest.fixture
def crashing(open_assistant, project):
    def open_it(replies, user):
        model = ScriptedModel(replies)
        assistant = open_assistant(project, model, on_error=user)
        assistant.tools.replace("tests", [crash])
        return assistant, model

    return open_it


def test_retry_runs_the_tool_again(crashing, project):
    asked = []

    def mend(trouble):
        asked.append(trouble)
        (project / "mended").touch()
        return Remedy(action="retry")

    assistant, model = crashing([CRASH, "Good."], mend)
    answer = assistant.ask("Crash")
    assert [c.result.text() for c in answer.tool_calls] == ["It works."]
    assert (asked[0].kind, asked[0].tool) == ("tool", "crash")
    assert model.requests[1].messages[-1].content == "It works."


def test_skip_gives_the_tools_error_to_the_model_and_the_loop_goes_on(crashing):
    assistant, model = crashing([CRASH, "A pity."], User("skip"))
    assert assistant.ask("Crash").text == "A pity."
    assert "ZeroDivisionError" in model.requests[1].messages[-1].content


def test_abort_ends_the_turn_with_the_tools_error_and_the_session_is_whole(crashing):
    assistant, model = crashing([READ + CRASH + READ, "Here."], User("abort"))
    with pytest.raises(ToolError, match="crash failed: ZeroDivisionError"):
        assistant.ask("Crash")
    assert assistant.ask("And now?").text == "Here."
    sent = model.requests[-1].messages
    assert [m.call_id for m in sent if m.call_id] == [c.id for m in sent for c in m.calls]


def test_nobody_aborts(crashing):
    assistant, _ = crashing([CRASH], None)
    *_, last = assistant.stream("Crash")
    assert last.answer.ended == "error"
    assert "crash failed" in last.answer.notice


def test_a_limit_may_be_passed(open_assistant, project):
    settings = {"context": {"maxRounds": 2}}
    user = User("retry", "skip")
    assistant = open_assistant(project, [READ] * 9, on_error=user, settings=settings)
    answer = assistant.ask("Read it")
    assert len(answer.tool_calls) == 3, "the fourth is a repetition"
    assert [t.kind for t in user.asked] == ["limit", "limit"]
    assert answer.ended == "limit"
    assert "same arguments" in answer.notice


def test_a_limit_that_is_aborted_is_an_error(open_assistant, project):
    settings = {"context": {"maxRounds": 1}}
    assistant = open_assistant(project, [READ] * 9, on_error=User("abort"), settings=settings)
    with pytest.raises(ModelError, match="1 round"):
        assistant.ask("Read it")


def test_unusable_replies_may_be_tried_again(open_assistant, project):
    settings = {"context": {"maxRepairs": 1}}
    user = User("retry")
    assistant = open_assistant(project, ["", "", "", "Now."], on_error=user, settings=settings)
    assert assistant.ask("Read it").text == "Now."
    assert "empty" in user.asked[0].message


def test_the_store_may_come_back(make_project, start_redis, tmp_path):
    url, server = start_redis
    asked = []

    def kill(_messages):
        server.kill()
        server.wait(10)
        return "Said."

    def restart(trouble):
        asked.append(trouble)
        socket = tmp_path / "own.sock"
        socket.unlink(missing_ok=True)
        options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)]
        started.append(subprocess.Popen([server.args[0], *options], stdout=subprocess.DEVNULL))
        until(socket.exists)
        return "retry"

    started = []
    root = make_project({"a.ts": "export const a = 1\n"})
    try:
        with ipuaro_jupyter.start(
            root,
            model=ScriptedModel([kill]),
            on_error=restart,
            settings={"redis": {"url": url}, "watchdog": {"enabled": False}},
        ) as assistant:
            answer = assistant.ask("Talk")
            assert answer.text == "Said."
            assert [t.kind for t in asked] == ["store"]
            assert url in asked[0].message
    finally:
        for process in started:
            process.kill()
            process.wait(10)


TROUBLE = Trouble(kind="store", message="m", options=("retry", "abort"))


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("retry", "retry"),
        ("abort", "abort"),
        ("skip", "abort"),
        (Remedy(action="retry"), "retry"),
        (Remedy(action="skip"), "abort"),
        (True, "abort"),
    ],
)
def test_only_the_options_count(said, action):
    assert remedied(lambda _: said, TROUBLE).action == action


def test_nobody_is_told_apart_from_a_user_who_aborts():
    assert remedied(None, TROUBLE).by == "nobody"
    assert remedied(lambda _: "abort", TROUBLE).by == "user"
