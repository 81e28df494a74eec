"""Every request of a long session fits, and takes no longer than the first ones."""

import time

import pytest
from long_session import (
    FIRST,
    LATER_WISH,
    CountingModel,
    make_files,
    questions,
    settings,
)

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.chat import Message, ToolCall


@pytest.fixture
def files(tmp_path):
    make_files(tmp_path / "project")
    return tmp_path / "project"


def assert_whole(request, question):
    """Pairs are whole, and the question is there as it was asked."""
    calls = [call.id for message in request.messages for call in message.calls]
    results = [m.call_id for m in request.messages if m.role == "tool" and m.call_id]
    assert sorted(calls) == sorted(results)
    assert any(m.role == "user" and m.words == question for m in request.messages)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(("window", "reports"), [(4096, "all"), (8192, "new"), (32_768, "no")])
def test_every_request_of_a_long_session_fits(open_assistant, files, *, window, reports, native):
    """With the model's own count, pairs whole, the first request and the user's wishes kept.

    ``tests/benchmarks/context.py`` does the same for longer.
    """
    model = CountingModel(window, native_tools=native, reports=reports)
    given = settings(mapShare=0.08 if window < 32_768 else 0)
    assistant = open_assistant(files, model, settings=given, auto_apply=True)
    for place, question in enumerate(questions(40)):
        before = len(model.requests)
        answer = assistant.ask(question)
        assert answer.ended == "done", answer.notice
        for request in model.requests[before:]:
            assert request.tokens + min(2048, window // 4) <= window
            if not request.is_summary:
                assert_whole(request, question)
                told = "\n".join(m.content for m in request.messages if m.role == "user")
                assert FIRST in told
                assert place < 2 or LATER_WISH in told
    assert sum(request.is_summary for request in model.requests) > 1


def test_the_time_grows_with_the_session_only():
    """Also for a long one that was never summed up: four times the turns, about four times."""

    def seconds(turns):
        messages = []
        for number in range(turns):
            look = ToolCall(name="get_lines", arguments={"path": f"{number}.ts"}, id=f"c{number}")
            messages += [
                Message(role="user", content=f"Question {number}. Never touch it.", at=1.0),
                Message(role="assistant", content="Let me look.", calls=(look,)),
                Message(role="tool", content=f"{number}\n" * 80, call_id=look.id, tool="get_lines"),
                Message(role="assistant", content=f"Answer {number} " * 20),
            ]
        model = ScriptedModel(["Notes."], context_tokens=8192)
        context = ContextWindow(model, AgentSettings())
        system = Message(role="system", content="Rules.")
        began = time.thread_time()
        for _ in context.fitted(system, messages, CancelToken()):
            pass
        assert len(model.requests) == 1
        return time.thread_time() - began

    seconds(100)
    assert seconds(1600) < max(1.0, 10 * seconds(400))
