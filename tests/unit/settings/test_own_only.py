"""Settings that a project's file cannot make, approved or not."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.settings import load_settings


def test_where_code_is_parsed_is_not_the_projects_to_say(tmp_path, home):
    (tmp_path / ".ipuaro.json").write_text(
        json.dumps({"project": {"executor": "dask:tcp://evil.example:1", "workers": 2}})
    )
    loaded = load_settings(tmp_path, {}, confirm=lambda _: True)
    assert loaded.settings.project.executor == "processes"
    assert loaded.settings.project.workers == 2
    (told,) = loaded.notices
    assert "project.executor of a project's file never counts" in told
    assert str(home / "settings.json") in told


def test_ones_own_settings_may_name_a_cluster(tmp_path, home):
    (home / "settings.json").write_text('{"project": {"executor": "ipyparallel:default"}}')
    loaded = load_settings(tmp_path, {})
    assert loaded.settings.project.executor == "ipyparallel:default"


@pytest.mark.parametrize(
    "executor",
    [
        *("threads", "dask:", "dask:host", "ipyparallel:", "ipyparallel:../evil"),
        *("dask:inproc://a:1", "dask:tcp://user@host:1", "ipyparallel:a/b", "processes "),
    ],
)
@pytest.mark.usefixtures("home")
def test_an_executor_that_is_none_is_told_with_the_forms_that_are(tmp_path, executor):
    with pytest.raises(SettingsError, match=r"ipyparallel:PROFILE.*dask:ADDRESS"):
        load_settings(tmp_path, {"project": {"executor": executor}})
