import subprocess

import pytest


@pytest.fixture
def changed(repository):
    root = repository({"a.ts": "1\n2\n", "src/b.ts": "1\n"})
    (root / "a.ts").write_text("1\n2\n3\n4\n")
    subprocess.run(["git", "add", "a.ts"], cwd=root, check=True)
    (root / "src/b.ts").write_text("9\n")
    (root / "logo.png").write_bytes(b"\x89PNG\0")
    subprocess.run(["git", "add", "-N", "logo.png"], cwd=root, check=True)
    return root


def test_everything_has_the_documented_fields(changed, open_assistant):
    result = open_assistant(changed, []).call("git_diff", {})
    output = result.to_dict()["output"]
    assert output.pop("diff").startswith("diff --git a/a.ts b/a.ts\n")
    assert output == {
        "files": [
            {"path": "a.ts", "insertions": 2, "deletions": 0, "binary": False},
            {"path": "logo.png", "insertions": 0, "deletions": 0, "binary": True},
            {"path": "src/b.ts", "insertions": 1, "deletions": 1, "binary": False},
        ],
        "totalInsertions": 3,
        "totalDeletions": 1,
    }
    assert result.text().startswith(
        "Changes in 3 files:\n"
        "  +2  -0  a.ts\n"
        "  binary  logo.png\n"
        "  +1  -1  src/b.ts\n\n"
        "Total: +3 insertions, -1 deletions\n\n"
        "diff --git a/a.ts"
    )
    shape = result.output.shape()
    assert shape.title == "3 files changed: +3 \u22121"
    assert shape.text.startswith("diff --git a/a.ts b/a.ts\n")


def test_one_path_or_only_what_is_staged(changed, open_assistant):
    call = open_assistant(changed, []).call
    assert [f.path for f in call("git_diff", {"path": "src"}).output.files] == ["src/b.ts"]
    assert [f.path for f in call("git_diff", {"staged": True}).output.files] == ["a.ts"]
    null = {"path": None, "staged": True}
    assert [f.path for f in call("git_diff", null).output.files] == ["a.ts"]


def test_a_deleted_file_has_a_diff(changed, open_assistant):
    (changed / "src/b.ts").unlink()
    (file,) = open_assistant(changed, []).call("git_diff", {"path": "src/b.ts"}).output.files
    assert (file.insertions, file.deletions) == (0, 1)


def test_errors(changed, open_assistant):
    call = open_assistant(changed, []).call
    nothing = call("git_diff", {"path": "src", "staged": True}).error
    assert (nothing.type, nothing.message) == ("command", "No staged changes to show in src.")
    assert call("git_diff", {"path": "nope.ts"}).error.type == "file"
    outside = call("git_diff", {"path": "../x"}).error
    assert (outside.type, outside.recoverable) == ("file", False)


def test_no_repository(run):
    assert run({"a.ts": "1\n"})("git_diff", {}).error.type == "command"


def test_each_of_several_repositories_has_its_heading(make_project, open_assistant):
    root = make_project({f"{name}/a.ts": "1\n" for name in ("api", "lib", "web")})
    for name in ("api", "lib", "web"):
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", *command], cwd=root / name, check=True)
    (root / "lib/.git/index").write_bytes(b"broken")
    subprocess.run(["git", "rm", "-q", "--cached", "a.ts"], cwd=root / "web", check=True)
    assistant = open_assistant(root, [])
    result = assistant.call("git_diff", {})
    totals, api, lib, web = result.text().split("\n\nRepository: ")
    assert totals.endswith("Total: +1 insertions, -0 deletions")
    assert api.startswith("api\n\ndiff --git a/api/a.ts b/api/a.ts\n")
    assert lib.startswith("lib\n\ngit ")
    assert web == "web\n\nNo changes."
    entries = result.output.parts().entries
    assert [entry.partition("\n")[0] for entry in entries] == [
        *("Repository: api", "diff --git a/api/a.ts b/api/a.ts", "Repository: lib"),
        "Repository: web",
    ]
    assert result.output.shape().text == result.output.diff
    assert result.output.diff.startswith("diff --git a/api/a.ts b/api/a.ts\n")
    alone = assistant.call("git_diff", {"path": "api"})
    assert "Repository" not in alone.text()
    assert alone.output.files == result.output.files
