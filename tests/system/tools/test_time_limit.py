"""A tool call ends when its time is up, and at once when the user stops it."""

import threading
import time

import pytest

from ipuaro_jupyter.cancellation import CancelToken, Deadline, checkpoint
from ipuaro_jupyter.errors import Cancelled, TimeUp
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings

SHORT_S, LONG_S = 0.3, 30
STOPPED_S = 0.5
FILES, USES = 200, 500
BOX = "export class Box { put(): Box { return this } take() {} }\n"
USER = "import { Box } from './box'\nconst box = new Box()\n" + "box.put()\n" * USES
LARGE = {"box.ts": BOX, **{f"m{number}.ts": USER for number in range(FILES)}}


@tool()
def look(project: Project, path: str = "") -> TextOutput:  # noqa: ARG001 - as all tools
    """Look through everything, for ever.

    Args:
        path: Where.
    """
    while True:
        checkpoint()
        time.sleep(0.001)


@tool()
def wait(project: Project) -> TextOutput:
    """Wait for a program that watches the token."""
    project.cancel.wait(LONG_S)
    project.cancel.check()
    return TextOutput(content="not stopped")


@tool(times_itself=True)
def run_program(project: Project) -> TextOutput:  # noqa: ARG001 - the same
    """Run something that has a time limit of its own."""
    time.sleep(2 * SHORT_S)
    checkpoint()
    return TextOutput(content="done")


@tool(asks_first=True)
def ask_first(project: Project) -> TextOutput:
    """Ask the user, who takes long to decide."""
    project.workspace.decide(Proposal(id="1", kind="mcp", tool="ask_first", title="Do it"))
    checkpoint()
    return TextOutput(content="decided")


def slow_user(_proposal):
    time.sleep(2 * SHORT_S)
    return Decision(action="apply")


@pytest.fixture
def call(tmp_path):
    """Return a function that calls one of the tools above with a short time limit."""
    given = {"confirm": slow_user, "undo": None, "shown": None, "changed": None}
    workspace = Workspace(tmp_path, WorkspaceSettings(), **given)
    tools = Tools([look, wait, run_program, ask_first])

    def call_it(name, cancel=None, timeout_s=SHORT_S):
        project = Project(workspace, None, cancel=cancel or CancelToken(), timeout_s=timeout_s)
        return tools.call(name, {}, project)

    return call_it


def test_a_call_that_takes_too_long_is_an_error_that_says_what_to_do(call):
    error = call("look").error
    assert (error.type, error.recoverable) == ("timeout", True)
    assert error.message == "look took longer than 0.3 s and was stopped."
    assert "a part of the project with path" in error.suggestion
    assert "tools.timeoutS" in error.suggestion


def test_what_waits_for_the_token_hears_that_the_time_is_up(call):
    assert call("wait").error.type == "timeout"


def test_what_has_a_limit_of_its_own_keeps_it(call):
    assert call("run_program").output.content == "done"


def test_the_time_in_which_the_user_decides_does_not_count(call):
    assert call("ask_first").output.content == "decided"


def test_stop_is_no_time_out(call):
    stop = CancelToken()
    threading.Timer(0.05, stop.cancel).start()
    with pytest.raises(Cancelled) as raised:
        call("look", stop, timeout_s=LONG_S)
    assert not isinstance(raised.value, TimeUp)


def test_stop_reaches_what_has_a_limit_of_its_own(call):
    stop = CancelToken()
    threading.Timer(0.05, stop.cancel).start()
    with pytest.raises(Cancelled):
        call("run_program", stop)


def test_the_end_of_the_whole_turn_is_no_result_of_a_tool(call):
    turn = Deadline(0.05, CancelToken())
    with turn.running(), pytest.raises(Cancelled):
        call("look", turn.token, timeout_s=LONG_S)


class Stopped:
    """A call in a thread of its own, stopped after a while.

    Attributes:
        error: What it raised.
        busy_s: How much of a processor it took after the stop.
    """

    def __init__(self, assistant, name, arguments, *, after_s):
        self.error, self.busy_s = None, 0.0
        self._stop, self._stopped_cpu_s, self._clock = CancelToken(), 0.0, None
        thread = threading.Thread(target=self._run, args=(assistant, name, arguments))
        thread.start()
        time.sleep(after_s)
        assert thread.is_alive(), "it was over before it could be stopped"
        self._stopped_cpu_s = time.clock_gettime(self._clock)
        self._stop.cancel()
        thread.join(LONG_S)
        assert not thread.is_alive()

    def _run(self, assistant, name, arguments):
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        try:
            assistant.call(name, arguments, self._stop)
        except Cancelled as error:
            self.error = error
        self.busy_s = time.clock_gettime(self._clock) - self._stopped_cpu_s


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a function that writes a project in which a question takes seconds."""

    def write(extra="", name="large"):
        root = tmp_path_factory.getbasetemp() / name
        root.mkdir(exist_ok=True)
        for path, text in LARGE.items():
            (root / path).write_text(text + extra)
        return root

    return write


def test_stop_ends_a_search_for_uses_at_once(large, open_assistant):
    assistant = open_assistant(large(), [])
    stopped = Stopped(assistant, "find_references", {"symbol": "Box.put"}, after_s=0.7)
    assert type(stopped.error) is Cancelled
    assert stopped.busy_s < STOPPED_S
    found = assistant.call("find_references", {"symbol": "Box.take"}).output
    assert found.total_references == 1


def test_stop_ends_taking_up_what_has_changed_at_once(large, open_assistant):
    assistant = open_assistant(large(), [], settings={"watchdog": {"enabled": False}})
    large("export const added = 1\n")
    stopped = Stopped(assistant, "find_definition", {"symbol": "added"}, after_s=0.3)
    assert type(stopped.error) is Cancelled
    assert stopped.busy_s < STOPPED_S
    found = assistant.call("find_definition", {"symbol": "added"}).output
    assert len(found.definitions) == FILES + 1


def test_uses_that_were_found_in_time_are_told_with_what_was_not_looked_at(large, open_assistant):
    assistant = open_assistant(large(), [], settings={"tools": {"timeoutS": 1.0}})
    result = assistant.call("find_references", {"symbol": "Box.put", "limit": 100_000})
    found = result.output
    assert 0 < found.out_of_time < FILES
    assert all(use.resolved for use in found.references)
    assert len({use.path for use in found.references}) == FILES + 1 - found.out_of_time
    told = f"the time was up, not looked at: {found.out_of_time} files with this name"
    assert f"[{told}; narrow with path]" in result.text()
    assert found.shape().note == told
    assert found.truncated
    narrow = assistant.call("find_references", {"symbol": "Box.put", "path": "m7.ts"}).output
    assert (narrow.total_references, narrow.out_of_time) == (USES, 0)


def test_an_index_that_takes_too_long_to_catch_up_goes_on_by_itself(large, open_assistant):
    unwatched = {"watchdog": {"enabled": False}, "tools": {"timeoutS": 0.15}}
    assistant = open_assistant(large(), [], settings=unwatched)
    large("export const later = 1\n")
    error = assistant.call("find_definition", {"symbol": "later"}).error
    assert error.type == "timeout"
    assert "continues to in the background" in error.message
    assert error.suggestion.startswith("Ask again later")
    until_s = time.monotonic() + LONG_S
    while time.monotonic() < until_s:
        result = assistant.call("find_definition", {"symbol": "later"})
        if result.success:
            break
        assert result.error.type == "timeout"
        time.sleep(0.1)
    assert len(result.output.definitions) == FILES + 1


def test_a_file_outside_of_the_index_takes_no_longer_than_a_call_may(make_project, open_assistant):
    files = {".gitignore": "odd.tsx\n", "odd.tsx": "a\n <B,\n" * 20_000}
    assistant = open_assistant(make_project(files), [], settings={"tools": {"timeoutS": SHORT_S}})
    began = time.monotonic()
    error = assistant.call("get_class", {"path": "odd.tsx", "name": "A"}).error
    assert error.type == "timeout"
    assert time.monotonic() - began < SHORT_S + 3


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("find_definition", {"symbol": "Box"}),
        ("find_definition", {"symbol": "Bix"}),
        ("find_references", {"symbol": "Box"}),
        ("get_class", {"path": "box.ts", "name": "Box"}),
        ("get_complexity", {}),
        ("get_dependencies", {"path": "m1.ts"}),
        ("get_dependents", {"path": "box.ts"}),
        ("get_todos", {}),
        ("glob", {"pattern": "*.ts"}),
        ("grep", {"pattern": "Box"}),
    ],
)
def test_no_tool_goes_on_after_stop(large, open_assistant, name, arguments):
    assistant = open_assistant(large(), [])
    stop = CancelToken()
    stop.cancel()
    with pytest.raises(Cancelled):
        assistant.call(name, arguments, stop)
