"""Settings that no longer exist are told once with what to do instead, and ignored."""

import json

import pytest

from ipuaro_jupyter.errors import ProjectError, SettingsError
from ipuaro_jupyter.settings.opened_folder import opened_folder
from ipuaro_jupyter.settings.own_settings import agrees_to_checks
from ipuaro_jupyter.settings.removed_settings import SETTINGS, only_first, without_removed
from ipuaro_jupyter.settings.settings import load_settings
from ipuaro_jupyter.settings.system_settings import SYSTEM_VARIABLE
from ipuaro_jupyter.settings.user_file import save_user_settings

REMOVED = {"roots": ["../web"], "project": {"sharedFactsMb": 64}, "undo": {"stackSize": 5}}


def told_of(loaded, source):
    return [notice for notice in loaded.notices if notice.startswith(f"In {source}: ")]


@pytest.mark.parametrize("name", [".ipuaro.json", "settings.json"])
def test_a_removed_setting_of_a_file_is_told_and_ignored(home, tmp_path, name):
    file = (home if name == "settings.json" else tmp_path) / name
    file.write_text(json.dumps(REMOVED))
    loaded = load_settings(tmp_path, {})
    assert loaded.settings.undo.stack_size == 5
    assert loaded.notices == tuple(
        f"In {file}: {key!r} no longer exists and is ignored: {SETTINGS[key]}."
        for key in ("roots", "project.sharedFactsMb")
    )
    assert dict(loaded.sources) == {"undo.stackSize": str(file)}


@pytest.mark.usefixtures("home")
def test_a_removed_setting_that_was_given_is_told_and_ignored(tmp_path):
    loaded = load_settings(tmp_path, REMOVED)
    assert len(told_of(loaded, "the settings that were given")) == len(loaded.notices) == 2
    assert agrees_to_checks({**REMOVED, "approve": "checked"}) == {"approve"}


@pytest.mark.usefixtures("home")
def test_a_removed_setting_of_the_system_is_told_and_ignored(tmp_path, monkeypatch):
    (tmp_path / "settings.json").write_text(json.dumps(REMOVED))
    monkeypatch.setenv(SYSTEM_VARIABLE, str(tmp_path))
    loaded = load_settings(tmp_path, {})
    assert loaded.settings.undo.stack_size == 5
    assert len(told_of(loaded, tmp_path / "settings.json")) == 2


def test_the_users_file_is_still_written_and_keeps_what_is_theirs_to_delete(home):
    (home / "settings.json").write_text(json.dumps(REMOVED))
    save_user_settings({"llm": {"model": "m"}})
    assert json.loads((home / "settings.json").read_text()) == {**REMOVED, "llm": {"model": "m"}}


def test_both_spellings_of_a_key_are_known():
    left, remarks = without_removed({"project": {"shared_facts_mb": 8, "workers": 1}}, "here")
    assert left == {"project": {"workers": 1}}
    assert remarks[0].startswith("In here: 'project.shared_facts_mb' no longer exists")


@pytest.mark.parametrize(
    "values", [{"project": 3}, {"project": {}}, {"tools": {"enabled": None}}, {"tools": []}]
)
def test_what_is_no_removed_setting_stays_as_it_was(values):
    assert without_removed(values, "here") == (values, [])


@pytest.mark.usefixtures("home")
def test_a_removed_tool_among_the_enabled_is_told_and_ignored(tmp_path):
    loaded = load_settings(tmp_path, {"tools": {"enabled": ["Find_unused_exports", "get_*"]}})
    assert loaded.settings.tools.enabled == ("get_*",)
    assert "'Find_unused_exports' in 'tools.enabled' no longer exists" in loaded.notices[0]


@pytest.mark.usefixtures("home")
def test_a_pattern_of_a_removed_tool_alone_is_told_and_ignored(tmp_path):
    loaded = load_settings(tmp_path, {"tools": {"enabled": ["*_unused_*", "find_*"]}})
    assert loaded.settings.tools.enabled == ("find_*",)
    (notice,) = loaded.notices
    assert "'*_unused_*' in 'tools.enabled' no longer exists" in notice
    assert "knip" in notice
    with pytest.raises(SettingsError, match="no tool"):
        load_settings(tmp_path, {"tools": {"enabled": ["*_nothing_*"]}})


@pytest.mark.usefixtures("home")
def test_the_root_of_a_server_is_told_and_ignored(tmp_path):
    server = {"command": "db", "root": "api"}
    loaded = load_settings(tmp_path, {"mcpServers": {"db": server}})
    assert loaded.settings.mcp_servers["db"].command == "db"
    assert "'mcpServers.db.root' no longer exists and is ignored" in loaded.notices[0]


@pytest.mark.usefixtures("home")
def test_of_several_folders_the_first_is_opened_and_the_others_are_told(make_project):
    api, web = make_project({}, name="api"), make_project({}, name="web")
    root, loaded = opened_folder([api, web], {})
    assert root == api
    assert loaded.notices[0].startswith(f"Only {api} is opened, not {web}: ")
    assert opened_folder([api], {}) == opened_folder(api, {}) == opened_folder(str(api), {})


def test_a_folder_beside_others_may_have_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert only_first(["app=one", "two"])[0] == "one"
    assert only_first(["app=one"]) == ("app=one", "")
    (tmp_path / "one").mkdir()
    folder, told = only_first(["app=one"])
    assert folder == "one"
    assert told.startswith("The name in 'app=one' no longer exists and is ignored: give the folder")
    assert only_first(["app=one", "two"])[1].startswith("Only one is opened, not two: ")
    (tmp_path / "app=one").mkdir()
    assert only_first(["app=one"]) == ("app=one", "")
    assert only_first(["app=one", "two"])[0] == "app=one"


@pytest.mark.usefixtures("home")
def test_a_single_folder_with_a_name_is_opened_and_told(make_project):
    api = make_project({}, name="api")
    root, loaded = opened_folder(f"app={api}", {})
    assert root == api
    assert f"give the folder alone, {api}" in loaded.notices[0]


def test_no_folder_at_all_is_an_error_that_says_what_to_do():
    with pytest.raises(ProjectError, match="Name the project's"):
        only_first([])
