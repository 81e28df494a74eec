"""The system's settings count over all others, and lock what they set."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.own_settings import agrees_to_checks
from ipuaro_jupyter.settings.settings import load_settings
from ipuaro_jupyter.settings.system_settings import SYSTEM_VARIABLE, system_file

STRICT_FIRST = ("never", "ask", "checked", "edits", "all")
SERVER = {"command": "true"}


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return a function that writes the system's settings."""
    monkeypatch.setenv(SYSTEM_VARIABLE, str(tmp_path / "system"))
    (tmp_path / "system").mkdir()

    def write(**values):
        (tmp_path / "system/settings.json").write_text(json.dumps(values))

    return write


@pytest.fixture
def user(tmp_path, monkeypatch):
    """Return a function that writes the user's settings."""
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()

    def write(**values):
        (tmp_path / "home/settings.json").write_text(json.dumps(values))

    return write


@pytest.fixture
def root(make_project):
    return make_project({})


@pytest.mark.usefixtures("user")
def test_without_a_file_nothing_is_locked(monkeypatch, root):
    monkeypatch.delenv(SYSTEM_VARIABLE, raising=False)
    loaded = load_settings(root, {"approve": "all"})
    assert (loaded.settings.approve, loaded.notices) == ("all", ())


def test_they_count_over_the_users_the_projects_and_what_is_given(system, user, root):
    system(llm={"host": "http://models.example:11434"}, undo={"stackSize": 3})
    user(llm={"host": "http://127.0.0.1:1", "temperature": 0.5}, undo={"stackSize": 4})
    (root / ".ipuaro.json").write_text(json.dumps({"undo": {"stackSize": 5}}))
    loaded = load_settings(root, {"undo": {"stackSize": 6}})
    assert loaded.settings.llm.host == "http://models.example:11434"
    assert loaded.settings.llm.temperature == 0.5
    assert loaded.settings.undo.stack_size == 3
    file = str(system_file())
    assert loaded.sources["undo.stackSize"] == loaded.sources["llm.host"] == file
    assert loaded.notices == (
        f"{file} overrides these settings of yours: llm.host, undo.stackSize.",
    )


@pytest.mark.parametrize("limit", STRICT_FIRST)
@pytest.mark.parametrize("wished", STRICT_FIRST)
@pytest.mark.usefixtures("user")
def test_a_user_may_be_stricter(system, root, limit, wished):
    system(approve=limit)
    loaded = load_settings(root, {"approve": wished})
    stricter = min(limit, wished, key=STRICT_FIRST.index)
    assert loaded.settings.approve == stricter
    assert bool(loaded.notices) == (stricter != wished)


@pytest.mark.usefixtures("user")
def test_the_default_stays_where_it_is_stricter(system, root):
    system(approve="edits")
    assert load_settings(root, {}).settings.approve == "ask"
    assert load_settings(root, {}, auto_apply=True).settings.approve == "edits"
    system(approve="ask")
    assert load_settings(root, {}, auto_apply=True).settings.approve == "ask"


def test_mcp_servers_are_locked_as_a_whole(system, user, root):
    user(mcpServers={"mine": SERVER})
    system(mcpServers={})
    loaded = load_settings(root, {})
    assert loaded.settings.mcp_servers == {}
    assert loaded.notices[0].endswith("overrides these settings of yours: mcpServers.mine.")
    system(mcpServers={"theirs": SERVER})
    assert list(load_settings(root, {"mcpServers": {"mine": SERVER}}).settings.mcp_servers) == [
        "theirs"
    ]


@pytest.mark.usefixtures("user", "system")
def test_a_named_folder_without_them_is_an_error(root):
    with pytest.raises(SettingsError, match=r"names '.*system', which has no settings\.json"):
        load_settings(root, {})


@pytest.mark.usefixtures("user", "permissions_count")
def test_a_file_that_cannot_be_reached_is_an_error(system, root, tmp_path):
    system(approve="ask")
    (tmp_path / "system").chmod(0)
    with pytest.raises(SettingsError, match=r"settings\.json cannot be read: Permission denied"):
        load_settings(root, {})
    (tmp_path / "system").chmod(0o700)


@pytest.mark.parametrize(
    "wrong", ["{", "[]", '{"aprove": "ask"}', '{"approve": 5}', '{"llm": {"host": 5}}']
)
@pytest.mark.usefixtures("user")
def test_a_wrong_file_is_an_error_that_names_it(system, root, wrong):
    system()
    system_file().write_text(wrong)
    with pytest.raises(SettingsError, match=str(system_file())):
        load_settings(root, {})


def test_nothing_is_loosened_later(system, open_assistant, root):
    system(approve="ask", llm={"model": "theirs"})
    assistant = open_assistant(root, [])
    assistant.approve = "never"
    with pytest.raises(SettingsError, match='allows "ask" and what is stricter'):
        assistant.approve = "edits"
    assert assistant.approve == "never"
    with pytest.raises(SettingsError, match=r"The model cannot be mine here: .* sets theirs\."):
        assistant.use_model("mine")
    with pytest.raises(SettingsError, match="The model cannot be mine here"):
        open_assistant(root, "mine")


def test_the_users_key_goes_to_the_users_host_alone(system, user, root):
    user(llm={"model": "openai:x", "host": "https://mine.example/v1", "apiKeyEnv": "MY_KEY"})
    system(llm={"host": "http://theirs.example/v1"})
    loaded = load_settings(root, {})
    assert loaded.settings.llm.host == "http://theirs.example/v1"
    assert loaded.settings.llm.api_key_host == "https://mine.example/v1"
    assert any("The key in MY_KEY is not sent" in one for one in loaded.notices)
    system(llm={"host": "http://theirs.example/v1", "apiKeyEnv": "THEIR_KEY"})
    loaded = load_settings(root, {})
    assert loaded.settings.llm.api_key_env == "THEIR_KEY"
    assert loaded.settings.llm.api_key_host == "http://theirs.example/v1"


def test_checks_are_not_agreed_to_where_the_system_asks(system, user):
    system()
    user(checks={"before": "always"})
    assert agrees_to_checks({}) == {"checks.before"}
    system(checks={"before": "ask"})
    assert agrees_to_checks({"checks": {"before": "always"}}) == frozenset()
