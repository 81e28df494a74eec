"""``%ipuaro config``: what is set, and by what."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.store.embedded import stop

USER = {
    "undo": {"stackSize": 5},
    "llm": {"temperature": 0.5, "host": "http://me:s3cret@localhost:1"},
    "mcpServers": {
        "docs": {
            "command": "node",
            "args": ["server.js", "--token", "s3cret"],
            "env": {"MODE": "s3cret"},
            "disabled": True,
        }
    },
}


@pytest.fixture
def config(project, recording, tmp_path, monkeypatch):
    """Show the settings of a project that sets some, over a user who sets some."""
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("IPUARO_REDIS_URL", raising=False)
    user = tmp_path / "home/settings.json"
    user.parent.mkdir()
    user.write_text(json.dumps(USER))
    (project / ".ipuaro.json").write_text(json.dumps({"undo": {"stackSize": 3}}))
    open_project = OpenProject()
    open_project.open(
        str(project),
        model=f"recorded:{recording}",
        auto_apply=True,
        settings={"llm": {"contextWindow": 8192}},
    )

    def run(line=""):
        command = find_command("config")
        return command.run(open_project, CellThread(lambda _: None), command.read(line))

    yield run
    open_project.close()
    stop()


def test_every_setting_has_its_value_and_its_source(config, project, tmp_path):
    rows = {key: (value, source) for key, value, source in config().rows}
    assert rows["undo.stackSize"] == ("3", str(project / ".ipuaro.json"))
    assert rows["llm.temperature"] == ("0.5", str(tmp_path / "home/settings.json"))
    assert rows["llm.contextWindow"] == ("8192", "the settings that were given")
    assert rows["approve"] == ('"edits"', "auto_apply")
    assert rows["watchdog.enabled"] == ("true", "default")


def test_only_what_is_asked_for_is_shown(config):
    assert [row[0] for row in config("undo").rows] == ["undo.stackSize"]
    assert {row[0] for row in config("--changed").rows} == {
        *("undo.stackSize", "llm.temperature", "llm.contextWindow", "approve", "llm.host"),
        "llm.model",
        *(f"mcpServers.docs.{key}" for key in ("command", "args", "env.MODE", "disabled")),
    }
    assert [row[0] for row in config("llm.model").rows] == ["llm.model"]


def test_an_unknown_setting_is_told_with_the_closest(config):
    with pytest.raises(SettingsError, match=r"undo\.stackSize"):
        config("undo.stackSiz")
    with pytest.raises(SettingsError, match=r"Did you mean undo\?"):
        config("undoo")


def test_an_unknown_setting_that_is_close_to_none_is_told_with_the_sections(config):
    with pytest.raises(SettingsError, match=r"'nosuch\.key'\. Sections: .*llm, .*undo"):
        config("nosuch.key")


def test_passwords_are_not_shown(config):
    rows = {key: value for key, value, _ in config().rows}
    assert rows["llm.host"] == '"http://me:***@localhost:1"'
    assert rows["mcpServers.docs.args"] == '["server.js", "--token", "***"]'
    assert rows["mcpServers.docs.env.MODE"] == '"***"'
    assert "s3cret" not in config().to_markdown()


def test_the_model_is_the_one_that_answers(config, recording):
    (row,) = config("llm.model").rows
    assert row == ("llm.model", f'"recorded:{recording}"', "%ipuaro start or model")
