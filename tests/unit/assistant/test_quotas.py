"""What an administrator or the user limits: tokens of a day, and sessions that are kept."""

import json
import threading
from contextlib import closing

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, SettingsError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, Usage
from ipuaro_jupyter.records.events import Noticed, TextAdded
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.settings.system_settings import SYSTEM_VARIABLE, system_file
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id

READ = '<tool_call name="get_lines">\n<path>a.ts</path>\n</tool_call>'


def _said(text, tokens=100):
    return [Chunk(text=text), Chunk(usage=Usage(prompt_tokens=tokens - 10, completion_tokens=10))]


@pytest.fixture
def start(start_redis, make_project, open_assistant, tmp_path, monkeypatch):
    """Return a function that opens an assistant on a server of the test, with system settings."""
    root = make_project({"a.ts": "export const a = 1\n"})
    monkeypatch.setenv(SYSTEM_VARIABLE, str(tmp_path / "system"))
    (tmp_path / "system").mkdir()

    def open_it(replies, system=None, **options):
        system_file_ = tmp_path / "system" / "settings.json"
        system_file_.write_text(json.dumps(system or {}))
        flags = {"redis": {"url": start_redis[0]}, **options.pop("settings", {})}
        return open_assistant(root, ScriptedModel(replies), settings=flags, **options)

    return open_it


def _stopped(*steps):
    """A reply that never ends, and a token that is set soon after it has begun."""
    token = CancelToken()

    def reply(_messages):
        threading.Timer(0.1, token.cancel).start()
        return [*steps, float("inf")]

    return reply, token


def _used(assistant):
    return int(assistant.status().tokens.partition(" ")[0].replace(",", ""))


def _limited(tokens):
    return {"llm": {"maxTokensPerDay": tokens}}


def test_a_question_is_refused_before_its_turn_once_the_tokens_are_used_up(start):
    assistant = start([_said("One."), _said("Two.")], _limited(150))
    assert assistant.ask("First").text == "One."
    assert assistant.status().tokens.startswith("100 of 150 (llm.maxTokensPerDay in ")
    assert assistant.ask("Second").text == "Two."
    before = assistant.session.messages
    with pytest.raises(SettingsError, match="200 of 150") as raised:
        assistant.ask("Third")
    assert str(system_file()) in str(raised.value)
    assert assistant.session.messages == before
    with pytest.raises(SettingsError, match="used up"):
        list(assistant.stream("Third"))
    with pytest.raises(SettingsError, match="used up"):
        assistant.evaluate()
    assert assistant.evaluate(review=False)
    assert "Tokens today: 200 of 150" in str(assistant.status())


def test_other_projects_count_together(start, open_assistant, tmp_path, start_redis):
    start([_said("One.")], _limited(100)).ask("First")
    (tmp_path / "other").mkdir()
    flags = {"redis": {"url": start_redis[0]}}
    other = open_assistant(tmp_path / "other", ScriptedModel([]), settings=flags)
    with pytest.raises(SettingsError, match="100 of 100"):
        other.ask("Hello")


def test_a_running_turn_ends_with_what_the_model_has_found(start):
    assistant = start([_said(READ), _said("It is 1, as far as I see.")], _limited(50))
    answer = assistant.ask("What is a?")
    assert answer.ended == "limit"
    assert "used up: 100 of 50" in answer.notice
    assert answer.text == "It is 1, as far as I see."
    assert len(answer.tool_calls) == 1


def test_a_reply_that_is_stopped_counts_by_an_estimate(start):
    assistant = start([["A long answer", float("inf")]], _limited(10_000_000))
    cancel = CancelToken()
    for event in assistant.stream("Hello", cancel):
        if isinstance(event, TextAdded):
            cancel.cancel()
    assert _used(assistant) > 100, "the prompt was read"


def test_thinking_that_is_stopped_counts_too(start):
    reply, token = _stopped(Chunk(thinking="Hm"))
    assistant = start([reply], _limited(10_000_000))
    assert assistant.ask("Hello", token).ended == "stopped"
    assert _used(assistant) > 100, "the prompt was read"


def test_a_review_that_is_stopped_counts_too(start):
    reply, token = _stopped("A review")
    assistant = start([_said("One."), reply], _limited(10_000_000))
    assistant.ask("First")
    with pytest.raises(Cancelled):
        assistant.evaluate(token)
    assert _used(assistant) > 100


def test_a_projects_file_sets_no_quota(start, tmp_path):
    values = {"llm": {"maxTokensPerDay": 1}, "sessions": {"maxKept": 1}}
    (tmp_path / "project" / ".ipuaro.json").write_text(json.dumps(values))
    assistant = start(["Fine."])
    assert assistant.status().tokens == ""
    told = " ".join(assistant.notices)
    assert "llm.maxTokensPerDay of a project's file never counts" in told
    assert "sessions.maxKept of a project's file never counts" in told
    assert assistant.settings.sessions.max_kept is None


def test_the_oldest_sessions_go_with_what_can_be_undone(start):
    kept = {"sessions": {"maxKept": 2}}
    for title in ("one", "two"):
        assistant = start(["Fine."], kept, new=True)
        assistant.ask(title)
        assistant.close()
    assistant = start(["Fine."], kept, new=True)
    assert [one.title for one in assistant.sessions()] == ["two", "one"], "it is not used yet"
    told = [event.text for event in assistant.stream("three") if isinstance(event, Noticed)]
    (said,) = told
    assert said == (
        "The oldest session was deleted with what could be undone in it, because "
        'sessions.maxKept is 2: "one".'
    )
    assert assistant.notices[-1] == said
    assert said in str(assistant.status())
    assert [one.title for one in assistant.sessions()] == ["three", "two"]
    assert assistant.inputs() == ("two", "three")


def test_a_lower_limit_counts_at_the_next_question_and_what_is_open_stays(start, start_redis):
    first = start(["Fine."])
    first.ask("open")
    with closing(connect(StoreSettings(url=start_redis[0]))) as store:
        sessions = Sessions(store, Keys(project_id(first.root)))
        for number in range(8):
            session = sessions.create()
            session.append(Message(role="user", content=f"Is it {number}?"))
            sessions.release(session)
    again = start(["Fine."], {"sessions": {"maxKept": 1}}, new=True)
    assert len(again.sessions()) == 9, "who asks nothing deletes nothing"
    again.load(again.sessions()[5].id)
    again.ask("Still there?")
    assert [one.title for one in again.sessions()] == ["Is it 2?", "open"]
    (told,) = again.notices
    assert told.startswith("The oldest 7 sessions were deleted with what could be undone in them")
    assert told.endswith(
        'is 1: "Is it 0?", "Is it 1?", "Is it 3?", "Is it 4?", "Is it 5?", 2 more.'
    )


def test_a_session_that_was_handed_over_is_not_deleted(start):
    kept = {"sessions": {"maxKept": 1}}
    chat = start(["Fine.", "Again."], kept)
    chat.ask("handed over")
    chat.hand_over()
    other = start(["Fine."], kept, new=True)
    other.ask("other")
    assert [one.title for one in other.sessions()] == ["other", "handed over"]
    chat.take_back(chat.session.id)
    assert chat.ask("more").text == "Again."
    assert chat.session.messages == 4
