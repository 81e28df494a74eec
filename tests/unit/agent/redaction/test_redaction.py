"""What the model sees of a secret, and what becomes of the placeholders."""

import pytest
from stored_messages import messages_of

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.redaction import Redaction

HIDE = Redaction(b"k" * 32)


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


ENV = "# settings\nDB_PASSWORD=hunter2000\nDB_HOST=db\n"
MARK = HIDE.text("DB_PASSWORD=hunter2000").partition("=")[2]


@pytest.fixture
def project(make_project):
    return make_project({".env.local": ENV, "src/a.ts": "export const a = 1\n"})


def told(model, place=-1):
    return "\n".join(m.content for m in model.requests[place].messages)


def test_the_model_and_the_session_never_see_the_secret_and_the_user_does(open_assistant, project):
    read = call("get_lines", path=".env.local")
    model = ScriptedModel([read, "It names a database."])
    assistant = open_assistant(project, model)
    answer = assistant.ask("What is configured?")
    assert "hunter2000" not in told(model)
    assert "DB_PASSWORD=[redacted:password:" in told(model)
    assert "DB_HOST=db" in told(model)
    assert "hunter2000" in answer.tool_calls[0].result.text()
    assert "hunter2000" in assistant.call("get_lines", {"path": ".env.local"}).text()
    stored = [m.model_dump_json() for m in messages_of(assistant)]
    assert not any("hunter2000" in message for message in stored)


def test_what_a_command_prints_is_hidden_too(open_assistant, project):
    model = ScriptedModel([call("run_command", command="cat .env.local"), "Done."])
    assistant = open_assistant(project, model, confirm=lambda _: True)
    assistant.ask("Show it")
    assert "hunter2000" not in told(model)


def test_the_setting_lets_everything_through(open_assistant, project):
    model = ScriptedModel([call("get_lines", path=".env.local"), "Done."])
    assistant = open_assistant(project, model, settings={"context": {"redact": False}})
    assistant.ask("What is configured?")
    assert "hunter2000" in told(model)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit_lines", {"path": ".env.local", "start": 2, "end": 3, "content": "DB_PASSWORD=§"}),
        ("create_file", {"path": "b.env", "content": "DB_PASSWORD=§"}),
        ("write_file", {"filepath": "b.env", "content": "DB_PASSWORD=§"}),
        ("update_file", {"filepath": ".env.local", "target": "DB_HOST=db", "patch": "X=§"}),
        ("update_file", {"filepath": ".env.local", "target": "DB_PASSWORD=§", "patch": "X=1"}),
        ("run_command", {"command": "echo §"}),
        ("bash", {"command": "env", "env": '{"DB": "§"}'}),
        ("git_commit", {"message": "Set §"}),
    ],
)
def test_a_placeholder_is_never_written_back(open_assistant, project, name, arguments):
    arguments = {key: str(value).replace("§", MARK) for key, value in arguments.items()}
    asked = []
    model = ScriptedModel([call(name, **arguments), "I leave it."])
    assistant = open_assistant(project, model, confirm=lambda p: not asked.append(p))
    answer = assistant.ask("Change it")
    error = answer.tool_calls[0].result.error
    assert (error.type, error.recoverable) == ("validation", True)
    assert MARK in error.message
    assert "Leave that line as it is" in error.suggestion
    assert not asked
    assert (project / ".env.local").read_text() == ENV
    assert "Leave that line as it is" in told(model)


def test_text_that_mentions_redaction_may_be_written(open_assistant, project):
    text = "Values are [redacted] or [redacted:KIND:…] here."
    model = ScriptedModel([call("create_file", path="doc.md", content=text), "Done."])
    answer = open_assistant(project, model, confirm=lambda _: True).ask("Document it")
    assert answer.tool_calls[0].result.success
    assert (project / "doc.md").read_text() == text


def test_a_placeholder_that_stands_in_the_file_is_text_like_any_other(open_assistant, project):
    (project / "doc.md").write_text(f"one\nshown as {MARK}\nthree\n")
    edit = call("edit_lines", path="doc.md", start=2, end=3, content=f"shown as {MARK}\nfour")
    answer = open_assistant(project, [edit, "Done."], confirm=lambda _: True).ask("Change three")
    assert answer.tool_calls[0].result.success
    assert (project / "doc.md").read_text() == f"one\nshown as {MARK}\nfour\n"


def test_the_lines_around_a_secret_can_be_edited(open_assistant, project):
    edit = call("edit_lines", path=".env.local", start=3, end=3, content="DB_HOST=db2")
    model = ScriptedModel([call("get_lines", path=".env.local"), edit, "Done."])
    assistant = open_assistant(project, model, confirm=lambda _: True)
    assert assistant.ask("Use db2").tool_calls[1].result.success
    assert (project / ".env.local").read_text() == ENV.replace("=db", "=db2")
    assert "hunter2000" not in told(model)
    assert assistant.undo().success
    assert (project / ".env.local").read_text() == ENV


def test_what_the_user_calls_is_not_refused(open_assistant, project):
    assistant = open_assistant(project, [], confirm=lambda _: True)
    assert assistant.call("create_file", {"path": "b.md", "content": MARK}).success
