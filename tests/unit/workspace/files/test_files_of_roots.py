"""The files of a project of several roots: paths, listings, writes and events."""

import threading

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.entries import entries_of
from ipuaro_jupyter.workspace.files.git_data import check_writable
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.joined_watch import JoinedWatch, watch_files
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.files.meant_paths import meant_path
from ipuaro_jupyter.workspace.files.membership import memberships
from ipuaro_jupyter.workspace.files.paths import entry_path, project_of, relative_path
from ipuaro_jupyter.workspace.files.watch import Watch, WatchedChanges, WatchSettings

WAIT_S = 60


@pytest.fixture
def api(make_project):
    return make_project({"src/a.ts": "1\n", ".gitignore": "*.log\n", "x.log": ""}, name="api")


@pytest.fixture
def web(make_project):
    return make_project({"src/b.ts": "1\n", "x.log": "", "node_modules/p/i.js": ""}, name="web")


@pytest.fixture
def root(api, web):
    return project_of([api, web])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("api/src/a.ts", "api/src/a.ts"),
        ("./web//src/b.ts", "web/src/b.ts"),
        ("api/../web/src/b.ts", "web/src/b.ts"),
        ("api/src/../../web/src", "web/src"),
        ("api", "api"),
        ("api/..", ""),
        ("", ""),
        (".", ""),
    ],
)
def test_paths_begin_with_the_name_of_a_root(root, path, found):
    assert relative_path(root, path) == found


def test_absolute_paths_are_found_in_their_root(root, api, web):
    assert relative_path(root, str(web / "src/b.ts")) == "web/src/b.ts"
    assert relative_path(root, f"{api}/../web/src/b.ts") == "web/src/b.ts"
    assert relative_path(root, f"{root}/api/src/a.ts") == "api/src/a.ts"


@pytest.mark.parametrize(
    "path", ["..", "api/../../x", "api/../..", "../web/src/b.ts", "/etc/passwd", "web/../../api"]
)
def test_what_is_outside_of_the_roots_stays_outside(root, path):
    with pytest.raises(ToolError, match="outside of the project"):
        relative_path(root, path)


@pytest.mark.parametrize("path", ["src/a.ts", "new.ts", "apis/x", "api.ts"])
def test_a_path_in_no_root_is_an_error_that_names_them(root, path):
    with pytest.raises(ToolError, match="none of the project's roots: api, web") as caught:
        relative_path(root, path, must_exist=False)
    assert caught.value.suggestion.startswith("Begin the path with the name of a root")


def test_links_lead_where_they_do_on_the_disk(root, api, web, tmp_path):
    (api / "there").symlink_to("../web/src/b.ts")
    (api / "far").symlink_to("../../far")
    assert relative_path(root, "api/there") == "web/src/b.ts"
    assert entry_path(root, "api/there") == "api/there"
    with pytest.raises(ToolError, match="outside of the project"):
        relative_path(root, "api/far")
    other = project_of([api, f"server={web}"])
    assert relative_path(other, "api/there") == "server/src/b.ts"
    elsewhere = tmp_path / "deep/web"
    elsewhere.mkdir(parents=True)
    apart = project_of([api, elsewhere])
    with pytest.raises(ToolError, match="outside of the project"):
        relative_path(apart, "api/there")


def test_two_dots_lead_from_one_root_to_another_by_their_names(api, web):
    other = project_of([api, f"server={web}"])
    assert relative_path(other, "api/../server/src/b.ts") == "server/src/b.ts"


def test_what_a_model_means_is_found_in_any_root(root, api):
    def meant(path):
        files = list_files(root).files
        return meant_path(root, path, kind="file", changes=False, files=lambda: files)

    assert meant("src/b.ts").path == "web/src/b.ts"
    assert "this is web/src/b.ts" in meant("src/b.ts").remark
    assert meant(f"{api}/src/b.ts").path == f"{api}/src/b.ts"
    assert meant("/home/somebody/api/src/a.ts").path == "api/src/a.ts"


def test_the_files_of_all_roots_are_listed(root, api):
    (api / "link.ts").symlink_to("src/a.ts")
    listing = list_files(root)
    assert list(listing.files) == ["api/.gitignore", "api/src/a.ts", "web/src/b.ts", "web/x.log"]
    assert listing.symlinks == {"api/link.ts": "src/a.ts"}
    left = list_files(root, ignored=IgnoreFile("/web/src\n/api/**/*.ts")).files
    assert list(left) == ["api/.gitignore", "web/x.log"]


def test_single_files_belong_to_their_root(root, api):
    assert memberships(root, ["web/x.log", "api/x.log", "web/node_modules/p/i.js"]) == {
        "web/x.log": True,
        "api/x.log": False,
        "web/node_modules/p/i.js": False,
    }
    assert memberships(root, ["web/x.log"], ignored=IgnoreFile("/web/*.log")) == {
        "web/x.log": False
    }
    (api / "inner/.git").mkdir(parents=True)
    assert memberships(root, ["api/inner/a.ts"]) is None


def test_the_roots_are_folders_of_the_project(root):
    assert [(one.name, one.kind) for one in entries_of(root, "")] == [
        ("api", "folder"),
        ("web", "folder"),
    ]
    assert [one.name for one in entries_of(root, "api/src")] == ["a.ts"]


def test_folders_are_made_in_their_root(root, web):
    assert folders.make(root, "web/new/deep/c.ts") == ("web/new", "web/new/deep")
    assert (web / "new/deep").is_dir()
    with folders.locked(root, "web/new/c.ts", "api/src/a.ts"):
        pass


@pytest.mark.parametrize("path", ["api", "api/.git/config", "api/data/config"])
def test_what_git_keeps_in_a_root_is_not_written(root, api, path):
    (api / ".git").write_text("gitdir: data\n")
    (api / "data").mkdir()
    with pytest.raises(ToolError):
        check_writable(root, path)
    check_writable(root, "web/data/config")


def test_a_file_is_written_where_it_lies(open_workspace, root, web):
    opened = open_workspace(root, approve="edits")
    opened.apply("web/src/b.ts", b"1\n", b"2\n")
    assert (web / "src/b.ts").read_bytes() == b"2\n"
    opened.workspace.undo()
    assert (web / "src/b.ts").read_bytes() == b"1\n"
    with pytest.raises(ToolError, match="is a folder, not a file"):
        opened.workspace.read("api")


def test_a_plain_project_has_a_plain_watch(api):
    watch = watch_files(api, WatchSettings(), files=list, changed=lambda: True)
    watch.close()
    assert isinstance(watch, Watch)


def test_changes_are_seen_in_all_roots(root, api, web):
    seen = threading.Event()
    watch = watch_files(
        root, WatchSettings(), files=lambda: ["api/src/a.ts"], changed=lambda: not seen.set()
    )
    try:
        assert isinstance(watch, JoinedWatch)
        assert watch.wait_for_begin(WAIT_S)
        wait_for(lambda: watch.is_ready and watch.take().is_complete)
        assert watch.folders == {"api", "api/src", "web", "web/src"}
        (web / "src/new.ts").write_text("")
        (api / "src/a.ts").write_text("2\n")
        assert seen.wait(WAIT_S)
        taken = watch.take()
        assert {"web/src/new.ts", "api/src/a.ts"} <= taken.paths
        watch.put_back(WatchedChanges(frozenset({"web/src/new.ts"})))
        assert watch.seen == {"web/src/new.ts"}
        (web / "late").mkdir()
        (web / "late/c.ts").write_text("")
        watch.follow(["web/late/c.ts"])
        watch.look_again()
        wait_for(lambda: "web/late" in watch.folders)
        assert not watch.problem
    finally:
        watch.close()


def wait_for(is_true):
    """Wait until something is so."""
    pause = threading.Event()
    for _ in range(600):
        if is_true():
            return
        pause.wait(0.1)
    raise AssertionError(is_true)
