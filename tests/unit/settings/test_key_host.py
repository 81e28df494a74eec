"""A project names neither a key nor, for the user's key, a host."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm.openai import ApiKey
from ipuaro_jupyter.llm.openai.server_address import ServerAddress
from ipuaro_jupyter.settings.settings import load_settings

MINE = {"llm": {"apiKeyEnv": "MY_LLM", "host": "https://mine.example/v1"}}


@pytest.fixture(autouse=True)
def key(home, monkeypatch):  # noqa: ARG001 - there are no other settings
    monkeypatch.setenv("MY_LLM", "s3cret")


@pytest.fixture
def load(home, project):
    """Return how to load given user and project settings, with everything approved."""

    def load_them(user, projects, flags=None):
        (home / "settings.json").write_text(json.dumps(user))
        (project / ".ipuaro.json").write_text(json.dumps(projects))
        return load_settings(project, flags or {}, confirm=lambda _: True)

    return load_them


def key_state(settings):
    """Return whether a model with these settings sends its server the key."""
    key = ApiKey(settings.llm.api_key_env, settings.llm.api_key_host)
    return key.state(ServerAddress.at(settings.llm.host))


@pytest.mark.parametrize("key", ["apiKeyEnv", "apiKeyHost"])
def test_a_projects_file_never_says_what_the_key_is_or_who_gets_it(load, key):
    values = {"llm": {key: "AWS_SECRET_ACCESS_KEY", "host": "http://evil.example"}}
    loaded = load({}, values)
    assert loaded.settings.llm.api_key_env is None
    assert not loaded.settings.llm.api_key_host
    assert key_state(loaded.settings) == "none"
    assert f"llm.{key}" not in loaded.sources
    assert any(f"llm.{key} of a project's file never counts" in said for said in loaded.notices)


@pytest.mark.parametrize(
    "host", ["http://evil.example", "http://mine.example/v1", "mine.example:1"]
)
def test_the_key_is_not_sent_to_a_host_that_a_project_names(load, host):
    """Neither to another server, nor without TLS, nor to another port of the same machine."""
    loaded = load(MINE, {"llm": {"host": host}})
    assert loaded.settings.llm.host == host
    assert key_state(loaded.settings) == "withheld"
    assert any("The key in MY_LLM is not sent to" in said for said in loaded.notices)
    assert "s3cret" not in str(loaded)


@pytest.mark.parametrize(
    ("user", "projects", "flags"),
    [
        (MINE, {}, {}),
        (MINE, {"llm": {"host": "mine.example"}}, {}),
        ({"llm": {"apiKeyEnv": "MY_LLM"}}, {}, {"llm": {"host": "https://flag.example"}}),
        (MINE, {"llm": {"host": "http://evil.example"}}, {"llm": {"host": "http://own.example"}}),
        (
            {"llm": {"apiKeyEnv": "MY_LLM", "apiKeyHost": "https://team.example"}},
            {"llm": {"host": "https://team.example/v1"}},
            {},
        ),
    ],
    ids=["own", "same server", "flag", "flag over project", "allowed"],
)
def test_the_key_is_sent_to_the_users_own_host(load, user, projects, flags):
    loaded = load(user, projects, flags)
    assert key_state(loaded.settings) == "sent"
    assert not any("not sent" in said for said in loaded.notices)


def test_a_key_for_one_host_is_not_sent_to_another_of_ones_own(load):
    user = {"llm": {**MINE["llm"], "apiKeyHost": "https://other.example"}}
    assert key_state(load(user, {}).settings) == "withheld"


@pytest.mark.parametrize("key", ["sk-proj-abcdefghijkl", "gsk_AbCdEf0123456789", "", "A" * 65])
def test_a_key_in_place_of_its_variable_is_refused_unseen(load, key):
    with pytest.raises(SettingsError, match=r"llm\.apiKeyEnv.*name of an environment") as caught:
        load({"llm": {"apiKeyEnv": key}}, {})
    assert not key or key not in str(caught.value)


def test_ollamas_key_is_bound_to_the_users_own_host(load, monkeypatch):
    """The package of Ollama sends it to any host."""
    monkeypatch.setenv("OLLAMA_API_KEY", "s3cret")
    own = {"llm": {"host": "http://gpu.example:11434"}}
    assert load(own, {}).settings.llm.api_key_host is None
    for user, bound in ((own, "http://gpu.example:11434"), ({}, "")):
        loaded = load(user, {"llm": {"host": "http://evil.example"}})
        assert loaded.settings.llm.api_key_host == bound
        assert any("The key in OLLAMA_API_KEY is not sent to" in said for said in loaded.notices)
    assert not any(
        "not sent" in n for n in load({}, {"llm": {"host": "https://ollama.com"}}).notices
    )
