"""Commands under a real bwrap: what they can reach, and that they run as they do without it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or (shutil.which("bwrap") is None and not os.environ.get("CI")),
    reason="bwrap is not installed",
)
REFUSED = Decision(action="reject", reason="not now")
KEYS = (
    *(".ssh/id_ed25519", ".gnupg/secring.gpg", ".aws/credentials", ".config/gh/hosts.yml"),
    *(".kube/config", ".docker/config.json", ".netrc", ".git-credentials", ".pypirc"),
    *(".cargo/credentials.toml", ".bash_history", ".local/share/jupyter/runtime/kernel-1.json"),
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with keys, in which the project lies."""
    folder = tmp_path / "home"
    for name in KEYS:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("TOPSECRET\n")
    (folder / ".npmrc").write_text(
        "registry=https://npm.example.com/\n"
        "//npm.example.com/:_authToken=TOPSECRET\n"
        "proxy=http://me:TOPSECRET@proxy.example.com\n"
    )
    (folder / "notes.txt").write_text("a note\n")
    (folder / "other").mkdir()
    (folder / "code/app").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def boxed(open_workspace, home):
    """A workspace in that home whose user allows commands, but not to leave the sandbox."""
    opened = open_workspace(home / "code/app", sandbox="auto")
    assert opened.workspace.sandbox.program is not None, opened.workspace.sandbox
    opened.user.answers = lambda proposal: (
        REFUSED if proposal.title.startswith(("Run without", "Run with ")) else None
    )
    opened.user.meanwhile = lambda: setattr(
        opened.user,
        "decision",
        opened.user.answers(opened.user.asked[-1]) or Decision(action="apply"),
    )
    return opened


@pytest.fixture
def execute(boxed):
    def execute_now(command, timeout_s=60.0, **options):
        return boxed.workspace.run(command, tool="run_command", timeout_s=timeout_s, **options)

    return execute_now


@pytest.fixture
def server():
    """A server on this machine that tells everybody the same."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\nREACHED")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(5)


def test_project_can_be_written(boxed, execute):
    assert execute("mkdir -p a/b && printf x > a/b/c && cat a/b/c").stdout == "x"
    assert (boxed.root / "a/b/c").read_text() == "x"


@pytest.mark.parametrize("key", KEYS)
def test_keys_cannot_be_read(home, execute, key):
    told = execute(f'cat "{home}/{key}"; cat ~/{key}; cp ~/{key} here; cat here')
    assert "TOPSECRET" not in told.stdout + told.stderr


def test_rest_of_the_home_can_be_read_and_not_written(home, execute):
    assert execute("cat ~/notes.txt").stdout == "a note\n"
    done = execute("touch ~/notes.txt ~/new ../../other/new; rm ~/notes.txt; mv ~/other ~/another")
    assert done.exit_code
    assert (home / "notes.txt").exists()
    assert not (home / "new").exists()
    assert not (home / "other/new").exists()
    assert (home / "other").is_dir()


def test_settings_of_npm_are_read_without_their_secrets(execute):
    assert execute("cat ~/.npmrc").stdout == (
        "registry=https://npm.example.com/\nproxy=http://proxy.example.com\n"
    )


def test_own_folder_is_out_of_reach(execute, ipuaro_home):
    done = execute(f'ls -A "{ipuaro_home}"; touch "{ipuaro_home}/settings.json"')
    assert done.stdout == ""
    assert done.exit_code
    assert not Path(ipuaro_home, "settings.json").exists()


def test_other_processes_and_their_variables_are_out_of_reach(execute):
    pid = os.getpid()
    assert execute(f"cat /proc/{pid}/environ; kill -0 {pid}").exit_code


@pytest.mark.parametrize("setting", ["kernel/core_pattern", "vm/swappiness"])
def test_kernel_cannot_be_set(execute, setting):
    """Root may: the kernel starts what the first one names, outside of every sandbox."""
    place = f"/proc/sys/{setting}"
    done = execute(f"cat {place} && cat {place} > {place}")
    assert done.stdout.strip() == Path(place).read_text().strip()
    assert done.exit_code


@pytest.mark.skipif(os.geteuid() != 0, reason="others may write nothing there by themselves")
def test_root_may_write_nothing_of_the_kernel(execute):
    done = execute(
        "find /proc -mindepth 1 -path '/proc/[0-9]*' -prune -o ! -type l -writable -print;"
        " head -n 1 /proc/meminfo"
    )
    assert done.stdout.split()[:1] == ["MemTotal:"]
    assert len(done.stdout.splitlines()) == 1


def test_network_is_out_of_reach(execute, server):
    done = execute(
        f"python3 -c \"import urllib.request as u; print(u.urlopen('{server}').read())\""
    )
    assert "REACHED" not in done.stdout
    assert "it has no network" in done.stderr


def test_command_that_needs_the_network_gets_it_when_the_user_says_so(boxed, execute, server):
    assert execute(f"curl -s {server}").stdout == "REACHED"
    assert boxed.user.asked[-1].reason.endswith("In its sandbox it gets the network.")


def test_setting_alone_does_not_say_so(open_workspace, home, server):
    opened = open_workspace(home / "code/app", sandbox="auto", approve="all")
    opened.user.decision = REFUSED
    done = opened.workspace.run(f"curl -s {server}", tool="run_command", timeout_s=60)
    assert "REACHED" not in done.stdout


def test_user_may_give_a_network_after_the_failure(boxed, execute, server):
    boxed.user.answers = lambda _proposal: None
    done = execute(
        f"python3 -c \"import urllib.request as u; print(u.urlopen('{server}').read())\""
    )
    assert "REACHED" in done.stdout
    assert done.sandbox == ""
    first, offer = boxed.user.asked
    assert "network" not in first.reason
    assert offer.title.startswith("Run with the network: python3 -c")
    assert "It stays in the sandbox" in offer.reason
    assert "Connection refused" in offer.reason


def test_denied_write_offers_to_run_without(boxed, execute, home):
    boxed.user.answers = lambda _proposal: None
    assert execute("touch ~/new").exit_code == 0
    assert (home / "new").exists()
    offer = boxed.user.asked[-1]
    assert offer.title == "Run without the sandbox: touch ~/new"
    assert "Read-only file system" in offer.reason
    assert "can do whatever you can do" in offer.reason
    assert offer.pattern is None


def test_setting_does_not_let_a_command_leave(open_workspace, home):
    opened = open_workspace(home / "code/app", sandbox="auto", approve="all")
    opened.user.decision = REFUSED
    done = opened.workspace.run("touch ~/new", tool="run_command", timeout_s=60)
    assert not (home / "new").exists()
    (offer,) = opened.user.asked
    assert offer.title == "Run without the sandbox: touch ~/new"
    assert done.stderr.endswith("The user did not let it run without the sandbox: not now.]\n")


def test_nobody_to_ask_means_no(boxed, execute, home):
    boxed.user.answers = lambda proposal: (
        Decision(action="reject", by="nobody") if "without" in proposal.title else None
    )
    assert "There is nobody to ask whether it may run without the sandbox" in (
        execute("touch ~/new").stderr
    )
    assert not (home / "new").exists()


def test_required_sandbox_is_never_left(open_workspace, home):
    opened = open_workspace(home / "code/app", sandbox="required")
    done = opened.workspace.run("touch ~/new", tool="run_command", timeout_s=60)
    assert 'because "commands.sandbox" is "required"' in done.stderr
    assert len(opened.user.asked) == 1


def test_required_sandbox_refuses_where_there_is_none(open_workspace, home, monkeypatch):
    opened = open_workspace(home / "code/app", sandbox="required")
    monkeypatch.setenv("PATH", str(home / "nothing"))
    with pytest.raises(ToolError, match="bwrap is not installed") as caught:
        opened.workspace.run("touch new", tool="run_command", timeout_s=60)
    assert not caught.value.recoverable
    assert not (opened.root / "new").exists()
    assert str(opened.workspace.sandbox).endswith("; none runs")


def test_bwrap_that_cannot_work_is_found_out(open_workspace, home, monkeypatch):
    fake = home / "programs/bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    opened = open_workspace(home / "code/app", sandbox="auto")
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    assert str(opened.workspace.sandbox) == (
        "none for commands, because bwrap does not work here: bwrap: setting up uid map: "
        "Permission denied; a command that runs can do what you can do"
    )
    assert opened.workspace.run("echo hi", tool="run_command", timeout_s=60).stdout == "hi\n"


def test_bwrap_of_the_project_confines_nothing(boxed, monkeypatch):
    fake = boxed.root / "bin/bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    assert boxed.workspace.sandbox.program != str(fake)


def test_temporary_files_are_private_and_stay_for_the_next_command(execute):
    execute("echo kept > /tmp/left-by-the-sandbox && mktemp")
    assert execute("cat /tmp/left-by-the-sandbox").stdout == "kept\n"
    assert not Path("/tmp/left-by-the-sandbox").exists()


def test_background_process_ends_with_its_command(execute):
    marker = f"sleep {50_000 + os.getpid()}"
    assert execute(f"{marker} & setsid {marker} & echo started").stdout == "started\n"
    _ends(marker)


def test_command_that_takes_too_long_ends_with_all_it_started(execute):
    marker = f"sleep {150_000 + os.getpid()}"
    with pytest.raises(ToolError, match="took longer than 1 s") as caught:
        execute(f"echo begun; {marker} & {marker}", timeout_s=1)
    assert "begun" in str(caught.value)
    _ends(marker)


def test_stopped_command_may_clean_up(boxed, execute):
    """SIGTERM reaches the command, not only what confines it: git removes its locks then."""
    cancel = CancelToken()
    script = "trap 'echo cleaned > cleaned; exit 1' TERM; echo > begun; sleep 60 & wait"
    threading.Thread(target=_when_there, args=(boxed.root / "begun", cancel.cancel)).start()
    with pytest.raises(Cancelled):
        execute(script, cancel=cancel)
    assert (boxed.root / "cleaned").exists()


@pytest.mark.parametrize(
    ("command", "code"), [("exit 3", 3), ("kill -9 $$", 137), ("kill $$", 143), ("nothing-is", 127)]
)
def test_exit_codes_are_those_without(execute, command, code):
    assert execute(command).exit_code == code


def test_git_writes_only_for_git(boxed, execute):
    execute("git init -q . && git config user.email a@b.c && git config user.name A")
    (boxed.root / "a.txt").write_text("1")
    assert execute("git add a.txt && git commit -qm one").exit_code == 0
    assert "one" in execute("git log --oneline").stdout
    assert execute("touch .git/hooks/pre-commit").exit_code
    assert execute("mv .git .git-of-others").exit_code
    assert execute("git status; touch .git/hooks/pre-commit").exit_code
    assert execute("git status; echo >> .git/config").exit_code
    assert not (boxed.root / ".git/hooks/pre-commit").exists()


def test_added_working_tree_can_be_committed_in(open_workspace, home):
    main, tree = home / "main", home / "code/tree"
    main.mkdir()
    for command in (
        "git init -q .",
        "git config user.email a@b.c",
        "git config user.name A",
        "git commit -q --allow-empty -m one",
        f"git worktree add -q {tree}",
    ):
        subprocess.run(command.split(), cwd=main, check=True)
    opened = open_workspace(tree, sandbox="required")
    done = opened.workspace.run(
        "git commit -q --allow-empty -m two", tool="run_command", timeout_s=60
    )
    assert (done.exit_code, done.stderr) == (0, "")
    log = subprocess.run(["git", "log", "--oneline"], cwd=tree, check=True, capture_output=True)
    assert b"two" in log.stdout


def test_project_that_is_the_home_keeps_its_keys(open_workspace, home):
    opened = open_workspace(home, sandbox="required")
    done = opened.workspace.run("cat .ssh/* .netrc; touch made", tool="run_command", timeout_s=60)
    assert "TOPSECRET" not in done.stdout
    assert (home / "made").exists()


def test_home_may_be_a_link(open_workspace, home, monkeypatch, tmp_path):
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    opened = open_workspace(home / "code/app", sandbox="required")
    done = opened.workspace.run("cat ~/.ssh/*; cat ~/.netrc", tool="run_command", timeout_s=60)
    assert "TOPSECRET" not in done.stdout


def test_keys_may_be_links(open_workspace, home):
    shutil.move(home / ".ssh", home / "dotfiles")
    (home / ".ssh").symlink_to("dotfiles")
    opened = open_workspace(home / "code/app", sandbox="required")
    done = opened.workspace.run("cat ~/.ssh/* ~/dotfiles/*", tool="run_command", timeout_s=60)
    assert "TOPSECRET" not in done.stdout


@pytest.mark.parametrize("command", ["python3 -c", "curl --version; python3 -c"])
def test_sockets_elsewhere_are_out_of_reach(home, boxed, execute, command):
    """Also with the network; those of the project can be reached."""
    answers = {}
    for folder in (home, boxed.root):
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(folder / "s"))
            listening.listen()
            script = f"import os, socket as s; os.chdir('{folder}'); s.socket(1).connect('s')"
            answers[folder] = execute(f'{command} "{script}"').exit_code
    assert answers == {home: 1, boxed.root: 0}


def test_programs_behind_a_link_are_found(execute, tmp_path, monkeypatch):
    """Also by the next command, which sees the same temporary files."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/tool").symlink_to("/bin/echo")
    (tmp_path / "link").symlink_to("programs")
    monkeypatch.setenv("PATH", f"{tmp_path}/link:{os.environ['PATH']}")
    assert execute("tool one").stdout == "one\n"
    assert execute("tool two").stdout == "two\n"


@pytest.mark.skipif(
    shutil.which("npm") is None and not os.environ.get("CI"), reason="npm is not installed"
)
def test_npm_runs_tests(boxed, execute):
    (boxed.root / "package.json").write_text(
        json.dumps({"scripts": {"test": "node --test"}, "name": "a", "version": "1.0.0"})
    )
    (boxed.root / "a.test.js").write_text(
        "const {test} = require('node:test'); const http = require('node:http');\n"
        "const fs = require('node:fs'), os = require('node:os');\n"
        "test('a server of its own answers', (_, done) => {\n"
        "  fs.mkdtempSync(os.tmpdir() + '/a-');\n"
        "  const s = http.createServer((_, r) => r.end()).listen(0, () =>\n"
        "    http.get({port: s.address().port}, () => { s.close(); done() }));\n"
        "});\n"
    )
    done = execute("npm test")
    assert done.exit_code == 0, done
    assert done.sandbox == ""


def _when_there(path, then):
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    then()


def _ends(marker):
    deadline = time.monotonic() + 5
    while any(" ".join(_words(process)) == marker for process in psutil.process_iter()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _words(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []
