"""What a model is sent always fits its window, whatever the conversation was."""

import pytest
from long_session import (
    FIRST,
    CountingModel,
    make_files,
    questions,
)

LIMITS = {"maxRepeats": 1000, "maxRounds": 60}
LATER_WISH = "From now on use only the standard library!"


def settings(**context):
    return {"context": {**LIMITS, **context}, "watchdog": {"enabled": False}}


@pytest.fixture
def files(tmp_path):
    make_files(tmp_path / "project")
    return tmp_path / "project"


def assert_whole(request, question):
    """Pairs are whole, and the question is there as it was asked."""
    calls = [call.id for message in request.messages for call in message.calls]
    results = [m.call_id for m in request.messages if m.role == "tool" and m.call_id]
    assert sorted(calls) == sorted(results)
    assert any(m.role == "user" and m.content == question for m in request.messages)


@pytest.mark.parametrize(
    "case",
    [
        (4096, False, "all", 60),
        (4096, True, "no", 60),
        (8192, False, "new", 60),
        pytest.param((8192, True, "all", 220), marks=pytest.mark.slow),
        pytest.param((32_768, False, "no", 220), marks=pytest.mark.slow),
        pytest.param((32_768, True, "new", 220), marks=pytest.mark.slow),
    ],
)
def test_every_request_of_a_long_session_fits(open_assistant, files, case):
    """With the model's own count, pairs whole, the first request and the user's wishes kept."""
    window, native, reports, turns = case
    model = CountingModel(window, native_tools=native, reports=reports)
    given = settings(mapShare=0.08 if turns < 100 else 0)
    assistant = open_assistant(files, model, settings=given, auto_apply=True)
    for place, question in enumerate(questions(turns)):
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
    assert any(request.is_summary for request in model.requests)
