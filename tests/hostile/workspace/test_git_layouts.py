"""No layout of a repository leads git to data outside of the project, or to programs, unasked."""

import os
import shutil
import time
from contextlib import suppress

import pytest
from git_repository import Git

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.git.repository import Repository

SECRET = "TOPSECRET"
LOOKS = ("git status", "git diff", "git log -p", "git show", "git branch", "git --no-pager log")


@pytest.fixture
def other(tmp_path):
    """A repository of somebody else, beside the project."""
    other = Git(tmp_path / "other")
    other.root.mkdir()
    other.begin()
    other.write("diary.txt", f"{SECRET}\n")
    other("add", "-A")
    other("commit", "-qm", f"about {SECRET}")
    other.write("diary.txt", f"more {SECRET}\n")
    return other


@pytest.fixture
def project(opened):
    """The project's own repository, with a commit and a change."""
    project = Git(opened.root)
    project.begin()
    project.write("a.ts", "1\n")
    project("add", "-A")
    project("commit", "-qm", "base")
    project.write("a.ts", "2\n")
    return project


def worktree_outside(project, other):
    project("config", "core.worktree", str(other.root))


def worktree_above(project, other):
    del other
    project("config", "core.worktree", "../..")


def common_directory(project, other):
    project.write(".git/commondir", f"{other.root}/.git\n")


def git_file(project, other):
    shutil.rmtree(project.root / ".git")
    project.write(".git", f"gitdir: {other.root}/.git\n")


def git_file_of_a_worktree(project, other):
    other("worktree", "add", "-q", str(project.root.parent / "wt"), "-b", "wt")
    shutil.rmtree(project.root / ".git")
    project.write(".git", f"gitdir: {other.root}/.git/worktrees/wt\n")


def forged_worktree(project, other):
    shutil.rmtree(project.root / ".git")
    project.write(".git", "gitdir: data/worktrees/wt\n")
    project.write("data/worktrees/wt/gitdir", f"{project.root}/.git\n")
    project.write("data/worktrees/wt/HEAD", "ref: refs/heads/main\n")
    project.write("data/worktrees/wt/commondir", f"{other.root}/.git\n")


def symlink(project, other):
    shutil.rmtree(project.root / ".git")
    (project.root / ".git").symlink_to(other.root / ".git")


def linked_data(project, other):
    for name in ("objects", "refs"):
        shutil.rmtree(project.root / ".git" / name)
        (project.root / ".git" / name).symlink_to(other.root / ".git" / name)


def linked_branch(project, other):
    project.write(".git/objects/info/alternates", f"{other.root}/.git/objects\n")
    branch = project.root / ".git/refs/heads/main"
    branch.unlink()
    branch.symlink_to(other.root / ".git/refs/heads/main")


def linked_objects(project, other):
    (project.root / ".git/objects/pack").rmdir()
    (project.root / ".git/objects/pack").symlink_to(other.root / ".git/objects")


def folder_in_the_index(project, other):
    """Git takes it for a submodule, whose log `git status` would show."""
    project("config", "status.submoduleSummary", "true")
    project.write("two/.git", f"gitdir: {other.root}/.git\n")
    commit = other("rev-parse", "HEAD").strip()
    project("update-index", "--add", "--cacheinfo", f"160000,{commit},two")


def folder_in_place_of_a_file(project, other):
    project.write("two", "1\n")
    project("add", "two")
    (project.root / "two").unlink()
    (project.root / "two").mkdir()
    (project.root / "two/.git").symlink_to(other.root / ".git")


def folder_in_the_index_with_a_common_directory(project, other):
    project("init", "-q", "two")
    project.write("two/.git/commondir", f"{other.root}/.git\n")
    commit = other("rev-parse", "HEAD").strip()
    project("update-index", "--add", "--cacheinfo", f"160000,{commit},two")


def folder_in_the_index_with_linked_refs(project, other):
    project("init", "-q", "two")
    shutil.rmtree(project.root / "two/.git/refs")
    (project.root / "two/.git/refs").symlink_to(other.root / ".git/refs")
    commit = other("rev-parse", "HEAD").strip()
    project("update-index", "--add", "--cacheinfo", f"160000,{commit},two")


def objects_of_another(project, other):
    project.write(".git/objects/info/alternates", f"{other.root}/.git/objects\n")
    commit = other("rev-parse", "HEAD").strip()
    project.write(".git/refs/heads/main", f"{commit}\n")


def objects_of_another_through_a_folder_of_the_project(project, other):
    objects_of_another(project, other)
    shutil.move(project.root / ".git/objects/info/alternates", project.root / "named")
    project.write("cache/info/alternates", (project.root / "named").read_text())
    project.write(".git/objects/info/alternates", "../../cache\n")


def alternates_by_a_symlink(project, other):
    (project.root / ".git/objects/info/alternates").symlink_to(other.root / "diary.txt")


def grafts_by_a_symlink(project, other):
    """Git tells each line that is no graft."""
    (project.root / ".git/info").mkdir(exist_ok=True)
    (project.root / ".git/info/grafts").symlink_to(other.root / "diary.txt")


def included_settings(project, other):
    other.write("settings", f"[user]\nname = {SECRET}\n")
    project("config", "include.path", f"{other.root}/settings")


def included_settings_of_a_branch(project, other):
    other.write("settings", f"[user]\nname = {SECRET}\n")
    project.write("own.config", f'[includeIf "onbranch:**"]\npath = {other.root}/settings\n')
    project("config", "include.path", "../own.config")


def revisions_to_ignore(project, other):
    """`git blame` tells a line that is no revision."""
    project("config", "blame.ignoreRevsFile", f"{other.root}/diary.txt")


def signature(project, other):
    project("config", "format.signatureFile", f"{other.root}/diary.txt")


def names_of_authors(project, other):
    project("config", "mailmap.file", f"{other.root}/diary.txt")


def attributes_in_the_settings(project, other):
    """Git tells each name that none of an attribute can be."""
    project("config", "core.attributesFile", f"{other.root}/diary.txt")


LAYOUTS = [
    attributes_in_the_settings,
    *(objects_of_another, objects_of_another_through_a_folder_of_the_project),
    *(alternates_by_a_symlink, grafts_by_a_symlink, included_settings),
    *(included_settings_of_a_branch, revisions_to_ignore, signature, names_of_authors),
    *(worktree_outside, worktree_above, common_directory, git_file, git_file_of_a_worktree),
    *(forged_worktree, symlink, linked_data, linked_branch, linked_objects),
    *(folder_in_the_index, folder_in_place_of_a_file),
    *(folder_in_the_index_with_a_common_directory, folder_in_the_index_with_linked_refs),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_another_repository_is_asked_about_and_refused_by_the_tools(opened, project, other, layout):
    layout(project, other)
    opened.user.decision = Decision(action="reject")
    for command in LOOKS:
        with pytest.raises(ToolError):
            opened.workspace.run(command, tool="bash", timeout_s=60)
    assert len(opened.user.asked) == len(LOOKS)
    for look in (lambda found: found.status(), lambda found: found.diff()):
        with pytest.raises(ToolError) as refused:
            look(Repository(project.root))
        assert SECRET not in str(refused.value)


# Where git keeps what it reads, by its page on that; first what it tells the lines of.
PLACES = [
    *("info/attributes", "info/sparse-checkout", "info/grafts"),
    *("objects/info/commit-graphs/commit-graph-chain", "worktrees/x/gitdir", "packed-refs"),
    *("shallow",),
]
MORE_PLACES = [
    *("HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_RR"),
    *("AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "BISECT_START"),
    *("COMMIT_EDITMSG", "SQUASH_MSG", "config", "config.worktree", "commondir", "gitdir"),
    *("index", "sharedindex.0123", "info/refs", "logs/HEAD", "logs/refs/heads/main"),
    *("refs/heads/x", "refs/tags/x", "refs/stash", "refs/replace/x", "refs/notes/commits"),
    *("refs/remotes/origin/HEAD", "objects/info/alternates"),
    *("objects/info/http-alternates", "objects/info/packs", "objects/info/commit-graph"),
    *("objects/pack/multi-pack-index", "objects/pack/pack-0.idx"),
    *("objects/pack/pack-0.pack", "rebase-merge/done", "rebase-merge/git-rebase-todo"),
    *("rebase-merge/head-name", "rebase-merge/onto", "rebase-apply/next"),
    *("rebase-apply/head-name", "sequencer/todo", "sequencer/head", "worktrees/x/HEAD"),
    *("worktrees/x/commondir", "worktrees/x/locked", "worktrees/x/logs/HEAD"),
    *("worktrees/x/refs/bisect/bad", "remotes/x", "branches/x", "info/exclude"),
    *("description", "hooks/pre-commit", "modules/x/config"),
]
MORE_LOOKS = (
    *(*LOOKS, "git branch -vv", "git log --all --reflog", "git status --ignored"),
    "git branch --list --format='%(worktreepath)'",
)


@pytest.mark.parametrize(
    "place", [*PLACES, *(pytest.param(place, marks=pytest.mark.long) for place in MORE_PLACES)]
)
def test_no_file_of_git_that_is_a_link_shows_what_is_outside(opened, project, tmp_path, place):
    """A line makes no sense to git, but it would tell it: as an error, a path or a name."""
    diary = tmp_path / "diary.txt"
    diary.write_text(f"# {SECRET}! = {SECRET}!\na {SECRET}!& long line: {SECRET * 20}\n")
    project("config", "core.sparseCheckout", "true")
    project("config", "core.sparseCheckoutCone", "true")
    project("branch", "other")
    project.write(".git/worktrees/x/HEAD", "ref: refs/heads/other\n")
    project.write(".git/worktrees/x/commondir", "../..\n")
    project.write(".git/worktrees/x/gitdir", f"{tmp_path}/gone/.git\n")
    link = project.root / ".git" / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(diary)
    opened.user.decision = Decision(action="reject")
    told = []
    for command in MORE_LOOKS:
        try:
            shown = opened.workspace.run(command, tool="bash", timeout_s=60)
            told.append(f"{shown.stdout}{shown.stderr}")
        except ToolError as error:
            told.append(str(error))
    for look in (Repository.status, Repository.diff):
        try:
            told.append(str(look(Repository(project.root))))
        except ToolError as error:
            told.append(str(error))
    assert [text for text in told if SECRET in text] == []


def test_a_pipe_in_a_git_directory_keeps_nobody_waiting(opened, project):
    os.mkfifo(project.root / ".git/objects/info/alternates")
    opened.user.decision = Decision(action="reject")
    began = time.monotonic()
    with suppress(ToolError):
        opened.workspace.run("git branch --list", tool="bash", timeout_s=5)
    assert time.monotonic() - began < 30


def test_a_working_tree_outside_is_not_listed(project, other):
    worktree_outside(project, other)
    assert "a.ts" in list_files(project.root).files
    assert "diary.txt" not in str(list_files(project.root))


def test_objects_of_another_repository_are_asked_about(opened, project, other):
    """`git log --alternate-refs` would show them, and so would a guessed hash."""
    project.write(".git/objects/info/alternates", f"{other.root}/.git/objects\n")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run("git log -p --alternate-refs", tool="bash", timeout_s=60)
    assert "objects of another" in opened.user.asked[0].reason
    with pytest.raises(ToolError, match="objects of another") as refused:
        Repository(project.root).status()
    assert "git repack -a -d" in refused.value.suggestion
    project("repack", "-q", "-a", "-d")
    (project.root / ".git/objects/info/alternates").unlink()
    assert Repository(project.root).status().modified == ("a.ts",)


def test_settings_and_objects_of_the_project_itself_are_read_without_a_question(opened, project):
    project.write(".gitconfig", "[alias]\nlast = log -1\n")
    project("config", "include.path", "../.gitconfig")
    project("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    project.write(".git-blame-ignore-revs", "# none\n")
    project("init", "-q", "--bare", "cache")
    project.write(".git/objects/info/alternates", "# ours\n../../cache/objects\n")
    for command in LOOKS:
        assert opened.workspace.run(command, tool="bash", timeout_s=60).exit_code == 0
    assert opened.user.asked == []
    assert "a.ts" in Repository(project.root).status().modified


def test_a_repository_of_many_branches_is_looked_at_without_a_question(opened, project):
    commit = project("rev-parse", "HEAD").strip()
    (project.root / ".git/refs/heads/many").mkdir()
    for number in range(25_000):
        (project.root / f".git/refs/heads/many/{number}").write_text(f"{commit}\n")
    assert opened.workspace.run("git status", tool="bash", timeout_s=60).exit_code == 0
    assert opened.user.asked == []
    assert Repository(project.root).status().modified == ("a.ts",)


def test_an_index_that_is_too_large_to_be_looked_at_is_asked_about(opened, project):
    """Its names have 64 MB; git stores only how they differ."""
    blob = project("hash-object", "-w", "--stdin", input="").strip()
    entries = "".join(f"100644 {blob}\t{'long' * 1000}{number}\n" for number in range(17_000))
    project("-c", "index.version=4", "update-index", "--index-info", input=entries)
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run("git log", tool="bash", timeout_s=60)
    assert "the list of files is too long" in opened.user.asked[0].reason


def bare(project, other):
    """Make a folder of files that is also a bare repository."""
    project("init", "-q", "--bare", "lib")
    inner = Git(project.root / "lib")
    inner("config", "core.bare", "false")
    inner("config", "core.worktree", str(other.root))


def bare_with_a_common_directory(project, other):
    project("init", "-q", "--bare", "lib")
    project.write("lib/commondir", f"{other.root}/.git\n")


def repository_inside(project, other):
    del other
    project("init", "-q", "lib")


def git_file_inside(project, other):
    project.write("lib/.git", f"gitdir: {other.root}/.git\n")


def same_directory_elsewhere(project, other):
    del other
    project.write("lib/.git", "gitdir: ../.git\n")


@pytest.mark.parametrize("command", LOOKS)
@pytest.mark.parametrize(
    "layout",
    [
        *(bare, bare_with_a_common_directory, repository_inside, git_file_inside),
        same_directory_elsewhere,
    ],
    ids=lambda layout: layout.__name__,
)
def test_a_repository_among_the_files_is_asked_about(opened, project, other, layout, command):
    layout(project, other)
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run(command, tool="bash", timeout_s=60, cwd="lib")
    assert len(opened.user.asked) == 1


def test_a_repository_between_the_folder_and_the_project_is_asked_about(opened, project):
    """A script of package.json runs in the folder of that file, so git would start there."""
    project("config", "core.worktree", "..")
    project.write("lib/.git", "gitdir: ../.git\n")
    project("init", "-q", "between")
    project.write("between/sub/.git", "gitdir: ../../.git\n")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run("git log", tool="bash", timeout_s=60, cwd="between/sub")
    assert "between" in opened.user.asked[0].reason


@pytest.mark.parametrize("command", ["git log", "git diff link/diary.txt README.md", "git show"])
def test_git_asks_where_there_is_no_repository(opened, tmp_path, command):
    opened.write("README.md", "x\n")
    (opened.root / "link").symlink_to(tmp_path / "outside")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run(command, tool="bash", timeout_s=60)
    assert len(opened.user.asked) == 1
    assert opened.workspace.run("git --version", tool="bash", timeout_s=60).exit_code == 0
    assert len(opened.user.asked) == 1


@pytest.mark.parametrize("command", ["git log --help", "git --no-pager show --help", "git --help"])
def test_help_asks(opened, project, command):
    for key, value in {
        "help.format": "web",
        "web.browser": "x",
        "browser.x.cmd": f"touch {project.root}/ran; true",
    }.items():
        project("config", key, value)
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run(command, tool="bash", timeout_s=60)
    assert not (project.root / "ran").exists()


@pytest.mark.parametrize("below", ["", "sub"])
def test_the_own_repository_is_looked_at_without_a_question(open_workspace, project, below):
    project.write("sub/deep/b.ts", "1\n")
    opened = open_workspace(project.root / below)
    for command in LOOKS:
        assert (
            opened.workspace.run(
                command, tool="bash", timeout_s=60, cwd="sub/deep"[len(below) :].strip("/")
            ).exit_code
            == 0
        )
    assert opened.user.asked == []


def test_a_working_tree_of_ones_own_is_looked_at_without_a_question(
    open_workspace, project, tmp_path
):
    project("worktree", "add", "-q", str(tmp_path / "second"))
    opened = open_workspace(tmp_path / "second")
    for command in LOOKS:
        assert opened.workspace.run(command, tool="bash", timeout_s=60).exit_code == 0
    assert opened.user.asked == []
    assert Repository(opened.root).status().branch == "second"


def test_a_submodule_of_ones_own_is_looked_at_without_a_question(opened, project, other):
    project("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "mine")
    project("config", "status.submoduleSummary", "true")
    for command in LOOKS:
        shown = opened.workspace.run(command, tool="bash", timeout_s=60)
        assert shown.exit_code == 0
        assert SECRET not in shown.stdout
    assert opened.user.asked == []
    assert Repository(project.root).status().branch == "main"
