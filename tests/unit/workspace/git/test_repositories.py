"""A folder that holds several repositories: each keeps its own, and the paths are the project's."""

import re
import subprocess

import pytest
from git_repository import Answer, Git

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.git.repositories import Repositories
from ipuaro_jupyter.workspace.git.repository import Repository


def made(folder):
    """A repository with a file and a commit."""
    git = Git(folder)
    folder.mkdir(parents=True, exist_ok=True)
    git.begin()
    git.write("a.ts", "1\n")
    git("add", "a.ts")
    git("commit", "-qm", "base")
    return git


@pytest.fixture
def repositories(tmp_path):
    """Those of the folder of all tests here."""
    return Repositories(tmp_path, lambda: list_files(tmp_path).files)


@pytest.fixture
def gits(tmp_path):
    """Two repositories in a plain folder."""
    return {name: made(tmp_path / name) for name in ("api", "web")}


@pytest.fixture
def outer(tmp_path):
    """The project's own repository."""
    return made(tmp_path)


def test_a_single_repository_tells_what_it_would_alone(outer, repositories, tmp_path):
    outer.write("a.ts", "2\n")
    outer.write("new/b.ts", "1\n")
    alone = Repository(tmp_path)
    assert repositories.states() == {"": alone.status()}
    assert repositories.diffs() == {"": alone.diff()}
    assert repositories.diffs("a.ts") == {"": alone.diff("a.ts")}
    assert repositories.versions() == alone.versions()


def test_the_states_of_all_are_told_with_the_paths_of_the_project(gits, repositories):
    gits["api"].write("a.ts", "2\n")
    gits["web"].write("new.ts", "1\n")
    gits["web"]("checkout", "-q", "--detach")
    found = repositories.states()
    assert [*found] == ["api", "web"]
    assert (found["api"].branch, found["api"].modified) == ("main", ("api/a.ts",))
    assert (found["web"].detached, found["web"].untracked) == (True, ("web/new.ts",))
    assert [*repositories.states("web/new.ts")] == [*repositories.states("web")] == ["web"]


@pytest.mark.usefixtures("outer")
def test_the_projects_own_comes_first_then_those_inside_at_any_depth(repositories, tmp_path):
    made(tmp_path / "b/inner/deep")
    made(tmp_path / "b/inner")
    assert [*repositories.states()] == ["", "b/inner", "b/inner/deep"]
    assert [*repositories.states("b/inner/deep/a.ts")] == ["b/inner/deep"]
    assert [*repositories.states("b/inner/x/none.ts")] == ["b/inner"]
    assert [*repositories.states("b")] == ["", "b/inner", "b/inner/deep"]


def test_diffs_name_the_paths_of_the_project(gits, repositories):
    gits["api"].write("a.ts", "2\n")
    gits["web"].write("a.ts", "3\n")
    found = repositories.diffs()
    assert [file.path for one in found.values() for file in one.files] == ["api/a.ts", "web/a.ts"]
    assert "+++ b/api/a.ts" in found["api"].diff
    assert "--- a/web/a.ts" in found["web"].diff
    for path in ("web/a.ts", "web"):
        (one,) = repositories.diffs(path).values()
        assert [file.path for file in one.files] == ["web/a.ts"]
    assert [one.files for one in repositories.diffs(staged=True).values()] == [(), ()]
    changes, unreadable = repositories.versions()
    assert [(one.path, one.after) for one in changes] == [
        ("api/a.ts", b"2\n"),
        ("web/a.ts", b"3\n"),
    ]
    assert unreadable == []


def test_a_folder_of_a_repository_means_those_in_it_too(outer, repositories, tmp_path):
    """Git would add a link to one that no commit leads to."""
    outer.write("b/x.ts", "1\n")
    outer("add", "-A")
    outer("commit", "-qm", "x")
    outer.write("b/x.ts", "2\n")
    made(tmp_path / "b/inner").write("a.ts", "2\n")
    made(tmp_path / "other").write("a.ts", "2\n")
    found = repositories.diffs("b")
    assert [file.path for one in found.values() for file in one.files] == [
        "b/x.ts",
        "b/inner/a.ts",
    ]
    with pytest.raises(ToolError, match=r"would be one of \., b/inner"):
        repositories.commit("x", ["b"], decide=Answer(), tool="git_commit")
    commit = repositories.commit("x", ["b/x.ts"], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["b/x.ts"]


def test_a_folder_in_no_repository_means_those_in_it(repositories, tmp_path):
    for name in ("services/api", "services/web", "tool"):
        made(tmp_path / name).write("a.ts", "2\n")
    assert [*repositories.states("services")] == ["services/api", "services/web"]
    assert [*repositories.diffs("services")] == ["services/api", "services/web"]
    for path, named in (("services", "services/api, services/web"), ("", "services/web, tool")):
        with pytest.raises(ToolError, match=named):
            repositories.commit("x", [path], decide=Answer(), tool="git_commit")


def test_versions_are_those_of_each_and_a_revision_is_the_projects(outer, repositories, tmp_path):
    inner = made(tmp_path / "inner")
    outer.write("a.ts", "2\n")
    inner.write("a.ts", "3\n")
    inner.write("new.ts", "4\n")
    paths = [one.path for one in repositories.versions().changes]
    assert paths == ["a.ts", "inner/a.ts", "inner/new.ts"]
    assert [one.path for one in repositories.versions("HEAD").changes] == ["a.ts"]


def test_late_changes_are_those_of_each(outer, repositories, tmp_path):
    inner = made(tmp_path / "inner")
    outer.write("a.ts", "2\n")
    inner.write("a.ts", "3\n")
    inner.write("b.md", "4\n")
    changes, notes = repositories.late_changes(
        lambda path: path.endswith("/a.ts") or path == "a.ts"
    )
    assert [(one.path, one.before) for one in changes if one.commit is None] == [
        ("a.ts", b"1\n"),
        ("inner/a.ts", b"1\n"),
    ]
    assert [one.path for one in changes if one.commit] == ["a.ts", "inner/a.ts"]
    assert notes == []


def test_earlier_texts_are_those_of_each(gits, repositories):
    for name, git in gits.items():
        git.write(".env", f"KEY={name}\n")
        git("add", "-A")
        git("commit", "-qm", "key")
        git("rm", "-q", ".env")
        git("commit", "-qm", "no key")
    found = set(repositories.earlier_texts("cd web && git show HEAD~1:.env"))
    assert {("KEY=api\n", "api/.env"), ("KEY=web\n", "web/.env")} <= found


def test_a_commit_is_one_of_a_single_repository(gits, repositories):
    gits["api"].write("a.ts", "2\n")
    gits["web"].write("a.ts", "2\n")
    answer = Answer()
    commit = repositories.commit("x", ["web/a.ts"], decide=answer, tool="git_commit")
    assert [file.path for file in commit.files] == ["web/a.ts"]
    (asked,) = answer.asked
    assert (asked.title, asked.files) == ("Commit 1 file in web", ("web/a.ts",))
    assert gits["web"]("status", "--porcelain") == ""
    assert gits["api"]("status", "--porcelain") == " M a.ts\n"
    gits["web"].write("a.ts", "3\n")
    with pytest.raises(ToolError, match="would be one of api, web"):
        repositories.commit("x", ["api/a.ts", "web/a.ts"], decide=answer, tool="git_commit")
    assert len(answer.asked) == 1


def test_staged_changes_say_which_repository_is_meant(gits, repositories):
    with pytest.raises(ToolError, match="no file is staged"):
        repositories.commit("x", decide=Answer(), tool="git_commit")
    for name in ("api", "web"):
        gits[name].write("a.ts", "2\n")
    gits["api"]("add", "-A")
    commit = repositories.commit("x", decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["api/a.ts"]
    gits["api"].write("a.ts", "3\n")
    for name in ("api", "web"):
        gits[name]("add", "-A")
    with pytest.raises(ToolError, match="would be one of api, web"):
        repositories.commit("x", decide=Answer(), tool="git_commit")


def test_the_projects_own_and_one_inside_are_not_committed_together(outer, repositories, tmp_path):
    inner = made(tmp_path / "inner")
    outer.write("a.ts", "2\n")
    inner.write("a.ts", "2\n")
    with pytest.raises(ToolError, match=r"would be one of \., inner"):
        repositories.commit("x", ["a.ts", "inner/a.ts"], decide=Answer(), tool="git_commit")
    commit = repositories.commit("x", ["inner"], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["inner/a.ts"]


@pytest.fixture
def sub(outer, tmp_path):
    """A submodule of the project's own repository."""
    lib = made(tmp_path.with_name(f"{tmp_path.name}-lib"))
    outer("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.root), "sub")
    outer("commit", "-qm", "sub")
    sub = Git(tmp_path / "sub")
    sub("config", "user.name", "A")
    sub("config", "user.email", "a@b")
    return sub


def test_a_submodule_is_committed_in_the_repository_that_links_to_it(outer, sub, repositories):
    sub.write("a.ts", "2\n")
    assert [*repositories.states()] == ["", "sub"]
    commit = repositories.commit("in it", ["sub/a.ts"], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["sub/a.ts"]
    assert "+Subproject commit" in repositories.diffs("sub")[""].diff
    commit = repositories.commit("of it", ["sub"], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["sub"]
    assert outer("status", "--porcelain") == sub("status", "--porcelain") == ""
    outer.write("a.ts", "2\n")
    sub.write("a.ts", "3\n")
    sub("commit", "-qam", "more")
    commit = repositories.commit("both", [""], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["a.ts", "sub"]


@pytest.mark.usefixtures("outer")
def test_the_changes_of_a_submodule_are_its_own_and_that_of_the_link(sub, repositories):
    sub.write("a.ts", "2\n")
    assert [*repositories.states("sub")] == ["sub"]
    found = repositories.diffs("sub")
    assert {at: [file.path for file in one.files] for at, one in found.items()} == {
        "": [],
        "sub": ["sub/a.ts"],
    }
    sub("commit", "-qam", "more")
    sub.write("a.ts", "3\n")
    found = repositories.diffs("sub")
    assert [file.path for one in found.values() for file in one.files] == ["sub", "sub/a.ts"]
    assert [one.path for one in repositories.versions().changes] == ["sub/a.ts"]


def test_a_link_to_a_repository_belongs_to_the_one_that_it_lies_in(outer, repositories, tmp_path):
    made(tmp_path / "inner")
    outer.write(".gitignore", "inner\n")
    (tmp_path / "link").symlink_to("inner")
    commit = repositories.commit("x", ["link"], decide=Answer(), tool="git_commit")
    assert [file.path for file in commit.files] == ["link"]


def test_a_path_in_no_repository_and_a_folder_without_any_are_told(gits, tmp_path):
    repositories = Repositories(tmp_path, lambda: ["docs/a.md", "api/a.ts"])
    with pytest.raises(ToolError, match="is not a git repository"):
        repositories.diffs("docs/a.md")
    with pytest.raises(ToolError, match="is not a git repository"):
        Repositories(tmp_path, lambda: ["docs/a.md"]).states()
    assert [*gits] == ["api", "web"]


def test_one_that_leads_elsewhere_is_told_and_not_read(gits, repositories, tmp_path):
    """Each repository inside is judged as the project's own is."""
    other = made(tmp_path.with_name(f"{tmp_path.name}-other"))
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "a.ts").write_text("2\n")
    (foreign / ".git").write_text(f"gitdir: {other.root}/.git\n")
    found = repositories.states()
    assert [*found] == ["api", "foreign", "web"]
    assert "not the project's own repository" in str(found["foreign"])
    assert isinstance(repositories.diffs()["foreign"], ToolError)
    with pytest.raises(ToolError, match="not the project's own"):
        repositories.states("foreign")
    gits["api"].write("a.ts", "2\n")
    gits["api"]("add", "-A")
    answer = Answer()
    commit = repositories.commit("x", decide=answer, tool="git_commit")
    assert [file.path for file in commit.files] == ["api/a.ts"]
    (asked,) = answer.asked
    assert asked.title == "Commit 1 file in api; what is staged in foreign is not known"
    told = "No file is staged, and what is staged in foreign is not known: This is not the project"
    with pytest.raises(ToolError, match=told):
        repositories.commit("x", decide=answer, tool="git_commit")
    gits["web"].write("a.ts", "2\n")
    changes, unreadable = repositories.versions()
    assert [one.path for one in changes] == ["web/a.ts"]
    assert re.match("in foreign, what has changed is not known: This is not", *unreadable)


def test_reading_starts_nothing_that_a_repository_inside_names(gits, repositories, tmp_path):
    ran = tmp_path.with_name(f"{tmp_path.name}-ran")
    git = gits["api"]
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager", "gpg.program"):
        git("config", key, f"touch {ran}; true")
    git.hook("post-index-change", f"touch {ran}")
    git.write(".gitattributes", "*.ts diff=x\n")
    git.write("a.ts", "2\n")
    assert repositories.states()["api"].modified == ("api/a.ts",)
    assert [file.path for file in repositories.diffs()["api"].files] == ["api/a.ts"]
    assert len(repositories.versions().changes) == 2
    assert not ran.exists()


def test_one_inside_that_names_a_filter_is_told_and_not_read(gits, repositories, tmp_path):
    ran = tmp_path.with_name(f"{tmp_path.name}-ran")
    gits["api"].write(".gitattributes", "*.ts filter=x\n")
    gits["api"].write("a.ts", "2\n")
    gits["api"]("config", "filter.x.clean", f"touch {ran}; cat")
    told = r"git may start what the settings in api name: filter\.x\.clean\."
    assert re.match(told, str(repositories.states()["api"]))
    assert re.match(told, str(repositories.diffs()["api"]))
    with pytest.raises(ToolError, match=told):
        repositories.commit("x", ["api/a.ts"], decide=Answer(), tool="git_commit")
    assert not ran.exists()


def test_one_without_files_of_the_project_is_not_its(outer, repositories, tmp_path):
    """As that of a package, whose settings may be those of anybody."""
    made(tmp_path / "node_modules/x")
    outer.write(".gitignore", "ignored\n")
    made(tmp_path / "ignored")
    for folder in ("node_modules/x", "ignored"):
        with pytest.raises(ToolError, match=f"repository in {folder} is not the project's"):
            repositories.diffs(f"{folder}/a.ts")
    assert [*repositories.states()] == [""]


def test_very_many_are_not_all_looked_at(tmp_path):
    folders = [f"r{number:02}" for number in range(51)]
    for folder in folders:
        (tmp_path / folder).mkdir()
    subprocess.run(["git", "init", "-q", *folders[:1]], cwd=tmp_path, check=True)
    for folder in folders[1:]:
        (tmp_path / folder / ".git").mkdir()
        (tmp_path / folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    repositories = Repositories(tmp_path, lambda: [f"{folder}/a.ts" for folder in folders])
    with pytest.raises(ToolError, match="has 51 repositories"):
        repositories.states()
    assert [*repositories.states("r00")] == ["r00"]


def test_an_empty_git_folder_of_the_project_itself_is_no_repository(gits, repositories, tmp_path):
    (tmp_path / ".git").mkdir()
    assert [*repositories.states()] == [*gits]


def test_what_git_takes_for_no_repository_never_leads_to_the_one_around_it(
    outer, repositories, tmp_path
):
    (tmp_path / "empty/.git").mkdir(parents=True)
    outer.write("empty/x.ts", "1\n")
    assert list(repositories.states()) == [""]
    (tmp_path / "broken/.git").mkdir(parents=True)
    (tmp_path / "broken/.git/HEAD").write_text("nothing")
    outer.write("broken/x.ts", "1\n")
    broken = Repositories(tmp_path, lambda: list_files(tmp_path).files)
    assert "is no repository" in str(broken.states()["broken"])
    with pytest.raises(ToolError, match="is no repository"):
        broken.commit("m", ["broken/x.ts"], decide=lambda _: None, tool="git_commit")
    assert outer("log", "--format=%s").strip() in {"base", b"base"}
