import subprocess


def test_a_mixed_status_has_the_documented_fields(repository, open_assistant):
    root = repository({"a.ts": "1\n", "b.ts": "1\n"})
    (root / "a.ts").write_text("2")
    subprocess.run(["git", "add", "a.ts"], cwd=root, check=True)
    (root / "b.ts").write_text("2")
    (root / "sp ace ü.ts").write_text("1")
    result = open_assistant(root, []).call("git_status", {})
    assert result.to_dict() == {
        "success": True,
        "output": {
            "branch": "main",
            "ahead": 0,
            "behind": 0,
            "detached": False,
            "files": {
                "staged": ["a.ts"],
                "modified": ["b.ts"],
                "untracked": ["sp ace ü.ts"],
                "conflicted": [],
            },
        },
    }
    assert result.text() == (
        "Branch: main\n\n"
        "Staged (1):\n  - a.ts\n\n"
        "Modified (1):\n  - b.ts\n\n"
        "Untracked (1):\n  - sp ace ü.ts"
    )
    assert result.output.shape().rows == (
        ("staged", "a.ts"),
        ("modified", "b.ts"),
        ("untracked", "sp ace ü.ts"),
    )


def test_the_remote_branch_is_told(repository, open_assistant, tmp_path):
    root = repository({"a.ts": "1\n"})
    remote = str(tmp_path / "remote.git")
    for command in (
        ["clone", "-q", "--bare", ".", remote],
        ["remote", "add", "origin", remote],
        ["push", "-qu", "origin", "main"],
        ["commit", "-q", "--allow-empty", "-m", "one"],
    ):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    result = open_assistant(root, []).call("git_status", {})
    assert result.output.tracking == "origin/main"
    assert result.text() == (
        "Branch: main\nTracking: origin/main\nAhead: 1 commit, Behind: 0 commits\n\n"
        "Nothing has changed since the last commit."
    )


def test_no_branch_and_many_files(repository, open_assistant):
    root = repository({"a.ts": "1\n"})
    subprocess.run(["git", "checkout", "-q", "--detach"], cwd=root, check=True)
    for number in range(130):
        (root / f"n{number:03}.txt").touch()
    result = open_assistant(root, []).call("git_status", {})
    assert result.text().startswith("Branch: HEAD (detached)\n\nUntracked (130):\n")
    assert result.text().endswith("  - n099.txt\n  ... and 30 more")
    assert len(result.output.files.untracked) == 130


def test_no_repository_is_an_error_to_go_on_from(run):
    error = run({"a.ts": "1\n"})("git_status", {}).error
    assert (error.type, error.recoverable) == ("command", True)
    assert "not a git repository" in error.message


def test_each_of_several_repositories_has_its_heading(repository, open_assistant):
    root = repository({"a.ts": "1\n"})
    for name in ("api", "web"):
        subprocess.run(["git", "init", "-qb", name, name], cwd=root, check=True)
        (root / name / "b.ts").write_text("1\n")
    (root / "foreign").mkdir()
    (root / "foreign/.git").write_text("gitdir: /nowhere\n")
    (root / "foreign/c.ts").write_text("1\n")
    assistant = open_assistant(root, [])
    result = assistant.call("git_status", {})
    head, api, foreign, web = result.text().split("\n\nRepository: ")
    assert head.startswith("Repository: .\nBranch: main\n")
    assert api == "api\nBranch: api\n\nUntracked (1):\n  - api/b.ts"
    assert foreign == "foreign\nforeign is not a git repository."
    assert web == "web\nBranch: web\n\nUntracked (1):\n  - web/b.ts"
    output = result.to_dict()["output"]
    assert output["path"] == "."
    assert [(one["path"], one["branch"]) for one in output["others"]] == [
        *(("api", "api"), ("foreign", ""), ("web", "web"))
    ]
    shape = result.output.shape()
    assert shape.title == "4 repositories"
    assert shape.note.startswith(".: main; api: api; foreign: foreign is not a git")
    assert ("untracked", "web/b.ts") in shape.rows
    parts = result.output.parts()
    assert "Repository: web\nBranch: web\nUntracked: 1" in parts.head
    assert "  untracked: api/b.ts" in parts.entries


def test_one_of_several_repositories_is_shown_by_a_path_in_it(make_project, open_assistant):
    root = make_project({"api/b.ts": "1\n", "web/b.ts": "1\n"})
    for name in ("api", "web"):
        subprocess.run(["git", "init", "-qb", name, name], cwd=root, check=True)
    assistant = open_assistant(root, [])
    for path in ("web", "web/b.ts"):
        result = assistant.call("git_status", {"path": path})
        assert result.text() == "Branch: web\n\nUntracked (1):\n  - web/b.ts"
        assert "path" not in result.to_dict()["output"]
    whole = assistant.call("git_status", {"path": "."}).text()
    assert whole.startswith("Repository: api\n")
    assert whole == assistant.call("git_status", {}).text()
