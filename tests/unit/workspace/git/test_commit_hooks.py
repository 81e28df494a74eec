"""Hooks, signatures and locks: what git does around a commit."""

import subprocess
import threading

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.workspace.git.repository import Repository


@pytest.fixture
def changed(git):
    """Give a repository with a change of a.ts, and b.ts staged."""
    git.write("a.ts", "2\n")
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    return git


@pytest.mark.parametrize(("files", "committed"), [((), "b.ts"), (("a.ts",), "a.ts")])
def test_a_hook_that_changes_files_without_staging_them(changed, commit, files, committed):
    changed.hook("pre-commit", "echo formatted > a.ts; echo formatted > b.ts; echo > made.ts")
    commit("x", files)
    assert changed("show", f"HEAD:{committed}") == "2\n"
    assert (changed.root / committed).read_text() == "formatted\n"
    assert f" M {committed}\n" in changed("status", "--porcelain")
    assert "?? made.ts\n" in changed("status", "--porcelain")


@pytest.mark.parametrize("files", [(), ("a.ts",)])
def test_a_hook_that_formats_and_stages_is_in_the_commit(changed, commit, files):
    changed.hook("pre-commit", "for f in $(git diff --cached --name-only); do\n"
                               "echo formatted > $f; git add $f; done")  # fmt: skip
    made = commit("x", files)
    (path,) = [file.path for file in made.files]
    assert changed("show", f"HEAD:{path}") == "formatted\n"
    assert path not in changed("status", "--porcelain")


def test_a_hook_changes_the_message(changed, commit):
    changed.hook("commit-msg", 'echo "TICKET-1 $(cat "$1")" > "$1"')
    assert commit("fix", ["a.ts"]).message == "TICKET-1 fix"


def test_a_hook_after_the_commit_does_not_undo_it(changed, commit):
    changed.hook("post-commit", "git status > seen; git add c.ts; exit 1")
    assert commit("x", ["a.ts"]).hash == changed("rev-parse", "HEAD").strip()
    assert changed("status", "--porcelain") == "M  b.ts\n?? seen\n"


def test_a_hook_sees_no_editor_no_terminal_and_no_input(changed, commit, tmp_path, monkeypatch):
    monkeypatch.setenv("GPG_TTY", "/dev/pts/0")
    changed.hook(
        "pre-commit",
        f"exec > {tmp_path}/told; echo editor $GIT_EDITOR; cat; tty; echo tty $GPG_TTY.",
    )
    commit("x", ["a.ts"])
    told = (tmp_path / "told").read_text().splitlines()
    assert told[0] in {"editor :", "editor false"}
    assert told[1:] == ["not a tty", "tty ."]


def test_a_hook_that_takes_long_is_stopped_with_the_user(changed, answer):
    changed.hook("pre-commit", "touch started; sleep 600")
    cancel = CancelToken()
    before = (changed.root / ".git/index").read_bytes()

    def stop():
        for _ in range(12_000):
            if (changed.root / "started").exists():
                break
            waiting.wait(0.01)
        cancel.cancel()

    waiting = threading.Event()
    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(Cancelled):
        Repository(changed.root, cancel=cancel).commit("x", ["a.ts"], decide=answer, tool="t")
    thread.join(150)
    assert changed("rev-list", "--count", "HEAD") == "1\n"
    assert (changed.root / ".git/index").read_bytes() == before
    assert not (changed.root / ".git/index.lock").exists()


def test_a_hook_without_an_end_is_stopped_at_the_users_limit(changed, answer):
    changed.hook("pre-commit", "sleep 600")
    before = (changed.root / ".git/index").read_bytes()
    repository = Repository(changed.root, commit_s=0.5)
    with pytest.raises(ToolError, match=r"took longer than 0\.5 s") as caught:
        repository.commit("x", ["a.ts"], decide=answer, tool="t")
    assert caught.value.type == "timeout"
    assert "commands.commitS" in caught.value.suggestion
    assert changed("rev-list", "--count", "HEAD") == "1\n"
    assert (changed.root / ".git/index").read_bytes() == before
    assert not (changed.root / ".git/index.lock").exists()


def test_stop_when_the_commit_is_made_leaves_a_true_index(changed, answer):
    """The new commit is there: what it holds must not look changed."""
    changed.hook("post-commit", "touch started; sleep 600")
    cancel = CancelToken()
    waiting = threading.Event()

    def stop():
        for _ in range(12_000):
            if (changed.root / "started").exists():
                break
            waiting.wait(0.01)
        cancel.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(Cancelled):
        Repository(changed.root, cancel=cancel).commit("x", ["a.ts"], decide=answer, tool="t")
    thread.join(150)
    assert changed("rev-list", "--count", "HEAD") == "2\n"
    assert changed("status", "--porcelain") == "M  b.ts\n?? started\n"


def test_another_git_cannot_change_the_index_meanwhile(changed, commit):
    """What it staged would be lost."""
    changed.hook("pre-commit", "env -u GIT_INDEX_FILE git add c.ts 2> said; true")
    changed.write("c.ts", "2\n")
    commit("x", ["a.ts"])
    assert "index.lock" in (changed.root / "said").read_text()
    assert "M c.ts" in changed("status", "--porcelain")


@pytest.mark.parametrize("files", [(), ("a.ts",)])
def test_the_lock_of_another_git_stays_its_own(changed, commit, files):
    lock = changed.root / ".git/index.lock"
    lock.write_text("another's")
    with pytest.raises(ToolError, match=r"index\.lock exists") as caught:
        commit("x", files)
    assert "crashed" in caught.value.suggestion
    assert lock.read_text() == "another's"


def test_the_index_keeps_its_mode(changed, commit):
    (changed.root / ".git/index").chmod(0o640)
    commit("x", ["a.ts"])
    assert (changed.root / ".git/index").stat().st_mode & 0o777 == 0o640


@pytest.fixture
def no_keys(tmp_path, monkeypatch):
    """Have gpg find no key, and a terminal that it must not use."""
    monkeypatch.setenv("GNUPGHOME", str(tmp_path / "gnupg"))
    monkeypatch.setenv("GPG_TTY", "/dev/null")
    (tmp_path / "gnupg").mkdir(mode=0o700)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("files", [(), ("a.ts",)])
@pytest.mark.parametrize(
    "settings",
    [
        {"user.signingKey": "0xDEADBEEF"},
        {"gpg.program": "no-such-program"},
        {"gpg.format": "ssh", "user.signingKey": "/no/such/key.pub"},
        {"gpg.format": "ssh"},
        {"gpg.format": "x509", "gpg.x509.program": "false"},
    ],
)
def test_signing_that_is_impossible_says_so_and_leaves_no_trace(changed, commit, files, settings):
    changed("config", "commit.gpgSign", "true")
    for key, value in settings.items():
        changed("config", key, value)
    before = changed.state(), (changed.root / ".git/index").read_bytes()
    with pytest.raises(ToolError, match="Not committed") as caught:
        commit("x", files)
    assert (caught.value.type, caught.value.recoverable) == ("command", True)
    assert "commit.gpgSign" in caught.value.suggestion
    assert (changed.state(), (changed.root / ".git/index").read_bytes()) == before


def test_a_key_with_a_passphrase_asks_nobody(changed, commit, tmp_path, monkeypatch):
    key = tmp_path / "key"
    try:
        subprocess.run(["ssh-keygen", "-q", "-N", "secret", "-f", str(key)], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no ssh-keygen")
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.setenv("DISPLAY", ":77")
    monkeypatch.setenv("SSH_ASKPASS", f"touch {tmp_path}/asked")
    settings = {"commit.gpgSign": "true", "gpg.format": "ssh", "user.signingKey": str(key)}
    for name, value in settings.items():
        changed("config", name, value)
    with pytest.raises(ToolError, match="Not committed") as caught:
        commit("x", ["a.ts"])
    assert "commit.gpgSign" in caught.value.suggestion
    assert not (tmp_path / "asked").exists()


def test_a_signature_is_made_where_it_is_possible(changed, commit, tmp_path):
    key = tmp_path / "key"
    try:
        subprocess.run(["ssh-keygen", "-q", "-N", "", "-f", str(key)], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no ssh-keygen")
    settings = {"commit.gpgSign": "true", "gpg.format": "ssh", "user.signingKey": str(key)}
    for name, value in settings.items():
        changed("config", name, value)
    changed("config", "log.showSignature", "true")
    made = commit("signed", ["a.ts"])
    assert (made.message, made.author) == ("signed", "Dock Hand <dock@example.test>")
    assert "gpgsig" in changed("cat-file", "commit", "HEAD")


@pytest.mark.usefixtures("permissions_count")
def test_an_index_that_cannot_be_written_is_told(changed, commit):
    folder = changed.root / ".git"
    folder.chmod(0o555)
    try:
        with pytest.raises(ToolError, match="Not committed") as caught:
            commit("x", ["a.ts"])
        assert caught.value.type == "command"
    finally:
        folder.chmod(0o755)


def test_a_commit_that_the_index_cannot_follow_is_told(changed, commit):
    before = changed("rev-parse", "HEAD").strip()
    index = (changed.root / ".git/index").read_bytes()
    changed.hook("post-commit", "rm -rf .git/objects/??")
    with pytest.raises(ToolError, match=r"Committed as [0-9a-f]{40}, but the index") as caught:
        commit("x", ["a.ts"])
    assert caught.value.type == "command"
    assert "Do not commit again" in caught.value.suggestion
    assert changed("rev-parse", "HEAD").strip() != before
    assert (changed.root / ".git/index").read_bytes() == index
    assert not (changed.root / ".git/index.lock").exists()


@pytest.mark.parametrize(("files", "committed"), [((), "b.ts"), (("a.ts",), "a.ts")])
def test_what_a_hook_has_changed_in_the_commit_is_told(changed, commit, files, committed):
    changed.hook("pre-commit", f"echo linted > {committed}; git add {committed}")
    told = commit("x", files).by_hooks
    assert f"+++ b/{committed}" in told
    assert "\n-2\n+linted\n" in told


@pytest.mark.parametrize("files", [(), ("a.ts",)])
def test_a_hook_that_only_looks_has_changed_nothing(changed, commit, files):
    changed.hook("pre-commit", "git diff --cached > /dev/null")
    assert commit("x", files).by_hooks == ""
