import json
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.settings import load_settings


def write(folder, name, content):
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.mark.usefixtures("home")
def test_defaults_without_any_file(project):
    settings, notices, _ = load_settings(project, {})
    assert settings.approve == "ask"
    assert settings.undo.stack_size == 10
    assert notices == ()


def test_the_project_counts_over_the_user_and_flags_over_both(home, project):
    write(home, "settings.json", {"undo": {"stackSize": 3}, "llm": {"model": "of-the-user"}})
    write(project, ".ipuaro.json", {"undo": {"stackSize": 4}})
    settings, _, _ = load_settings(project, {"context": {"maxRounds": 7}})
    assert settings.undo.stack_size == 4
    assert settings.llm.model == "of-the-user"
    assert settings.context.max_rounds == 7


@pytest.mark.usefixtures("home")
def test_auto_apply_lets_edits_through(project):
    assert load_settings(project, {}, auto_apply=True).settings.approve == "edits"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{broken", "no JSON"),
        ("[1]", "no JSON object"),
        ({"lmm": {}}, "'llm'"),
        ({"undo": {"stackSizes": 1}}, "'stackSize'"),
        ({"contextWindow": 9000}, "'llm.contextWindow'"),
        ({"context": {"approve": "ask"}}, "'approve'"),
        ({"edit": {"autoApply": True}}, "'edit' is unknown"),
        ({"redis": {"keyPrefix": "mine:"}}, "'redis.keyPrefix' is unknown"),
        ({"undo": {"stackSize": 0}}, "undo.stackSize"),
        ({"approve": "always"}, "approve"),
    ],
)
def test_what_is_wrong_names_the_file_and_the_key(project, content, named):
    write(project, ".ipuaro.json", content)
    with pytest.raises(SettingsError) as error:
        load_settings(project, {})
    assert named in str(error.value)
    assert ".ipuaro.json" in str(error.value)


SECRET = "ghp_0123456789abcdef"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"approve": SECRET}, "'approve' is a text of 20 characters: Input should be 'ask'"),
        ({"undo": {"stackSize": SECRET}}, "'undo.stackSize' is a text of 20 characters: "),
        ({"undo": SECRET}, "'undo' is a text of 20 characters: "),
        ({"tools": {"enabled": SECRET}}, "'tools.enabled' is a text of 20 characters: "),
        ({"tools": {"enabled": [SECRET]}}, "'tools.enabled' is a list: "),
        ({"tools": {"enabled": [{"a": SECRET}]}}, "'tools.enabled.0' is an object: "),
        ({"redis": {"url": [SECRET]}}, "'redis.url' is a list: "),
        ({"edit": {"autoApply": SECRET}}, "'edit' is unknown."),
        ({"redis": {"password": SECRET}}, "'redis.password' is unknown."),
        ({"undo": {"stackSize": 0}}, "'undo.stackSize' is 0: "),
        ({"watchdog": {"enabled": None}}, "'watchdog.enabled' is null: "),
        ({"undo": {"stackSize": Path("x")}}, "'undo.stackSize' is of the type PosixPath: "),
    ],
)
def test_a_wrong_value_that_may_be_a_secret_is_not_repeated(project, content, told):
    with pytest.raises(SettingsError) as error:
        load_settings(project, content)
    assert told in str(error.value)
    assert SECRET not in str(error.value)


def test_a_tool_whose_name_is_nearly_right_is_named(project):
    with pytest.raises(SettingsError, match=r"no tool 'get_line'\. Did you mean 'get_lines'"):
        load_settings(project, {"tools": {"enabled": ["get_line"]}})


@pytest.mark.usefixtures("home")
def test_a_file_that_is_no_text_is_named(project):
    (project / ".ipuaro.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"\.ipuaro\.json cannot be read"):
        load_settings(project, {})


@pytest.mark.usefixtures("home")
def test_a_project_may_tighten_but_not_loosen(project):
    loose = {"approve": "all", "redis": {"url": "redis://evil"}, "llm": {"host": "evil"}}
    write(project, ".ipuaro.json", loose)
    settings, notices, _ = load_settings(project, {})
    assert settings.approve == "ask"
    assert settings.redis.url is None
    assert settings.llm.host != "evil"
    assert "approve, llm.host, redis" in notices[0]
    write(project, ".ipuaro.json", {"approve": "never"})
    assert load_settings(project, {}).settings.approve == "never"


def test_a_project_does_not_undo_what_the_user_forbade(home, project):
    write(home, "settings.json", {"approve": "never"})
    write(project, ".ipuaro.json", {"approve": "ask", "llm": {"model": "recorded:talk.json"}})
    settings, notices, _ = load_settings(project, {})
    assert settings.approve == "never"
    assert not settings.llm.model.startswith("recorded:")
    assert "approve, llm.model" in notices[0]


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("gguf:./evil.gguf", False),
        ("gguf:evil.gguf", False),
        ("gguf:/tmp/evil.gguf", False),
        ("gguf:a/../../evil.gguf", False),
        ("gguf:Qwen/Q-GGUF/q4.gguf", True),
    ],
)
def test_a_project_names_no_file_of_weights_by_its_path(home, project, model, taken):
    write(home, "settings.json", {"llm": {"model": "gguf:Qwen/Mine-GGUF/q4.gguf"}})
    write(project, ".ipuaro.json", {"llm": {"model": model}})
    settings, notices, _ = load_settings(project, {})
    assert (settings.llm.model == model) is taken
    assert ("do not count: llm.model" in "".join(notices)) is not taken


@pytest.mark.parametrize(("value", "url"), [("", None), ("redis://there", "redis://there")])
def test_the_environment_names_the_server_over_the_files(home, project, monkeypatch, value, url):
    write(home, "settings.json", {"redis": {"url": "redis://mine"}})
    assert load_settings(project, {}).settings.redis.url == "redis://mine"
    monkeypatch.setenv("IPUARO_REDIS_URL", value)
    assert load_settings(project, {}).settings.redis.url == url
    assert load_settings(project, {"redis": {"url": "redis://flag"}}).settings.redis.url == (
        "redis://flag"
    )


def test_both_spellings_of_a_key_are_one(home, project):
    write(home, "settings.json", {"undo": {"stackSize": 3}})
    assert load_settings(project, {"undo": {"stack_size": 4}}).settings.undo.stack_size == 4


@pytest.mark.usefixtures("home")
def test_only_tools_that_there_are_can_be_enabled(project):
    names = ["get_lines", "Find_*", "mcp__github__*"]
    assert load_settings(project, {"tools": {"enabled": names}}).settings.tools.enabled == tuple(
        names
    )
    with pytest.raises(SettingsError) as error:
        load_settings(project, {"tools": {"enabled": ["get_line"]}})
    assert "tools.enabled" in str(error.value)
    assert "Did you mean 'get_lines'?" in str(error.value)
