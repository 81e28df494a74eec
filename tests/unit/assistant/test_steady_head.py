"""The head of a session is known before the first question."""

import pytest

from ipuaro_jupyter import ScriptedModel

QUIET = {"watchdog": {"enabled": False}}


@pytest.fixture
def root(make_project):
    return make_project({"src/part.ts": "export const part = 1\n"})


def test_the_head_is_there_before_the_first_question(open_assistant, root):
    model = ScriptedModel(["Hello."], native_tools=True)
    assistant = open_assistant(root, model, settings=QUIET)
    early = assistant._conversation.head(assistant.project())
    (root / "late.ts").write_text("export const late = 1\n")
    assistant.reindex()
    assistant.ask("Hello")
    (request,) = model.requests
    assert (early.system, early.tools) == (request.messages[0].content, request.tools)


def test_a_session_that_was_never_used_leaves_no_head_behind(open_assistant, root):
    assistant = open_assistant(root, [], settings=QUIET)
    assistant._conversation.head(assistant.project())
    store = assistant._store
    assert not list(store.scan(f"*{assistant.session.id}:head"))
