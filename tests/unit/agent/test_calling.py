"""Calls that run side by side, and those that do not."""

import threading
import time

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.calling import in_parallel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.records.events import CallFinished, CallStarted
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.tool import Project, tool

LONG_S = 30


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


def test_results_come_in_order_whatever_takes_longest():
    second_is_done = threading.Event()

    def first():
        assert second_is_done.wait(LONG_S), "the second was not begun while the first ran"
        return 1

    def second():
        second_is_done.set()
        return 2

    assert list(in_parallel([first, second], most=2, cancel=CancelToken())) == [1, 2]


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_than_so_many_run_at_once(most):
    running, seen, lock = set(), [], threading.Lock()

    def task(number):
        with lock:
            running.add(number)
            seen.append(len(running))
        time.sleep(0.02)
        with lock:
            running.discard(number)
        return number

    tasks = [lambda number=number: task(number) for number in range(9)]
    assert list(in_parallel(tasks, most=most, cancel=CancelToken())) == list(range(9))
    assert max(seen) <= most


def test_what_a_task_raises_loses_nothing_before_it():
    results = in_parallel([lambda: 1, lambda: 1 / 0, lambda: 3], most=3, cancel=CancelToken())
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_stop_ends_the_waiting_and_nothing_more_begins():
    cancel, begun, release = CancelToken(), [], threading.Event()

    def task(number):
        begun.append(number)
        if len(begun) == 2:
            cancel.cancel()
        release.wait(LONG_S)

    tasks = [lambda number=number: task(number) for number in range(6)]
    with pytest.raises(Cancelled):
        list(in_parallel(tasks, most=2, cancel=cancel))
    release.set()
    assert len(begun) == 2


@tool()
def meet(project: Project, name: str) -> TextOutput:
    """Wait until the other call is there, too.

    Args:
        name: Who comes.
    """
    meeting.wait(LONG_S)
    return TextOutput(content=f"{name} of {project.workspace.root.name}")


@tool()
def crash(project: Project) -> TextOutput:
    """Fail by a fault."""
    del project
    raise ZeroDivisionError


meeting = threading.Barrier(2)


@pytest.fixture
def project(make_project):
    return make_project({f"src/f{n}.ts": f"export const f{n} = {n}\n" for n in range(8)})


def with_tools(assistant, *tools):
    assistant.tools.replace("tests", tools)
    return assistant


def test_calls_that_only_read_run_side_by_side(open_assistant, project):
    meeting.reset()
    replies = [call("meet", name="first") + call("meet", name="second"), "They met."]
    assistant = with_tools(open_assistant(project, replies), meet)
    events = list(assistant.stream("Meet"))
    kinds = [type(e) for e in events if isinstance(e, CallStarted | CallFinished)]
    assert kinds == [CallStarted, CallStarted, CallFinished, CallFinished]
    told = [c.result.text() for c in events[-1].answer.tool_calls]
    assert told == ["first of project", "second of project"]


def test_one_at_a_time_when_the_settings_say_so(open_assistant, project):
    replies = [call("get_lines", path="src/f1.ts") + call("get_lines", path="src/f2.ts"), "Read."]
    assistant = open_assistant(project, replies, settings={"context": {"parallelCalls": 1}})
    assert [c.result.success for c in assistant.ask("Read").tool_calls] == [True, True]


def test_a_fault_in_one_call_does_not_lose_the_others(open_assistant, project):
    read = call("get_lines", path="src/f1.ts")
    model = ScriptedModel([read + call("crash") + call("get_lines", path="src/f2.ts"), "Two."])
    assistant = with_tools(open_assistant(project, model, on_error=lambda _: "skip"), crash)
    answer = assistant.ask("Read")
    assert [c.result.success for c in answer.tool_calls] == [True, False, True]
    sent = model.requests[1].messages
    assert [m.call_id for m in sent if m.role == "tool"] == [c.id for m in sent for c in m.calls]


def test_a_change_waits_for_the_reads_before_it_and_is_seen_by_those_behind(
    open_assistant, project
):
    read = call("get_lines", path="src/f1.ts")
    edit = call("edit_lines", path="src/f1.ts", start=1, end=1, content="export const f1 = 99")
    replies = [read + read + edit + read + call("grep", pattern="99"), "Done."]
    assistant = open_assistant(project, replies, auto_apply=True)
    assistant.call("get_lines", {"path": "src/f1.ts"}, by_user=False)
    answer = assistant.ask("Change it")
    told = [c.result.text() for c in answer.tool_calls]
    assert all("f1 = 1" in text and "99" not in text for text in told[:2])
    assert "f1 = 99" in told[3]
    assert "src/f1.ts" in told[4]


def test_many_reads_at_once_say_what_they_say_one_by_one(open_assistant, project):
    """Index, store, caches and parsers are asked by several threads."""
    (project / "src/use.ts").write_text(
        "".join(f"import {{ f{n} }} from './f{n}'\n" for n in range(8))
        + "".join(f"export function g{n}() {{ return f{n} }}\n" for n in range(8))
    )
    asked = [
        *(("find_references", {"symbol": f"f{n}"}) for n in range(8)),
        *(("find_definition", {"symbol": f"g{n}"}) for n in range(8)),
        *(("get_dependents", {"path": f"src/f{n}.ts"}) for n in range(8)),
        *(("get_function", {"path": "src/use.ts", "name": f"g{n}"}) for n in range(8)),
        ("get_complexity", {}),
        ("get_structure", {}),
        ("grep", {"pattern": "return"}),
        ("get_todos", {}),
    ]
    reply = "".join(call(name, **arguments) for name, arguments in asked)
    settings = {"context": {"parallelCalls": 8, "maxRepeats": 9}}
    assistant = open_assistant(project, [reply, reply, reply, "Read."], settings=settings)
    wanted = [assistant.call(name, arguments).text() for name, arguments in asked]
    answer = assistant.ask("Read it all")
    assert [c.result.text() for c in answer.tool_calls] == wanted * 3


def test_stop_ends_calls_that_run_side_by_side(open_assistant, project):
    meeting.reset()
    cancel = CancelToken()
    model = ScriptedModel([call("meet", name="alone") + call("get_structure"), "Here."])
    assistant = with_tools(open_assistant(project, model), meet)
    for event in assistant.stream("Wait", cancel):
        if isinstance(event, CallStarted):
            threading.Timer(0.1, cancel.cancel).start()
        last = event
    assert last.answer.ended == "stopped"
    meeting.abort()
    assert assistant.ask("Still there?").text == "Here."
    sent = model.requests[-1].messages
    assert [m.call_id for m in sent if m.call_id] == [c.id for m in sent for c in m.calls]


def test_an_explained_deletion_deletes_nothing(open_assistant, make_project):
    project = make_project({"src/a.ts": "export const a = 1\n"})
    code = "```python\ndelete_file('src/a.ts')\n```"
    explained = f"Never run this:\n\n{code}\n\nIt would delete the module."
    answer = open_assistant(project, [explained], auto_apply=True).ask("How do I clean up?")
    assert (answer.text, answer.tool_calls) == (explained, ())
    assert (project / "src/a.ts").exists()


def test_a_deletion_with_prose_before_it_is_asked_about(open_assistant, make_project):
    project = make_project({"src/a.ts": "export const a = 1\n"})
    replies = ["Never run:\n\n```python\ndelete_file('src/a.ts')\n```", "It deletes the module."]
    answer = open_assistant(project, replies, auto_apply=True).ask("How do I clean up?")
    assert (answer.text, answer.tool_calls) == ("It deletes the module.", ())
    assert (project / "src/a.ts").exists()
