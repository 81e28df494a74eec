"""Only the user's own settings let checks run the project's programs without a question."""

import json

import pytest

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.settings.own_settings import agrees_to_checks
from ipuaro_jupyter.settings.settings import load_settings

CHECKED, ALWAYS = {"approve": "checked"}, {"checks": {"before": "always"}}


@pytest.mark.parametrize("own", [CHECKED, ALWAYS])
@pytest.mark.parametrize("place", ["file", "flags"])
def test_the_users_own_say_so(home, own, place):
    assert not agrees_to_checks({})
    if place == "file":
        (home / "settings.json").write_text(json.dumps(own))
    assert agrees_to_checks(own if place == "flags" else {})


@pytest.mark.parametrize("own", [CHECKED, ALWAYS])
def test_flags_take_it_back(home, own):
    (home / "settings.json").write_text(json.dumps(own))
    flags = {"approve": "edits", "checks": {"before": "ask"}}
    assert not agrees_to_checks(flags)
    assert agrees_to_checks({"checks": {"timeoutS": 9}})


@pytest.mark.parametrize("own", ["edits", "all"])
def test_an_unapproved_project_makes_no_checks_run(home, project, own):
    (home / "settings.json").write_text(json.dumps({"approve": own}))
    (project / ".ipuaro.json").write_text(json.dumps(CHECKED))
    settings, notices, _ = load_settings(project, {})
    assert settings.approve == own
    assert "approve" in notices[0]
    yes = load_settings(project, {}, confirm=lambda _: Decision(action="apply")).settings
    assert yes.approve == "checked"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("key", "values", "left"),
    [("approve", CHECKED, "ask"), ("checks.before", ALWAYS, "ask")],
)
def test_a_project_loosens_nothing_unasked_and_never_agrees(project, key, values, left):
    (project / ".ipuaro.json").write_text(json.dumps(values))
    settings, notices, _ = load_settings(project, {})
    assert (settings.approve, settings.checks.before) == (left, "ask")
    assert key in notices[0]
    loaded = load_settings(project, {}, confirm=lambda _: Decision(action="apply")).settings
    assert "checked" in loaded.approve or loaded.checks.before == "always"
    assert not agrees_to_checks({})


@pytest.mark.parametrize(
    ("own", "theirs", "expected"),
    [
        (CHECKED, {"approve": "edits"}, ("checked", "ask")),
        (ALWAYS, {"checks": {"before": "ask"}}, ("ask", "ask")),
        ({}, {"checks": {"before": "never", "timeoutS": 5}}, ("ask", "never")),
    ],
)
def test_a_project_may_tighten(home, project, own, theirs, expected):
    (home / "settings.json").write_text(json.dumps(own))
    (project / ".ipuaro.json").write_text(json.dumps(theirs))
    settings = load_settings(project, {}).settings
    assert (settings.approve, settings.checks.before) == expected
