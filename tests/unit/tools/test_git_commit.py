import subprocess
import time

import pytest


@pytest.fixture
def repository(repository):
    root = repository({"a.ts": "1\n", "b.ts": "1\n"})
    (root / "a.ts").write_text("2\n")
    subprocess.run(["git", "add", "a.ts"], cwd=root, check=True)
    (root / "b.ts").write_text("2\n2\n")
    return root


def git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


def test_named_files_only_with_the_documented_fields(repository, open_assistant):
    asked = []
    assistant = open_assistant(repository, [], confirm=lambda p: asked.append(p) or True)
    result = assistant.call("git_commit", {"message": "fix: b only", "files": ["b.ts"]})
    output = result.to_dict()["output"]
    assert abs(output.pop("timestamp") / 1000 - time.time()) < 60
    assert output == {
        "hash": git(repository, "rev-parse", "HEAD").strip(),
        "message": "fix: b only",
        "files": ["b.ts"],
        "author": "Dock Hand <dock@example.test>",
    }
    assert git(repository, "status", "--porcelain") == "M  a.ts\n"
    assert [(p.kind, p.tool, p.files, p.message) for p in asked] == [
        ("commit", "git_commit", ("b.ts",), "fix: b only")
    ]
    lines = result.text().split("\n")
    assert lines[0] == f"Commit created: {output['hash'][:7]}"
    assert lines[1] == "Author: Dock Hand <dock@example.test>"
    assert lines[2].startswith("Date: 20")
    assert lines[3:] == ["", "fix: b only", "", "1 file changed, 2 insertions(+), 1 deletion(-)"]
    assert result.output.shape().rows == (("b.ts", 2, 1),)


@pytest.mark.parametrize("files", [None, []])
def test_what_is_staged(repository, open_assistant, files):
    assistant = open_assistant(repository, [], confirm=lambda _: True)
    result = assistant.call("git_commit", {"message": "a", "files": files})
    assert result.output.files == ("a.ts",)
    assert git(repository, "status", "--porcelain") == " M b.ts\n"


@pytest.mark.parametrize("options", [{"confirm": lambda _: False}, {}, {"auto_apply": True}])
def test_without_a_yes_nothing_is_staged_or_committed(repository, open_assistant, options):
    """`auto_apply` covers edits, not commits."""
    assistant = open_assistant(repository, [], **options)
    error = assistant.call("git_commit", {"message": "x", "files": ["b.ts"]}).error
    assert (error.type, error.recoverable) == ("cancelled", True)
    assert git(repository, "status", "--porcelain") == "M  a.ts\n M b.ts\n"
    assert git(repository, "rev-list", "--count", "HEAD") == "1\n"


def test_hook_output_reaches_the_model(repository, open_assistant):
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho LINT-SAYS-NO >&2\nexit 1\n")
    hook.chmod(0o755)
    assistant = open_assistant(repository, [], confirm=lambda _: True)
    result = assistant.call("git_commit", {"message": "x", "files": ["b.ts"]})
    assert result.error.type == "command"
    assert "LINT-SAYS-NO" in result.text()


@pytest.mark.parametrize(
    ("arguments", "type_"),
    [
        ({"message": "  "}, "validation"),
        ({}, "validation"),
        ({"message": "x", "files": 7}, "validation"),
        ({"message": "x", "files": ["nope.ts"]}, "file"),
        ({"message": "x", "files": ["../x.ts"]}, "file"),
    ],
)
def test_errors_come_before_the_question(repository, open_assistant, arguments, type_):
    asked = []
    assistant = open_assistant(repository, [], confirm=lambda p: asked.append(p) or True)
    assert assistant.call("git_commit", arguments).error.type == type_
    assert not asked


def test_no_repository(run):
    call = run({"a.ts": "1\n"}, confirm=lambda _: True)
    assert call("git_commit", {"message": "x"}).error.type == "command"


def test_a_link_is_committed_itself(repository, open_assistant):
    (repository / "link.ts").symlink_to("a.ts")
    assistant = open_assistant(repository, [], confirm=lambda _: True)
    result = assistant.call("git_commit", {"message": "link", "files": ["link.ts"]})
    assert result.output.files == ("link.ts",)
    assert git(repository, "status", "--porcelain") == "M  a.ts\n M b.ts\n"


def test_a_commit_across_two_repositories_is_refused_before_the_question(
    repository, open_assistant
):
    subprocess.run(["git", "init", "-q", "api"], cwd=repository, check=True)
    for key, value in (("user.name", "Dock Hand"), ("user.email", "dock@example.test")):
        subprocess.run(["git", "config", key, value], cwd=repository / "api", check=True)
    (repository / "api/a.ts").write_text("1\n")
    asked = []
    assistant = open_assistant(repository, [], confirm=lambda p: asked.append(p) or True)
    error = assistant.call("git_commit", {"message": "x", "files": ["b.ts", "api/a.ts"]}).error
    assert error.type == "validation"
    assert "this would be one of ., api" in error.message
    assert not asked
    done = assistant.call("git_commit", {"message": "x", "files": ["api/a.ts"]})
    assert done.output.files == ("api/a.ts",)
    assert asked[0].title == "Commit 1 file in api"
    assert git(repository, "log", "--oneline").count("\n") == 1
