"""What a model is sent always fits its window, whatever the conversation was."""

import json

import pytest
from long_session import (
    FIRST,
    LATER_WISH,
    SUMMARY,
    CountingModel,
    make_files,
    questions,
    settings,
    strict_tokens,
)

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.calibration import Calibration
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.context.relevance import NO_CHANGE
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, SettingsError
from ipuaro_jupyter.records.chat import Message, Usage
from ipuaro_jupyter.records.events import Noticed, PhaseChanged


@pytest.fixture
def files(tmp_path):
    make_files(tmp_path / "project")
    return tmp_path / "project"


def notices(events):
    return [e.text for e in events if isinstance(e, Noticed)]


def test_a_summary_is_made_once_and_is_there_after_a_restart(open_assistant, files):
    """The user sees that it is made; it is stored with the session."""
    first = CountingModel(8192)
    assistant = open_assistant(files, first, settings=settings(), auto_apply=True)
    told = []
    for question in questions(40):
        told += list(assistant.stream(question))
        if any(request.is_summary for request in first.requests):
            break
    assert PhaseChanged(phase="summarising") in told
    assert any("were summed up" in notice for notice in notices(told))
    assistant.close()
    second = CountingModel(8192)
    resumed = open_assistant(files, second, settings=settings(), auto_apply=True)
    resumed.ask("And what did we say at first?")
    assert not second.requests[0].is_summary
    assert SUMMARY in second.requests[0].messages[1].content
    assert FIRST in second.requests[0].messages[1].content


def test_a_later_summary_takes_the_former_up(open_assistant, files):
    model = CountingModel(8192)
    assistant = open_assistant(files, model, settings=settings(), auto_apply=True)
    for question in questions(30):
        assistant.ask(question)
    asked = [request.messages[1].content for request in model.requests if request.is_summary]
    assert len(asked) > 1
    assert SUMMARY not in asked[0]
    assert all(SUMMARY in transcript for transcript in asked[1:])
    assert len(asked) < len(model.requests) / 5


def test_results_are_left_out_before_turns_are(open_assistant, files):
    read = [f'<tool_call name="get_lines"><path>src/mod{n}.ts</path></tool_call>' for n in range(6)]
    model = ScriptedModel([r for pair in zip(read, ["Read."] * 6, strict=True) for r in pair])
    model.context_tokens = 16_384
    assistant = open_assistant(files, model, settings=settings())
    for number in range(6):
        assistant.ask(f"Read module {number}")
    messages = model.requests[-1].messages
    asked = [m.content for m in messages if m.role == "user"]
    assert asked == [f"{NO_CHANGE}\n\nRead module {number}" for number in range(6)]
    results = [m.content for m in messages if m.role == "tool"]
    assert results[0].startswith('[Left out to save room: the result of get_lines(path="src/mod0')
    assert "Call it again if you need it." in results[0]
    assert "lookUp" in results[-1]


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        ("", "the model wrote nothing"),
        ("<think>What to write?</think>", "the model wrote nothing"),
        (ModelError("Out of memory."), "Out of memory."),
    ],
)
def test_without_a_summary_the_oldest_turns_go_and_the_user_is_told(
    open_assistant, files, summary, told
):
    """It is not tried again in the same turn, and what the user asked for stays."""

    def reply(messages):
        if messages[0].content.startswith("You sum up"):
            if isinstance(summary, Exception):
                raise summary
            return summary
        return "Answer: " + "".join(f"it is found in table {n}. " for n in range(150))

    model = ScriptedModel([reply] * 60, context_tokens=8192)
    assistant = open_assistant(files, model, settings=settings())
    events = [event for question in questions(20) for event in assistant.stream(question)]
    assert any(told in notice for notice in notices(events))
    last = model.requests[-1].messages
    assert FIRST in last[1].content
    assert LATER_WISH in last[1].content
    assert "left out to save room" in last[1].content
    assert events[-1].answer.ended == "done"
    tries = sum(r.messages[0].content.startswith("You sum up") for r in model.requests)
    assert 0 < tries < 12


def test_a_summary_that_takes_too_long_is_given_up(open_assistant, files):
    class Slow(CountingModel):
        def chat(self, messages, *, tools, cancel):
            if messages[0].content.startswith("You sum up"):
                cancel.wait(60)
                cancel.check()
            yield from super().chat(messages, tools=tools, cancel=cancel)

    model = Slow(4096)
    given = settings(summaryTimeoutS=0.05)
    assistant = open_assistant(files, model, settings=given, auto_apply=True)
    events = [event for question in questions(12) for event in assistant.stream(question)]
    assert any("it took longer than 0.05 s" in notice for notice in notices(events))
    assert events[-1].answer.ended == "done"


def test_stop_is_heard_while_a_summary_is_made(open_assistant, files):
    token = CancelToken()

    class Stopped(CountingModel):
        def chat(self, messages, *, tools, cancel):
            if messages[0].content.startswith("You sum up"):
                token.cancel()
                cancel.wait(60)
                cancel.check()
            yield from super().chat(messages, tools=tools, cancel=cancel)

    assistant = open_assistant(files, Stopped(4096), settings=settings(), auto_apply=True)
    ended = [assistant.ask(question, token).ended for question in questions(12)]
    assert "stopped" in ended


def test_truncate_asks_for_no_summary(open_assistant, files):
    model = CountingModel(4096)
    given = settings(compressionMethod="truncate")
    assistant = open_assistant(files, model, settings=given, auto_apply=True)
    for question in questions(15):
        assistant.ask(question)
    assert not any(request.is_summary for request in model.requests)
    assert FIRST in model.requests[-1].messages[1].content


def test_a_huge_message_loses_its_middle_and_the_user_is_told_what_to_do(open_assistant, files):
    log = "begin of the log\n" + "error: it failed at 12:00\n" * 8000 + "end of the log"
    model = CountingModel(8192)
    assistant = open_assistant(files, model, settings=settings(), auto_apply=True)
    events = list(assistant.stream(log))
    assert events[-1].answer.ended == "done"
    (told,) = [notice for notice in notices(events) if "middle was left out" in notice]
    assert "llm.contextWindow" in told
    for request in model.requests:
        assert request.tokens + 2048 <= 8192
        (asked,) = [m.content for m in request.messages if m.role == "user"]
        assert asked.startswith(f"{NO_CHANGE}\n\nbegin of the log")
        assert asked.endswith("end of the log")


def test_a_window_that_is_too_small_is_an_error_that_names_the_setting(open_assistant, files):
    assistant = open_assistant(files, CountingModel(1024), settings=settings())
    with pytest.raises(SettingsError, match=r"llm\.contextWindow.*tools\.enabled"):
        assistant.ask("Hello")
    few = {**settings(), "tools": {"enabled": ["get_lines"]}}
    small = open_assistant(files, CountingModel(2048), settings=few)
    assert small.ask("Hello").ended == "done"


@pytest.mark.parametrize("native", [True, False])
def test_what_a_real_server_is_sent_fits_its_num_ctx(open_assistant, files, ollama_server, native):
    """Over HTTP, with counts that are far too small, as a server with a warm cache gives them."""
    can = ["tools"] if native else []
    ollama_server.add_model("small", context_length=8192, capabilities=can)
    ollama_server.replies = Replies(ollama_server)
    given = {**settings(), "llm": {"model": "small", "host": ollama_server.url, "way": "loop"}}
    assistant = open_assistant(files, None, settings=given, auto_apply=True)
    for question in questions(25):
        assert assistant.ask(question).ended == "done"
    asked = ollama_server.asked("/api/chat")
    assert len(asked) > 25
    for body in asked:
        assert body["options"]["num_ctx"] == 8192
        sent = strict_tokens(json.dumps(body["messages"] + body["tools"], ensure_ascii=False))
        assert sent < 8192 - 2048
    assert any(body["messages"][0]["content"].startswith("You sum up") for body in asked)


class Replies(list):
    """Reads a file, then answers; sums up when it is asked to."""

    def __init__(self, server):
        super().__init__()
        self._server = server

    def pop(self, _place):
        messages = self._server.asked("/api/chat")[-1]["messages"]
        if messages[0]["content"].startswith("You sum up"):
            return [SUMMARY]
        if messages[-1]["role"] == "tool" or "<tool_result" in messages[-1]["content"]:
            return ["".join(f"Fee {row} comes from a table. " for row in range(40))]
        number = len(self._server.requests) % 12
        return [f'<tool_call name="get_lines"><path>src/mod{number}.ts</path></tool_call>']


def context(window, *, counted=None, **given):
    """Return the context of a model that has counted a request as it was guessed, ``counted``."""
    calibration = Calibration()
    for _ in range(4):
        calibration.learn(1000, counted or 1000, window=1_000_000)
    model = ScriptedModel([], context_tokens=window)
    return ContextWindow(model, AgentSettings(**given), calibration=calibration)


@pytest.mark.parametrize(
    ("window", "given", "hard"),
    [
        (10_000, {}, 7952),  # what is left beside a reply
        (100_000, {}, 90_000),  # the part that is never passed
        (4000, {}, 3000),  # a reply takes a quarter of a small window
        (10_000, {"reply_tokens": 256}, 9000),
        (10_000, {"max_context_usage": 0.5}, 5000),
    ],
)
def test_a_request_leaves_room_for_the_reply(window, given, hard):
    """Half of what a request may take is for the rules; far larger counts make it smaller."""
    room = context(window, **given).prompt_room(is_short=False)
    assert room.tokens == pytest.approx(0.5 * hard)
    assert room.guide_tokens == pytest.approx(1500)
    assert room.map_tokens == pytest.approx(0.02 * window)
    twice = context(window, counted=2000, **given).prompt_room(is_short=False)
    assert twice.tokens == pytest.approx(0.5 * hard / 2.06 * 1.1)
    short = context(window, **given).prompt_room(is_short=True)
    assert short.tokens < room.tokens or window < 8192


@pytest.mark.parametrize(("wanted", "most"), [(1000, 1000), (9000, 7952)])
def test_the_rules_take_what_the_settings_say_but_never_more_than_a_request_may(wanted, most):
    room = context(10_000, system_prompt_tokens=wanted).prompt_room(is_short=True)
    assert room.tokens == pytest.approx(most)


def fitted(opened, system, messages):
    steps = opened.fitted(system, messages, CancelToken())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_a_request_is_refused_before_it_has_no_room_for_a_conversation():
    """An eighth of the window has to be left, of a small one 320 tokens."""
    asked = [Message(role="user", content="Go.", at=1.0)]
    for window, hard, least in ((4000, 3000, 500), (2000, 1500, 320)):
        room = (hard - least) / 1.03
        fits = Message(role="system", content="1" * int(room - 8))
        assert fitted(context(window), fits, asked) == [fits, *asked]
        over = fits.model_copy(update={"content": fits.content + "1" * 2})
        with pytest.raises(SettingsError, match=rf"{window} tokens, {window // 4} of them for"):
            fitted(context(window), over, asked)


def test_how_full_the_window_is_follows_the_count_and_never_passes_the_whole():
    opened = context(10_000)
    assert opened.percent(Usage(prompt_tokens=2500)) == 25
    assert opened.percent(Usage(prompt_tokens=25_000)) == 100
    messages = [Message(role="user", content="1" * 3992)]
    opened.learn(messages, Usage(prompt_tokens=100))
    assert opened.percent(Usage(prompt_tokens=100)) == pytest.approx(44.0), "of a part: guessed"
    opened.learn(messages, Usage(prompt_tokens=4000))
    assert opened.percent(Usage(prompt_tokens=100)) == 1


def test_what_a_model_does_not_count_is_guessed():
    opened = context(10_000)
    usage = opened.estimated([Message(role="user", content="1" * 992)], "1" * 100)
    assert usage == Usage(prompt_tokens=1030, completion_tokens=103, estimated=True)
