import json
import shutil
import threading

import pytest
from waiting import until

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision

SECRETS = {
    "GITHUB_TOKEN": "s3cret-1",
    "OPENAI_API_KEY": "s3cret-2",
    "AWS_SECRET_ACCESS_KEY": "s3cret-3",
    "DB_PASSWORD": "s3cret-4",
    "npm_config_authToken": "s3cret-5",
    "DATABASE_URL": "postgres://me:s3cret-6@host/db",
    "CREDENTIALS_FILE": "s3cret-7",
}


@pytest.fixture(autouse=True)
def nothing_is_left_running(tmp_path, running_in):
    yield
    until(lambda: not running_in(tmp_path), 3)


@pytest.fixture
def execute(opened):
    def execute_now(command, timeout_s=20.0, **options):
        return opened.workspace.run(command, tool="run_command", timeout_s=timeout_s, **options)

    return execute_now


def package(scripts):
    return json.dumps({"scripts": scripts})


def test_command_is_asked_about_once_and_its_outputs_returned(opened, execute):
    outcome = execute("printf out; printf err >&2; exit 3")
    assert (outcome.stdout, outcome.stderr, outcome.exit_code) == ("out", "err", 3)
    (asked,) = opened.user.asked
    assert asked.kind == "command"
    assert asked.command == "printf out; printf err >&2; exit 3"
    assert "more than one plain command" in asked.reason
    assert asked.tool == "run_command"


def test_safe_command_is_not_asked_about(opened, execute):
    assert execute("git --version").stdout.startswith("git version")
    assert not opened.user.asked


def test_denied_command_does_not_run_whoever_asks(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="all")
    opened.write("keep/k.txt", "k")
    with pytest.raises(ToolError, match=r"rm with -r deletes whole folders") as caught:
        opened.workspace.run("git --version; rm -rf keep", tool="run_command", timeout_s=5)
    assert (caught.value.type, caught.value.recoverable) == ("command", False)
    assert (opened.root / "keep/k.txt").exists()
    assert not opened.user.asked


def test_rejected_command_does_not_run(opened, execute):
    opened.user.decision = Decision(action="reject", reason="not now")
    with pytest.raises(ToolError, match="not now") as caught:
        execute("touch made")
    assert (caught.value.type, caught.value.recoverable) == ("cancelled", True)
    assert not (opened.root / "made").exists()


def test_allowed_pattern_is_not_asked_about_again(opened, execute):
    opened.user.decision = Decision(action="apply", remember=True)
    execute("echo one")
    execute("echo two three")
    assert len(opened.user.asked) == 1
    execute("echo two; true")
    assert len(opened.user.asked) == 2


def test_timeout_tells_the_output_so_far_and_ends_everything(opened, execute, running_in):
    with pytest.raises(ToolError, match=r"(?s)longer than 0.6 s.*half way") as caught:
        execute("echo half way; sh -c 'sleep 60; touch late'; touch late", timeout_s=0.6)
    assert caught.value.type == "timeout"
    assert caught.value.recoverable
    until(lambda: not running_in(opened.root), 3)
    assert not (opened.root / "late").exists()


def test_cancel_ends_the_command(execute):
    cancel = CancelToken()
    threading.Timer(0.4, cancel.cancel).start()
    with pytest.raises(Cancelled):
        execute("sleep 60 & setsid sleep 61 & sleep 62", cancel=cancel)


def test_background_process_ends_with_the_command(execute):
    assert execute("sleep 60 & setsid sleep 61 & echo ok").stdout == "ok\n"


def test_standard_input_is_empty(execute):
    assert execute("cat; read x || echo none").stdout == "none\n"


def test_long_output_keeps_both_ends(execute):
    outcome = execute("seq 100000; seq 100000 >&2")
    for text in (outcome.stdout, outcome.stderr):
        assert text.startswith("1\n2\n")
        assert text.endswith("99999\n100000\n")
        assert "bytes left out" in text
        assert len(text) < 60_000
    assert outcome.truncated


def test_odd_bytes_in_the_output_are_replaced(execute):
    assert execute("printf 'a\\377b'").stdout == "a\ufffdb"


def test_secrets_of_the_environment_are_withheld(monkeypatch, execute):
    for name, value in {**SECRETS, "PLAIN": "visible", "KEYBOARD": "qwertz"}.items():
        monkeypatch.setenv(name, value)
    printed = execute("env").stdout
    assert "s3cret" not in printed
    assert "PLAIN=visible" in printed
    assert "KEYBOARD=qwertz" in printed
    assert "HOME=" in printed


def test_startup_file_of_the_shell_is_not_run(monkeypatch, opened, execute):
    monkeypatch.setenv("BASH_ENV", str(opened.write("start.sh", "echo started")))
    assert execute("echo hi").stdout == "hi\n"


def test_a_folder_is_entered_that_the_command_names(monkeypatch, opened, execute):
    opened.write("sub/a.txt", "")
    opened.write("other/sub/b.txt", "")
    monkeypatch.setenv("CDPATH", str(opened.root / "other"))
    assert execute("cd sub && ls").stdout == "a.txt\n"


def test_variables_are_set_and_shown_to_the_user(opened, execute):
    assert execute('echo "$A"', env={"A": "x y"}).stdout == "x y\n"
    assert "A=x y" in opened.user.asked[0].reason


def test_safe_command_with_variables_is_asked_about(opened, execute):
    execute("git --version", env={"GIT_TRACE": "1"})
    assert len(opened.user.asked) == 1


@pytest.mark.parametrize("name", ["", "A=B", "A B", "é", "1A"])
def test_wrong_name_of_a_variable(execute, name):
    with pytest.raises(ToolError, match="name of a variable") as caught:
        execute("true", env={name: "x"})
    assert caught.value.type == "validation"


@pytest.mark.parametrize("command", ["", "  \n", "echo \0"])
def test_command_that_is_none(opened, execute, command):
    with pytest.raises(ToolError) as caught:
        execute(command)
    assert caught.value.type == "validation"
    assert not opened.user.asked


def test_folder_to_run_in(opened, execute):
    opened.write("src/a.ts", "")
    outcome = execute("ls", cwd="src")
    assert (outcome.stdout, outcome.cwd) == ("a.ts\n", "src")
    assert execute("ls", cwd=str(opened.root / "src")).stdout == "a.ts\n"
    assert "src" in opened.user.asked[0].reason


@pytest.mark.parametrize(
    ("cwd", "recoverable"), [("nope", True), ("a.ts", True), ("../outside", False), ("/", False)]
)
def test_wrong_folder_to_run_in(opened, execute, cwd, recoverable):
    opened.write("a.ts", "")
    with pytest.raises(ToolError) as caught:
        execute("touch made", cwd=cwd)
    assert (caught.value.type, caught.value.recoverable) == ("file", recoverable)
    assert not opened.user.asked


def test_script_of_package_json_is_judged_by_its_text(opened, execute):
    opened.write("keep/k.txt", "k")
    opened.write("package.json", package({"clean": "rm -rf keep", "v": "git --version"}))
    with pytest.raises(ToolError, match="script 'clean'"):
        execute("npm run clean")
    assert (opened.root / "keep/k.txt").exists()


def test_package_json_of_the_folder_counts(opened, execute):
    opened.write("package.json", package({"x": "git --version"}))
    opened.write("sub/package.json", package({"x": "rm -rf keep"}))
    opened.write("sub/deep/a.ts", "")
    with pytest.raises(ToolError, match="script 'x'"):
        execute("npm run x", cwd="sub/deep")


@pytest.mark.parametrize("text", ["{", "[]", '{"scripts": []}', '{"scripts": {"x": 1}}', "\udcff"])
def test_broken_package_json_makes_scripts_unknown(opened, execute, text):
    opened.write("package.json", text.encode("utf-8", "surrogateescape"))
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError) as caught:
        execute("npm run x")
    assert caught.value.type == "cancelled"


def test_safe_script_is_asked_about_when_the_session_has_changed_it(opened, execute):
    npm = "#!/bin/sh\necho npm $*\n"
    tool = opened.write("node_modules/.bin/npm", npm)
    tool.chmod(0o755)
    before = package({"test": "vitest run"}).encode()
    opened.write("package.json", before)
    if not shutil.which("npm"):
        assert execute("npm test").stdout == "npm test\n"
        assert not opened.user.asked
    opened.apply("package.json", before, package({"test": "vitest run src"}).encode())
    opened.user.asked.clear()
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        execute("npm test")
    (asked,) = opened.user.asked
    assert "package.json was changed" in asked.reason
    assert asked.pattern is None


def test_remembered_script_is_asked_about_when_the_session_has_changed_it(opened, execute):
    opened.user.decision = Decision(action="apply", remember=True)
    opened.write("run.sh", "echo one")
    execute("sh run.sh")
    opened.apply("run.sh", b"echo one", b"echo two")
    opened.user.asked.clear()
    execute("sh run.sh")
    assert len(opened.user.asked) == 1
    assert "run.sh was changed" in opened.user.asked[0].reason


def test_tools_of_the_project_are_found_last(opened, execute):
    for name in ("only-here", "ls"):
        opened.write(f"node_modules/.bin/{name}", f"#!/bin/sh\necho {name} of the project\n")
        (opened.root / "node_modules/.bin" / name).chmod(0o755)
    opened.write("sub/a.ts", "")
    assert execute("only-here", cwd="sub").stdout == "only-here of the project\n"
    assert execute("ls", cwd="sub").stdout == "a.ts\n"


def program(opened, path, text="#!/bin/sh\necho ran\n"):
    opened.write(path, text).chmod(0o755)
    return text.encode()


def test_program_of_the_project_is_asked_about_even_for_its_version(opened, execute):
    program(opened, "node_modules/.bin/foo")
    opened.user.decision = Decision(action="reject")
    for command in ("foo --version", "foo --help"):
        with pytest.raises(ToolError):
            execute(command)
    assert len(opened.user.asked) == 2


def test_runner_is_asked_about_when_the_session_has_changed_its_program(opened, execute):
    before = program(opened, "node_modules/mocha/bin/mocha.js")
    (opened.root / "node_modules/.bin").mkdir()
    (opened.root / "node_modules/.bin/mocha").symlink_to("../mocha/bin/mocha.js")
    assert execute("mocha test").stdout == "ran\n"
    assert not opened.user.asked
    opened.apply("node_modules/.bin/mocha", before, b"#!/bin/sh\ntouch made\n")
    opened.user.asked.clear()
    opened.user.decision = Decision(action="reject")
    for command in ("mocha test", "mocha --version"):
        with pytest.raises(ToolError):
            execute(command)
    assert all("mocha/bin/mocha.js was changed" in asked.reason for asked in opened.user.asked)


@pytest.mark.skipif(shutil.which("yarn") is not None, reason="the system's yarn comes first")
@pytest.mark.parametrize(
    ("settings", "text"),
    [(".yarnrc.yml", "yarnPath: ./tools/yarn.cjs\n"), (".yarnrc", 'yarn-path "tools/yarn.cjs"\n')],
)
@pytest.mark.parametrize("changed", ["settings", "script", ""])
def test_yarn_is_asked_about_when_the_project_names_what_it_starts(
    opened, execute, settings, text, changed
):
    program(opened, "node_modules/.bin/yarn")
    assert execute("yarn --version").stdout == "ran\n"
    assert not opened.user.asked
    opened.write(settings, text)
    opened.write("tools/yarn.cjs", "1")
    path, before = (settings, text) if changed == "settings" else ("tools/yarn.cjs", "1")
    if changed:
        opened.apply(path, before.encode(), before.encode() + b"\n")
        opened.user.asked.clear()
    execute("yarn --version")
    (asked,) = opened.user.asked
    assert (f"{path} was changed" if changed else f"{text[:4]}") in asked.reason


def test_script_that_would_start_a_git_of_the_project_is_asked_about(opened, execute):
    program(opened, "node_modules/.bin/git")
    opened.write("package.json", package({"state": "git status"}))
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        execute("npm run state")
    assert len(opened.user.asked) == 1


def test_allowed_reading_does_not_reach_outside(opened, execute):
    opened.user.decision = Decision(action="apply", remember=True)
    opened.write("a.ts", "inside\n")
    (opened.root / "link").symlink_to(opened.root.parent / "outside")
    execute("cat a.ts")
    assert execute(f"cat '{opened.root}/a.ts'").stdout == "inside\n"
    assert len(opened.user.asked) == 1
    outside = ("cat /etc/hostname", "cat ../outside/secret.txt", "cat link/secret.txt")
    for command in (*outside, *outside):
        execute(command)
    assert [asked.pattern for asked in opened.user.asked[1:]] == [None] * 6


@pytest.fixture
def repository(opened, execute):
    opened.write("a.ts", "1\n")
    execute(
        "git init -q . && git add a.ts"
        " && git -c user.name=a -c user.email=b@c commit -qm base && git status"
    )
    opened.user.asked.clear()
    opened.write("a.ts", "2\n")
    return lambda key, value: execute(f"git config {key} '{value}'") and opened.user.asked.clear()


@pytest.mark.parametrize("command", ["git status", "git diff", "git log -p", "git branch"])
def test_reading_git_starts_nothing_that_the_repository_names(opened, execute, repository, command):
    program(opened, ".git/hooks/post-index-change", "#!/bin/sh\ntouch ran\n")
    for key in ("core.fsmonitor", "core.pager", "pager.diff", "pager.log"):
        repository(key, "touch ran; true")
    repository("log.showSignature", "true")
    (opened.root / "ran").unlink(missing_ok=True)
    assert execute(command).exit_code == 0
    assert not opened.user.asked
    assert not (opened.root / "ran").exists()


@pytest.mark.parametrize("command", ["git log -m -p -1", "git show --diff-merges=on"])
def test_reading_git_merges_nothing_again(opened, execute, repository, command):
    opened.user.decision = Decision(action="apply")
    git = "git -c user.name=a -c user.email=b@c"
    execute(f"{git} commit -qam two && git checkout -qb side HEAD~1 && echo 3 > a.ts")
    execute(f"{git} commit -qam three && {git} merge -q -X ours - -m both --no-ff")
    repository("log.diffMerges", "remerge")
    shown = execute(command)
    assert shown.exit_code == 0
    assert not opened.user.asked
    assert "(from " in shown.stdout  # one side each; merged again, nothing differs
    assert "\n-2\n+3\n" in shown.stdout


@pytest.mark.parametrize(
    "key",
    ["diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "gpg.program"],
)
def test_git_is_asked_about_when_the_repository_names_a_program(opened, execute, repository, key):
    repository(key, "touch ran")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        execute("git diff")
    (asked,) = opened.user.asked
    assert key in asked.reason
    assert asked.pattern is None


@pytest.mark.parametrize("key", ["format.pretty", "pretty.mine"])
def test_a_format_of_the_repository_that_has_gpg_look_is_asked_about(
    opened, execute, repository, key
):
    repository(key, "format:%h %an")
    execute("git log -1")
    assert not opened.user.asked
    repository(key, "format:%h % GS")
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        execute("git log -1")
    assert key in opened.user.asked[0].reason


def test_git_lfs_of_the_repository_needs_no_question(opened, execute, repository):
    repository("filter.lfs.clean", "git-lfs clean -- %f")
    repository("filter.lfs.process", "git-lfs filter-process")
    assert "+2" in execute("git diff").stdout
    assert not opened.user.asked


def test_settings_given_to_git_by_variables_are_withheld(execute, repository, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.extraHeader")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Bearer s3cret")
    repository("diff.noprefix", "true")
    assert "+++ a.ts" in execute("git diff").stdout
    assert "s3cret" not in execute("env").stdout


def test_shell_is_bash_where_there_is_one(execute):
    assert execute("echo {a,b}; [[ x == x ]] && echo $((1 + 1))").stdout == "a b\n2\n"


def test_editor_fails_instead_of_waiting(execute):
    outcome = execute("git init -q . && git -c user.name=a -c user.email=b commit --allow-empty")
    assert outcome.exit_code != 0
