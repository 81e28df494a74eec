"""Commands that only look at a repository start nothing that it names, also by a script."""

import json
import shutil

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.git.git_files import ignored_folders

TOUCH = "touch ran; true"


@pytest.fixture
def run(opened):
    """Run a command that is allowed when asked about; what was asked is forgotten before."""
    opened.write("a.ts", "1\n")

    def execute(command, *, cwd=None):
        opened.user.asked.clear()
        return opened.workspace.run(command, tool="run_command", timeout_s=60, cwd=cwd)

    commit = "git -c user.name=a -c user.email=b@c commit -qm base"
    assert execute(f"git init -q . && git add a.ts && {commit}").exit_code == 0
    opened.write("a.ts", "2\n")
    return execute


@pytest.fixture
def submodule(opened, run):
    """Add a repository inside as a submodule, whose settings name a program."""
    identity = "-c user.name=a -c user.email=b@c"
    steps = [
        f"git init -q ../inner && git -C ../inner {identity} commit -q --allow-empty -m x",
        "git -c protocol.file.allow=always submodule -q add ../inner inner",
        f"git {identity} commit -qm submodule",
    ]
    for step in steps:
        assert run(step).exit_code == 0
    opened.write("inner/new.ts", "1\n")
    run(f"git -C inner config core.fsmonitor '{TOUCH}'")
    run("git status -s; rm -f ran inner/ran")

    def configure(key, value):
        assert run(f"git -C inner config {key} '{value}'").exit_code == 0
        run("rm -f ran inner/ran")

    return configure


def ran(opened):
    return [str(path) for path in opened.root.rglob("ran")]


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
@pytest.mark.parametrize("script", ["git status", "git diff", "npm run inner"])
def test_script_that_is_git_starts_nothing_either(opened, run, script):
    scripts = {"look": script, "inner": "git log -p"}
    opened.write("package.json", json.dumps({"scripts": scripts}))
    for key in ("core.fsmonitor", "core.pager", "pager.log"):
        run(f"git config {key} '{TOUCH}'")
    run("rm -f ran")
    assert run("npm run look").exit_code == 0
    assert not opened.user.asked
    assert ran(opened) == []


def test_script_that_is_git_is_asked_about_when_the_repository_names_a_program(opened, run):
    opened.write("package.json", json.dumps({"scripts": {"look": "git diff"}}))
    run(f"git config diff.external '{TOUCH}'")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("npm run look")
    assert "diff.external" in opened.user.asked[0].reason
    assert ran(opened) == []


@pytest.mark.parametrize("script", ["git push --force", "git reset --hard", "git clean -fd"])
@pytest.mark.parametrize("typed", ["npm run it", "yarn it", "pnpm run it", "npm run outer"])
def test_script_that_is_a_denied_git_is_denied(opened, run, script, typed):
    scripts = {"it": script, "outer": "npm run it"}
    opened.write("package.json", json.dumps({"scripts": scripts}))
    with pytest.raises(ToolError) as as_script:
        run(typed)
    with pytest.raises(ToolError) as as_typed:
        run(script)
    reason = str(as_typed.value).split(". This never")[0].removeprefix("Denied: ")
    assert reason in str(as_script.value)
    assert (opened.root / "a.ts").read_text() == "2\n"


@pytest.mark.parametrize("command", ["git status", "git diff", "git log -p", "git branch"])
def test_submodules_start_nothing(opened, run, submodule, command):
    submodule("core.pager", TOUCH)
    assert run(command).exit_code == 0
    assert not opened.user.asked
    assert ran(opened) == []


@pytest.mark.parametrize("key", ["filter.x.clean", "diff.external", "merge.x.driver"])
def test_submodule_that_names_a_program_is_asked_about(opened, run, submodule, key):
    submodule(key, TOUCH)
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("git status")
    assert f"{key} (submodule)" in opened.user.asked[0].reason
    assert ran(opened) == []


@pytest.mark.parametrize("value", ["none", "untracked"])
def test_submodule_that_wants_to_be_looked_into_is_asked_about(opened, run, submodule, value):
    submodule("core.editor", TOUCH)
    run(f"git config -f .gitmodules submodule.inner.ignore {value}")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("git status")
    assert "submodule.inner.ignore" in opened.user.asked[0].reason


def test_more_submodules_than_can_be_looked_at_are_asked_about(opened, run):
    for number in range(201):
        opened.write(f".git/modules/{number}/config", "")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("git status")
    assert "201 submodules" in opened.user.asked[0].reason


def test_folder_inside_is_judged_by_the_same_settings(opened, run):
    opened.write("sub/b.ts", "1\n")
    run(f"git config diff.external '{TOUCH}'")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("git diff", cwd="sub")
    assert "diff.external" in opened.user.asked[0].reason


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("git status --help", {"help.format": "man", "man.viewer": "x", "man.x.cmd": TOUCH}),
        ("git log --help", {"help.format": "man", "man.viewer": "man", "man.man.path": "./ran.sh"}),
        ("git diff --help", {"help.format": "web", "web.browser": "x", "browser.x.cmd": TOUCH}),
        ("git log --alternate-refs", {"core.alternateRefsCommand": TOUCH}),
    ],
)
def test_help_and_other_objects_start_nothing_unasked(opened, run, command, settings):
    run("git init -q --bare ../other && cp -R .git/objects/. ../other/objects")
    opened.write("ran.sh", "touch ran")
    other = opened.root.parent / "other/objects"
    (opened.root / ".git/objects/info/alternates").write_text(f"{other}\n")
    for key, value in settings.items():
        assert run(f"git config {key} '{value}'").exit_code == 0
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run(command)
    expected = "not known to be safe" if "--help" in command else list(settings)[-1].lower()
    assert expected in opened.user.asked[0].reason
    assert ran(opened) == []


def test_bare_repository_among_the_files_starts_nothing_unasked(opened, run):
    assert run("git init -q --bare lib").exit_code == 0
    run(f"git -C lib config diff.external '{TOUCH}'")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        run("git log -p", cwd="lib")
    assert "diff.external" in opened.user.asked[0].reason


def test_missing_objects_are_not_fetched(opened, run):
    """A partial clone would start what its remote names as the program to talk to."""
    blob = run("git rev-parse HEAD:a.ts").stdout.strip()
    (opened.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(opened.root.parent / "outside"),
        "remote.origin.uploadpack": f"touch {opened.root}/ran; git-upload-pack",
    }.items():
        assert run(f"git config {key} '{value}'").exit_code == 0
    assert run("git log -p").exit_code != 0
    assert not opened.user.asked
    assert ran(opened) == []


def test_repository_inside_starts_nothing_when_its_changes_are_shown(opened, run):
    """It is no submodule of the settings, so nobody asks about what it names."""
    identity = "-c user.name=a -c user.email=b@c"
    opened.write("inner/b.ts", "1\n")
    commit = f"git -C inner add -A && git -C inner {identity} commit -qm"
    run(f"git init -q inner && {commit} one")
    run(f"git -c advice.addEmbeddedRepo=false add inner && git {identity} commit -qm inner")
    opened.write("inner/b.ts", "2\n")
    run(f"{commit} two && git -C inner config diff.external '{TOUCH}'")
    run("git config diff.submodule diff")
    assert "Subproject commit" in run("git diff").stdout
    assert not opened.user.asked
    assert ran(opened) == []


@pytest.mark.parametrize(
    ("command", "means"),
    [
        ("git pf", "push --force"),
        ("git -C . pf origin", "push --force"),
        ("env git outer", "!git push --force"),
        ("npm run it", "!f() { rm -rf keep; }; f"),
    ],
)
def test_alias_of_git_is_judged_by_what_it_means(opened, run, command, means):
    with (opened.root / ".git/config").open("a") as settings:
        settings.write(f'[alias]\npf = "{means}"\nouter = pf\n')
    opened.write("package.json", json.dumps({"scripts": {"it": "git pf"}}))
    with pytest.raises(ToolError, match="Denied"):
        run(command)


def test_innocent_alias_and_aliases_in_a_circle_are_asked_about(opened, run):
    run("git config alias.co checkout && git config alias.a b && git config alias.b a")
    for command in ("git co", "git a", "git unknown"):
        run(command)
        assert [asked.command for asked in opened.user.asked] == [command]


def test_folders_that_a_repository_above_has_ignored(git):
    (git.root / "sub/made").mkdir(parents=True)
    git.write("sub/made/x.js", "1")
    git.write("sub/a.ts", "1")
    git.write(".gitignore", "made/\n")
    assert ignored_folders(git.root / "sub") == {"made"}
