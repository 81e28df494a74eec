"""Settings that came with a project count once the user has approved just what they say."""

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.trust import (
    is_trusted,
    is_trusted_template,
    trust,
    trust_template,
)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("IPUARO_HOME", str(home))
    return home


@pytest.fixture
def root(make_project):
    return make_project({})


def test_just_the_content_that_was_approved_is_trusted(root):
    assert not is_trusted(root, b"one")
    trust(root, b"one")
    assert is_trusted(root, b"one")
    assert not is_trusted(root, b"one ")


def test_what_is_approved_replaces_what_was_approved_before(root):
    trust(root, b"one")
    trust(root, b"two")
    assert not is_trusted(root, b"one")
    assert is_trusted(root, b"two")


def test_approval_is_of_one_project(root, make_project):
    trust(root, b"one")
    assert not is_trusted(make_project({}, "other"), b"one")


def test_what_is_no_text_approves_nothing(root, own_home):
    trust(root, b"one")
    (kept,) = (own_home / "trusted").iterdir()
    kept.write_bytes(b"\xff\xfe")
    assert not is_trusted(root, b"one")


def test_approval_that_cannot_be_written_down_is_an_error(root, own_home):
    own_home.mkdir()
    (own_home / "trusted").write_text("in the way")
    with pytest.raises(SettingsError, match=r"cannot be written: .*approved the project"):
        trust(root, b"one")
    assert not is_trusted(root, b"one")


def test_questions_are_approved_one_by_one(root, make_project):
    trust_template(root, b"one")
    trust_template(root, b"two")
    trust_template(root, b"one")
    assert is_trusted_template(root, b"one")
    assert is_trusted_template(root, b"two")
    assert not is_trusted_template(root, b"three")
    assert not is_trusted_template(make_project({}, "other"), b"one")
    assert not is_trusted(root, b"one")
