import pytest
from conversations import answer, ask, check_whole, histories
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.head import Head

REPLACE = "redis.call('LSET', KEYS[1], ARGV[1], ARGV[2]) return 1"


def test_messages_are_kept_in_order_with_their_counts(sessions):
    session = sessions.create()
    session.append(ask("How does  login\nwork?"))
    session.append(answer("So."), {"prompt_tokens": 10, "completion_tokens": 2})
    again = sessions.open(session.id)
    assert [m.content for m in again.messages] == ["How does  login\nwork?", "So."]
    assert again.info.title == "How does login work?"
    assert (again.info.messages, again.info.prompt_tokens) == (2, 10)
    assert again.info.created_at <= again.info.updated_at


def test_what_is_told_beside_a_question_is_kept_apart_from_it(sessions):
    session = sessions.create()
    session.append(ask("How?"))
    session.add_context("src/a.ts")
    session.append(answer("So."))
    (question, _), again = session.messages, sessions.open(session.id).messages
    assert again == session.messages
    assert (question.content, question.words, question.context) == ("How?", "How?", "src/a.ts")
    assert question.sent.content == "src/a.ts\n\nHow?"
    assert question.sent.words == "How?"
    assert question.sent.sent == question.sent
    assert sessions.inputs() == ("How?",)


def test_the_head_is_stored_with_the_first_message_and_goes_with_the_messages(sessions):
    session = sessions.create()
    assert session.head is None
    head = Head(made_of="1", system="Rules.", shown=("grep",), guides={"AGENTS.md": "a1"})
    session.keep_head(head)
    session.note_left_out(b"{}")
    session.append(ask("How?"))
    again = sessions.open(session.id)
    assert (again.head, again.left_out) == (head, b"{}")
    again.keep_head(head.model_copy(update={"system": "Others."}))
    assert again.left_out == b""
    assert sessions.open(session.id).head.system == "Others."
    again.clear()
    assert again.head is None
    assert sessions.open(session.id).head is None


def test_a_session_without_messages_is_not_listed(sessions):
    sessions.create()
    assert sessions.all() == ()


def test_the_latest_used_comes_first_and_is_resumed(sessions):
    first, second = sessions.create(), sessions.create()
    first.append(ask("one"))
    second.append(ask("two"))
    first.append(answer("three"))
    assert [info.id for info in sessions.all()] == [first.id, second.id]
    assert sessions.latest().id == first.id


def test_a_turn_that_was_cut_off_loads_as_interrupted_with_every_call_answered(sessions):
    session = sessions.create()
    calls = tuple(ToolCall(id=f"c{n}", name="get_lines", arguments={}) for n in range(2))
    session.append(ask("go"))
    session.append(answer("", *calls))
    session.append(Message(role="tool", content="done", call_id="c0", tool="get_lines"))
    loaded = sessions.open(session.id)
    assert [m.role for m in loaded.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [m.call_id for m in loaded.messages if m.role == "tool"] == ["c0", "c1"]
    assert loaded.messages[-1].interrupted
    assert len(sessions.open(session.id).messages) == 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories(most_turns=3), st.data())
def test_whatever_is_torn_a_session_opens_whole(sessions, store, keys, messages, data):
    session = sessions.create()
    for message in messages:
        session.append(message)
    key = keys.messages(session.id)
    for place, stored in enumerate(store.lrange(key, 0, -1)):
        how = data.draw(st.sampled_from(["left", "left", "cut", "mixed up"]))
        if how != "left":
            end = round(data.draw(st.floats(0, 1)) * len(stored))
            rest = data.draw(st.binary(max_size=9)) if how == "mixed up" else b""
            store.evaluate(REPLACE, key, place, stored[:end] + rest)
    store.ltrim(key, 0, data.draw(st.integers(0, len(messages))))
    loaded = sessions.open(session.id) if messages else session
    check_whole(loaded.messages)
    loaded.append(ask("go on"))
    loaded.append(answer("on"))
    again = sessions.open(session.id)
    check_whole(again.messages)
    assert again.messages == loaded.messages
    sessions.delete(session.id)


def test_a_result_that_is_its_text_is_stored_once(sessions, store, keys):
    session = sessions.create()
    session.append(ask("go"))
    session.append(answer("", *(ToolCall(id=i, name="t", arguments={}) for i in "abc")))
    for call_id, output in (("a", "some text"), ("b", {"a": 1}), ("c", "other text")):
        result = {"success": True, "output": output}
        session.append(Message(role="tool", content="some text", call_id=call_id, result=result))
    stored = store.lrange(keys.messages(session.id), 2, -1)
    assert [data.count(b"text") for data in stored] == [1, 1, 2]
    assert sessions.open(session.id).messages[:5] == session.messages


def test_opening_writes_nothing(sessions, store, keys):
    session = sessions.create()
    session.append(ask("go"))
    session.append(answer("", ToolCall(id="c", name="get_lines", arguments={})))
    assert len(sessions.open(session.id).messages) == 4
    assert store.llen(keys.messages(session.id)) == 2


def test_counts_that_cannot_be_read_are_left_out(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"), {"prompt_tokens": 3})
    store.hset(keys.session(session.id), {"updated_at": b"soon", "tool_calls": b"\xff"})
    (info,) = sessions.all()
    assert (info.title, info.prompt_tokens, info.updated_at) == ("one", 3, 0.0)


def test_half_a_surrogate_pair_is_stored_as_a_question_mark(sessions):
    session = sessions.create()
    session.append(ask("a\ud800b"))
    assert sessions.open(session.id).messages[0].content == "a?b"
    assert sessions.inputs() == ("a?b",)


def test_a_torn_message_is_left_out(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    session.append(answer("two"))
    store.rpush(keys.messages(session.id), b'{"role": "user", "cont')
    assert [m.content for m in sessions.open(session.id).messages] == ["one", "two"]


def test_appending_after_a_torn_message_loses_nothing(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    session.append(answer("two"))
    store.rpush(keys.messages(session.id), b"torn")
    loaded = sessions.open(session.id)
    loaded.append(ask("three"))
    assert [m.content for m in sessions.open(session.id).messages][:3] == ["one", "two", "three"]


def test_id_prefixes_open_and_delete(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    assert sessions.open(session.id[:-2]).id == session.id
    assert sessions.delete(session.id[:-2]) == session.id
    assert sessions.all() == ()
    assert list(store.scan(keys.pattern)) == []
    with pytest.raises(SettingsError, match="is no session"):
        sessions.open(session.id)


def test_an_ambiguous_prefix_names_the_candidates(sessions):
    ids = []
    for _ in range(2):
        session = sessions.create()
        session.append(ask("one"))
        ids.append(session.id)
    with pytest.raises(SettingsError, match="ambiguous") as error:
        sessions.open(ids[0][:4])
    assert all(session_id in str(error.value) for session_id in ids)


def test_a_part_that_no_other_id_has_names_a_session(sessions):
    first, second = sessions.create(), sessions.create()
    first.append(ask("one"))
    second.append(ask("two"))
    assert sessions.find(first.id[-6:]) == first.id
    assert sessions.open(second.id[-8:].upper()).id == second.id
    with pytest.raises(SettingsError, match="ambiguous") as error:
        sessions.find("-")
    assert first.id in str(error.value)
    assert second.id in str(error.value)
    with pytest.raises(SettingsError, match="ambiguous"):
        sessions.delete("")
    assert sessions.delete(first.id[-6:]) == first.id
    with pytest.raises(SettingsError, match="is no session"):
        sessions.find(first.id[-6:])


def test_a_session_that_only_changed_a_file_is_listed_and_resumed(sessions):
    session = sessions.create()
    session.count({"tool_calls": 1, "edits_applied": 1})
    assert [info.edits_applied for info in sessions.all()] == [1]
    assert sessions.latest().id == session.id


def test_looking_things_up_leaves_nothing_behind(sessions, store, keys):
    session = sessions.create()
    session.count({"tool_calls": 1, "edits_applied": 0})
    sessions.release(session)
    assert sessions.all() == ()
    assert list(store.scan(keys.pattern)) == []


def test_clear_forgets_the_messages_but_not_the_session(sessions):
    session = sessions.create()
    session.append(ask("one"))
    session.clear()
    assert session.messages == ()
    assert sessions.open(session.id).messages == ()
    assert session.info.messages == 0


def test_inputs_are_kept_beside_the_sessions(sessions):
    first, second = sessions.create(), sessions.create()
    for session, text in ((first, "a"), (first, "b"), (second, "b"), (second, "\n c ")):
        session.append(ask(text))
        session.append(answer("so"))
    assert sessions.inputs() == ("a", "b", "\n c ")
    first.clear()
    assert sessions.inputs() == ("a", "b", "\n c ")
    sessions.delete(first.id)
    assert sessions.inputs() == ("b", "\n c ")


def test_only_the_latest_inputs_are_kept_and_long_ones_are_cut(sessions, store, keys):
    session = sessions.create()
    for number in range(520):
        session.append(ask(f"{number}"))
        session.append(answer("so"))
    session.append(ask("x" * 30_000))
    store.rpush(keys.history, b"torn")
    inputs = sessions.inputs()
    assert (len(inputs), inputs[0]) == (500, "21")
    assert len(inputs[-1]) == 20_000


def test_a_result_gets_what_was_answered_to_its_call(sessions):
    session = sessions.create()
    call = ToolCall(id="c", name="edit_lines", arguments={})
    proposal = Proposal(id="p", kind="edit", tool="edit_lines", title="t")
    rejected = Decision(action="reject", reason="no")
    edited = Decision(action="apply", text="x" * 50_000)
    session.append(ask("go"))
    session.append(answer("", call))
    session.note_decision(proposal, Decision(action="reject", by="user"))
    session.note_decision(proposal, rejected, within_turn=True)
    session.note_decision(proposal, Decision(action="apply", by="policy"), within_turn=True)
    session.note_decision(proposal, edited, within_turn=True)
    session.append(Message(role="tool", content="r", call_id="c", tool="edit_lines"))
    session.append(answer("done"))
    session.note_decision(proposal, rejected, within_turn=True)
    session.append(ask("and"))
    loaded = sessions.open(session.id).messages
    assert loaded[2].decisions == (rejected, edited)
    assert not any(m.decisions for m in loaded if m is not loaded[2])
    assert len(session.decisions) == 5


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("a" * 80, "a" * 80),
        ("a" * 81, "a" * 79 + "\u2026"),
        ("a" * 78 + " bcd", "a" * 78 + "\u2026"),
    ],
)
def test_a_long_title_says_that_it_goes_on(sessions, asked, title):
    session = sessions.create()
    session.append(ask(asked))
    assert session.info.title == title


def test_clear_forgets_title_and_found_files_too(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    store.hset(keys.found(session.id), {"a.ts": b"x"})
    session.clear()
    assert session.info.title == ""
    assert not store.exists(keys.found(session.id))
    session.append(ask("two"))
    assert session.info.title == "two"


def test_clearing_a_session_that_is_not_listed_leaves_nothing(sessions):
    session = sessions.create()
    session.clear()
    sessions.release(session)
    assert sessions.all() == ()
