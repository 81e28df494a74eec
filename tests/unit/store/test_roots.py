"""Several folders as one project: what stands for them, and where its paths lead."""

import os
import shutil

import pytest

from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.store import roots
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.roots import (
    are_beside,
    by_root,
    forget_roots,
    inner_path,
    joined_roots,
    named_roots,
    root_path,
    root_words,
    roots_of,
    split_name,
    told_roots,
)
from ipuaro_jupyter.workspace.files.paths import project_of, relative_path


@pytest.fixture
def api(make_project):
    return make_project({"src/a.ts": "1\n"}, name="api")


@pytest.fixture
def web(make_project):
    return make_project({"src/b.ts": "1\n"}, name="web")


def test_several_folders_are_one_project_whatever_their_order(api, web):
    one, other = project_of([str(api), web]), project_of([web, api])
    assert one == other
    assert project_id(one) == project_id(other)
    assert one.name == "api+web"
    assert dict(named_roots(one)) == {"api": api, "web": web}
    assert list(roots_of(one)) == ["api/", "web/"]
    assert (one / "api/src/a.ts").read_text() == "1\n"
    assert told_roots(one) == f"{api} + {web}"


def test_a_folder_alone_is_its_own_root(api):
    assert project_of([api]) == api
    assert named_roots(api) == {}
    assert roots_of(api) == {"": api}
    assert told_roots(api) == str(api)
    assert root_path(api, "src/a.ts") == (api, "src/a.ts", "")
    assert are_beside(api)


def test_a_root_may_be_given_a_name(api, web):
    root = project_of([f"server={api}", web])
    assert dict(named_roots(root)) == {"server": api, "web": web}
    assert split_name(f"server={api}") == ("server", str(api))
    assert split_name(str(api)) == ("", str(api))


def test_a_folder_that_is_there_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b").mkdir()
    assert split_name("a=b") == ("", "a=b")


def test_many_roots_have_a_short_name(make_project):
    folders = [make_project({}, name=f"a-rather-long-name-{n}") for n in range(4)]
    assert project_of(folders).name == "4-roots"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("api", "api"), "was given twice"),
        (("api", "x=api"), "was given twice"),
        (("api", "api/src"), "is inside of"),
        (("api/src", "api"), "is inside of"),
        (("api", "other/api"), "Two roots would have the name 'api'"),
        (("api", "other/API"), "Two roots would have the name 'API'"),
        (("api", "nowhere"), "does not exist"),
        (("api", "api/src/a.ts"), "is a file"),
        (("api", "node_modules=web"), "cannot be the name of a root"),
        (("api", "web/.git"), "cannot be the name of a root"),
        (("api", "..=web"), "cannot be the name of a root"),
    ],
)
@pytest.mark.usefixtures("api")
def test_roots_that_do_not_go_together_are_refused(tmp_path, web, given, told):
    (tmp_path / "other/api").mkdir(parents=True)
    (tmp_path / "other/API").mkdir()
    (web / ".git").mkdir()

    def placed(text):
        name, sign, folder = text.rpartition("=")
        return f"{name}{sign}{tmp_path / folder}"

    with pytest.raises(ProjectError, match=told):
        project_of([placed(one) for one in given])


def test_too_many_roots_are_refused(make_project):
    with pytest.raises(ProjectError, match="at most 20"):
        project_of([make_project({}, name=f"r{n}") for n in range(21)])


def test_what_stands_for_the_roots_is_put_right(api, web, tmp_path):
    root = project_of([api, web])
    (root / "api").unlink()
    (root / "api").symlink_to(tmp_path)
    assert project_of([api, web]) == root
    assert named_roots(root)["api"] == api


def test_what_others_put_beside_the_links_counts_for_nothing(api, web, tmp_path):
    root = project_of([api, web])
    (root / "notes.txt").write_text("")
    forget_cache()
    assert list(named_roots(root)) == ["api", "web"]
    (root / "more").symlink_to(tmp_path)
    forget_cache()
    assert named_roots(root) == {}
    assert list(named_roots(project_of([api, web]))) == ["api", "web"]


def test_a_link_that_was_led_elsewhere_opens_nothing(api, web, tmp_path):
    """The place is made from the names and the folders, so a link cannot be exchanged."""
    root = project_of([api, web])
    (root / "api").unlink()
    (root / "api").symlink_to(tmp_path)
    forget_cache()
    assert named_roots(root) == {}
    with pytest.raises(ToolError, match="outside of the project"):
        relative_path(root, "api/src/a.ts")
    assert project_of([api, web]) == root


def forget_cache():
    """Forget what is known of roots, as another process would."""
    roots._named.cache_clear()


def test_a_folder_of_links_elsewhere_is_a_plain_project(tmp_path, api, web):
    """A repository may hold such a folder: only those in the user's own folder count."""
    made = project_of([api, web])
    forged = tmp_path / "roots" / made.parent.name / made.name
    forged.mkdir(parents=True)
    for name in ("api", "web"):
        (forged / name).symlink_to(tmp_path / name)
    assert named_roots(forged) == {}


def test_no_folder_for_links_is_an_error(api, web, monkeypatch, tmp_path):
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / "taken"))
    with pytest.raises(ProjectError, match="Several roots need links in"):
        project_of([api, web])


def test_paths_lead_to_their_roots(api, web):
    root = project_of([api, web])
    assert root_path(root, "web/src/b.ts") == (web, "src/b.ts", "web/")
    assert root_path(root, "web").path == "web"
    assert root_path(root, "") == (api, "", "api/")
    assert by_root(root, ["web/a", "api/b", "web/c"]) == {"web/": ["a", "c"], "api/": ["b"]}
    with pytest.raises(ToolError, match="in none of the project's roots: api, web"):
        root_path(root, "src/a.ts")


def test_places_lead_back_to_paths(api, web):
    root = project_of([api, web])
    assert inner_path(root, str(web / "src/b.ts")) == "web/src/b.ts"
    assert inner_path(root, str(api)) == "api"
    assert inner_path(root, str(root)) == ""
    assert inner_path(root, f"{root}/api/src") == "api/src"
    assert inner_path(root, str(api.parent)) is None
    assert inner_path(root, f"{api}-2/x") is None


def test_roots_are_beside_each_other_only_under_their_own_names(api, web, tmp_path):
    assert are_beside(project_of([api, web]))
    assert not are_beside(project_of([f"server={api}", web]))
    (tmp_path / "far/away").mkdir(parents=True)
    assert not are_beside(project_of([api, tmp_path / "far/away"]))


def test_what_stands_for_roots_can_be_forgotten(api, web):
    root = project_of([api, web])
    forget_roots(api)
    forget_roots(root)
    assert not os.path.lexists(root)
    assert (api / "src/a.ts").is_file()


def test_forgetting_leaves_what_somebody_has_put_there(api, web):
    root = project_of([api, web])
    (root.parent / "kept").write_text("")
    forget_roots(root)
    assert (root.parent / "kept").is_file()
    shutil.rmtree(root.parent)


def test_roots_that_have_gone_can_still_be_named(api, web):
    root = project_of([api, web])
    shutil.rmtree(web)
    assert project_of([api, web], must_exist=False) == root
    with pytest.raises(ProjectError, match="does not exist"):
        project_of([api, web])


def test_names_count_before_the_place(api, web):
    root = joined_roots([("x", api), ("", web)])
    assert list(named_roots(root)) == ["web", "x"]


def test_roots_are_told_as_one_names_them_to_open_them_again(api, web):
    assert root_words(project_of([f"server={api}", web])) == (f"server={api}", str(web))
    assert root_words(api) == ()
