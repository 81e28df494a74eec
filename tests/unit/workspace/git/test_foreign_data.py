"""What a repository reads of others, by its objects and settings, makes it not the project's."""

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.workspace.git.own_repository import own_repository

ALTERNATES = ".git/objects/info/alternates"


def refused(git):
    with pytest.raises(ToolError) as caught:
        own_repository(git.root)
    return caught.value.message


def test_objects_elsewhere_are_refused_and_told_by_folder_only(git, tmp_path):
    (tmp_path / "other").mkdir()
    git.write(ALTERNATES, f"# theirs\n{tmp_path}/other\n")
    assert f"another one, in {tmp_path}/other." in refused(git)
    git.write(ALTERNATES, "/nowhere/SECRET\n")
    assert "in a folder that is not there" in refused(git)
    git.write("cache/info/alternates", f"{tmp_path}/other\n")
    git.write(ALTERNATES, "../../cache\n../../cache\n")
    assert f"in {tmp_path}/other" in refused(git)
    git.write("cache/info/alternates", "../cache\n")
    assert own_repository(git.root).top == git.root
    git.write(ALTERNATES, "".join(f"../../cache/{number}\n" for number in range(200)))
    assert "in " in refused(git)
    (git.root / ALTERNATES).unlink()
    (tmp_path / "diary").write_text("SECRET\n")
    (git.root / ALTERNATES).symlink_to(tmp_path / "diary")
    assert "named in a file elsewhere" in refused(git)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("include.path", "/nowhere/settings", "its setting include.path names /nowhere/settings"),
        ("includeIf.onbranch:x.path", "../../up", "includeif.onbranch:x.path names ../../up"),
        ("include.path", "%(prefix)/nowhere", "names %(prefix)/nowhere"),
        ("blame.ignoreRevsFile", "~/.netrc", "blame.ignorerevsfile names ~/.netrc"),
        ("mailmap.file", "../names", "mailmap.file names ../names"),
        ("include.path", "../own", ""),
        ("commit.template", "own", ""),
        ("user.name", "include", ""),
    ],
)
def test_settings_that_lead_outside_are_refused(git, key, value, reason):
    git.write("own", "[user]\nname = b\n")
    git("config", key, value)
    if reason:
        assert reason in refused(git)
    else:
        assert own_repository(git.root).top == git.root


def test_settings_that_cannot_be_read_are_refused(git):
    git.write("own", "[user\n")
    git("config", "include.path", "../own")
    assert "bad config" in refused(git)


def test_looking_through_a_repository_ends_with_the_stop_button(git):
    token = CancelToken()
    assert own_repository(git.root, cancel=token).top == git.root
    token.cancel()
    with pytest.raises(Cancelled):
        own_repository(git.root, cancel=token)
