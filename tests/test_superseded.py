"""Settings of ipuaro for the terminal: each counts, or is told with what stands in its place."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.settings import Settings, flat, load_settings
from ipuaro_jupyter.superseded import SUPERSEDED

ORIGINAL = {
    "redis": {
        "host": "localhost",
        "port": 6379,
        "db": 0,
        "password": "swordfish",
        "keyPrefix": "ipuaro:",
    },
    "llm": {
        "model": "qwen2.5-coder:7b-instruct",
        "contextWindow": 128000,
        "temperature": 0.1,
        "host": "http://localhost:11434",
        "timeout": 120000,
    },
    "project": {
        "ignorePatterns": ["node_modules"],
        "binaryExtensions": [".png"],
        "maxFileSize": 1000000,
        "supportedExtensions": [".ts"],
    },
    "watchdog": {"enabled": True, "debounceMs": 500},
    "undo": {"stackSize": 10},
    "edit": {"autoApply": True, "syntaxHighlight": True},
    "input": {"multiline": "auto"},
    "display": {
        "showStats": True,
        "showToolCalls": True,
        "theme": "dark",
        "bellOnComplete": False,
        "progressBar": True,
    },
    "session": {"persistIndefinitely": True, "maxHistoryMessages": 100, "saveInputHistory": True},
    "context": {
        "systemPromptTokens": 2000,
        "maxContextUsage": 0.8,
        "autoCompressAt": 0.8,
        "compressionMethod": "llm-summary",
        "includeSignatures": True,
        "includeDepsGraph": True,
    },
    "autocomplete": {"enabled": True, "source": "redis-index", "maxSuggestions": 10},
    "commands": {"timeout": None},
}
"""Every key that it had."""
KEYS = flat(ORIGINAL)


@pytest.fixture
def load(home, tmp_path):
    """Return a function that loads what the user's settings are set to."""

    def loaded(values):
        (home / "settings.json").write_text(json.dumps(values))
        return load_settings(tmp_path, {})

    return loaded


@pytest.mark.parametrize("key", KEYS)
def test_every_original_key_counts_or_is_told_with_what_stands_in_its_place(load, key):
    group, _, name = key.partition(".")
    loaded = load({group: {name: KEYS[key]}})
    if key in SUPERSEDED:
        (notice,) = loaded.notices
        assert f"'{key}' is superseded: {SUPERSEDED[key]}." in notice
        assert "settings.json" in notice
    else:
        assert loaded.notices == ()
        assert flat(loaded.settings.model_dump(by_alias=True, mode="json"))[key] == KEYS[key]
        assert loaded.sources[key].endswith("settings.json")


def test_no_key_is_told_that_counts_or_never_was():
    today = flat(Settings().model_dump(by_alias=True))
    assert set(SUPERSEDED) <= set(KEYS)
    assert not set(SUPERSEDED) & set(today)


def test_a_whole_original_file_can_stay_as_it_is(load):
    loaded = load(ORIGINAL)
    assert loaded.settings.approve == "edits"
    assert loaded.settings.redis.url == "redis://:swordfish@localhost:6379/0"
    assert len(loaded.notices) == len(SUPERSEDED)
    assert "swordfish" not in "".join(loaded.notices)


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"host": "there"}, "redis://there:6379/0"),
        ({"port": 6380, "db": 2}, "redis://localhost:6380/2"),
        ({"host": "", "port": None}, "redis://localhost:6379/0"),
        ({"host": "::1", "port": 6380}, "redis://[::1]:6380/0"),
        ({"host": "[::1]"}, "redis://[::1]:6379/0"),
        ({"host": "10.0.0.7"}, "redis://10.0.0.7:6379/0"),
        ({"password": "p@ss/word"}, "redis://:p%40ss%2Fword@localhost:6379/0"),
        ({"host": "there", "url": "redis://here"}, "redis://here"),
        ({"keyPrefix": "mine:"}, None),
    ],
)
def test_the_address_of_a_server_counts_as_its_url(load, given, url):
    assert load({"redis": given}).settings.redis.url == url


@pytest.mark.parametrize("group", ["edit", "input", "session", "autocomplete"])
def test_a_group_without_keys_says_nothing(load, group):
    assert load({group: {}}) == load({})


def test_what_says_it_in_the_new_way_counts_over_the_old(load):
    assert load({"edit": {"autoApply": True}, "approve": "never"}).settings.approve == "never"
    assert load({"edit": {"autoApply": False}}).settings.approve == "ask"


@pytest.mark.usefixtures("home")
def test_a_project_loosens_nothing_in_the_old_way_either(tmp_path):
    old = {"edit": {"autoApply": True}, "redis": {"host": "evil"}}
    (tmp_path / ".ipuaro.json").write_text(json.dumps(old))
    settings, notices, _ = load_settings(tmp_path, {})
    assert settings.approve == "ask"
    assert settings.redis.url is None
    assert "approve, redis" in notices[-1]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"edit": {"autoAply": True}}, "Did you mean 'edit.autoApply'?"),
        ({"edit": {"autoApply": "yes"}}, "'edit.autoApply' is a text of 3 characters: it is true"),
        (
            {"redis": {"port": "x y"}},
            "'redis.port' is a text of 3 characters: it is a whole number from 1 to 65535",
        ),
        ({"redis": {"port": 0}}, "'redis.port' is 0"),
        ({"redis": {"port": 65536}}, "'redis.port' is 65536"),
        ({"redis": {"db": -1}}, "'redis.db' is -1: it is a whole number from 0 to"),
        ({"redis": {"db": True}}, "'redis.db' is true"),
        ({"redis": {"db": "1?password=x"}}, "'redis.db' is a text of 12 characters"),
        (
            {"redis": {"host": "there/1"}},
            "'redis.host' is a text of 7 characters: it is the name or the addr",
        ),
        ({"redis": {"host": "me:pw@there"}}, "'redis.host' is a text of 11 characters"),
        ({"redis": {"host": "there:1"}}, "'redis.host' is a text of 7 characters"),
        ({"redis": {"host": 7}}, "'redis.host' is 7"),
        ({"input": True}, "'input' is unknown"),
    ],
)
def test_what_is_wrong_is_told(load, given, told):
    with pytest.raises(SettingsError) as error:
        load(given)
    assert told in str(error.value)
    assert "settings.json" in str(error.value)
