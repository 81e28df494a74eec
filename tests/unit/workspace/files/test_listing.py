"""Which files belong to a project, with git and without."""

import os
import shutil
import socket
import subprocess

import pytest

from ipuaro_jupyter.workspace.files import listing
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.listing import list_files


def git(root, *arguments):
    identity = ("-c", "user.name=Dock Hand", "-c", "user.email=dock@example.test")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(params=["git", "no git"])
def root(request, tmp_path):
    """Give an empty project, once in a repository and once without git."""
    root = tmp_path / "project"
    root.mkdir()
    if request.param == "git":
        git(root, "init", "-q")
    return root


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def put(root, *paths, content=b"x\n"):
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def listed(root):
    return list(list_files(root).files)


def test_files_are_listed_sorted_with_size_and_time(root):
    put(root, "src/b.ts", "a.ts", content=b"12345")
    put(root, "empty.ts", content=b"")
    os.utime(root / "a.ts", ns=(1, 1_700_000_000_123_456_789))
    found = list_files(root)
    assert list(found.files) == ["a.ts", "empty.ts", "src/b.ts"]
    status = (root / "a.ts").stat()
    assert found.files["a.ts"] == (5, status.st_mtime_ns, status.st_ctime_ns)
    assert found.files["empty.ts"].size == 0
    assert (found.skipped, found.symlinks) == ({}, {})


def test_what_patterns_name_is_left_out_although_git_tracks_it(root):
    put(root, "dist/a.js", "src/dist/b.js", "src/a.ts", "src/a.gen.ts", "src/keep.gen.ts")
    put(root, "docs/api/x.ts", "src/docs/api/y.ts", "distant.ts", "docs/guide.ts")
    if (root / ".git").exists():
        git(root, "add", "-f", ".")
    patterns = "dist/\n*.gen.ts\n!keep.gen.ts\n/docs/api\n# none\n"
    found = list_files(root, ignored=IgnoreFile(patterns))
    assert list(found.files) == [
        *("distant.ts", "docs/guide.ts", "src/a.ts", "src/docs/api/y.ts", "src/keep.gen.ts")
    ]
    assert found.skipped == {}
    assert list(
        list_files(root, ignored=IgnoreFile("/*\n!/docs/\n/docs/*\n!guide.ts\n")).files
    ) == ["docs/guide.ts"]


def test_patterns_count_in_a_repository_in_the_repository(repository):
    put(repository, "vendor/lib/a.ts", "vendor/b.ts", "c.ts")
    git(repository / "vendor/lib", "init", "-q")
    assert list(list_files(repository, ignored=IgnoreFile("lib/")).files) == ["c.ts", "vendor/b.ts"]
    assert list(list_files(repository, ignored=IgnoreFile("vendor")).files) == ["c.ts"]


def test_gitignore_counts_at_every_level(root):
    put(root, ".gitignore", content=b"\xef\xbb\xbf*.log\r\ngenerated/\r\n!keep.log\r\n")
    put(root, "sub/.gitignore", content=b"/local.ts\n!special.log\n")
    put(root, "a.ts", "a.log", "keep.log", "generated/x.ts", "sub/generated/x.ts")
    put(root, "sub/local.ts", "sub/deep/local.ts", "sub/special.log", "sub/b.log")
    assert listed(root) == [
        *(".gitignore", "a.ts", "keep.log", "sub/.gitignore"),
        *("sub/deep/local.ts", "sub/special.log"),
    ]


BUILT = ["dist", "build", "out", ".next", ".nuxt", "coverage", ".cache", ".turbo", "__pycache__"]


@pytest.mark.parametrize("name", [*BUILT, ".venv", "node_modules", ".ipynb_checkpoints"])
def test_folders_of_built_files_are_left_out_at_every_depth(root, name):
    put(root, f"{name}/a.js", f"packages/one/{name}/sub/a.js", "a.ts", "packages/one/b.ts")
    assert listed(root) == ["a.ts", "packages/one/b.ts"]


@pytest.mark.parametrize("name", ["dist", "build", "out", "coverage"])
def test_a_file_of_that_name_is_a_file(root, name):
    put(root, f"src/{name}")
    assert listed(root) == [f"src/{name}"]


def test_a_built_folder_counts_when_git_tracks_files_in_it(repository):
    put(repository, "a/build/tracked.ts", "b/build/other.ts", "node_modules/x/tracked.js")
    git(repository, "add", "a", "node_modules")
    put(repository, "a/build/new.ts", "a/build/deep/new.ts", "a/build/dist/x.ts")
    assert listed(repository) == ["a/build/deep/new.ts", "a/build/new.ts", "a/build/tracked.ts"]


def test_tracked_files_count_although_they_are_ignored(repository):
    put(repository, "kept.log", "lost.log")
    git(repository, "add", "kept.log")
    put(repository, ".gitignore", content=b"*.log\n")
    assert listed(repository) == [".gitignore", "kept.log"]


def test_a_tracked_file_that_was_deleted_is_none(repository):
    put(repository, "a.ts", "gone.ts")
    git(repository, "add", ".")
    (repository / "gone.ts").unlink()
    assert listed(repository) == ["a.ts"]


def test_tracked_files_of_a_folder_that_has_gone_are_none(repository):
    put(repository, "a.ts", "gone/deep/b.ts", "gone/c.ts")
    git(repository, "add", ".")
    shutil.rmtree(repository / "gone")
    assert listed(repository) == ["a.ts"]


def test_a_file_with_a_merge_conflict_is_listed_once(repository):
    put(repository, "a.ts")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "base")
    git(repository, "checkout", "-qb", "side")
    put(repository, "a.ts", content=b"side\n")
    git(repository, "commit", "-qam", "side")
    git(repository, "checkout", "-q", "main")
    put(repository, "a.ts", content=b"main\n")
    git(repository, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "side")
    assert listed(repository) == ["a.ts"]


def test_a_folder_of_a_repository_is_listed_by_the_rules_of_all(repository):
    put(repository, ".gitignore", content=b"*.log\n")
    put(repository, "app/a.ts", "app/a.log", "app/src/b.ts", "other/c.ts")
    assert listed(repository / "app") == ["a.ts", "src/b.ts"]


def test_a_project_that_the_repository_around_it_ignores_is_listed(repository):
    put(repository, ".gitignore", content=b"*\n")
    put(repository, "app/a.ts", "app/b.log", "app/.gitignore", content=b"*.log\n")
    assert listed(repository / "app") == [".gitignore", "a.ts"]


def test_nested_repositories_and_submodules_are_part_of_the_project(repository, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-q")
    put(library, ".gitignore", content=b"*.log\n")
    put(library, "lib.ts", "a.log")
    git(library, "add", ".")
    git(library, "commit", "-qm", "library")
    allow = ("-c", "protocol.file.allow=always")
    git(repository, *allow, "submodule", "add", "-q", str(library), "vendor/library")
    put(repository, "nested/a.ts", "nested/dist/b.ts", "nested/a.log")
    git(repository / "nested", "init", "-q")
    assert listed(repository) == [
        *(".gitmodules", "nested/a.log", "nested/a.ts"),
        *("vendor/library/.gitignore", "vendor/library/lib.ts"),
    ]


def test_a_submodule_that_was_not_fetched_is_empty(repository):
    put(repository, "a.ts")
    (repository / "vendor").mkdir()
    cacheinfo = f"160000,{'1' * 40},vendor"
    git(repository, "update-index", "--add", "--cacheinfo", cacheinfo)
    assert listed(repository) == ["a.ts"]


def test_a_worktree_is_a_project_and_not_part_of_another(repository):
    put(repository, "a.ts")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "base")
    git(repository, "worktree", "add", "-q", "trees/side")
    assert listed(repository / "trees/side") == ["a.ts"]
    found = list_files(repository)
    assert list(found.files) == ["a.ts"]
    assert found.skipped == {"trees/side": "another worktree of the repository"}


def test_a_submodule_in_a_folder_named_worktrees_is_part_of_the_project(repository):
    root = repository / "worktrees/main"
    put(root, "a.ts")
    git(root, "init", "-q")
    (root / ".git/modules").mkdir()
    git(root, "init", "-q", "--separate-git-dir", str(root / ".git/modules/sub"), "sub")
    put(root, "sub/b.ts")
    git(root / "sub", "add", ".")
    git(root / "sub", "commit", "-qm", "base")
    git(root, "add", ".")
    assert listed(root) == ["a.ts", "sub/b.ts"]


def test_a_broken_repository_is_walked(tmp_path):
    put(tmp_path, ".git/nothing", "a.ts", "b.log", ".gitignore", content=b"*.log\n")
    assert listed(tmp_path) == [".gitignore", "a.ts"]


def test_a_machine_without_git_walks(repository, monkeypatch):
    put(repository, ".gitignore", content=b"*.log\n")
    put(repository, "a.ts", "a.log", "dist/a.js")
    monkeypatch.setenv("PATH", "/nowhere")
    assert listed(repository) == [".gitignore", "a.ts"]


def test_a_repository_cannot_have_a_program_started(repository, tmp_path):
    put(repository, "a.ts")
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    assert listed(repository) == ["a.ts"]
    assert not (tmp_path / "started").exists()


def test_the_variables_of_a_running_git_do_not_count(root, monkeypatch):
    put(root, "a.ts")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert listed(root) == ["a.ts"]


@pytest.mark.parametrize(
    "name", ["né中😀.ts", "two\nlines.ts", 'quo"te.ts', " blank ", "-x", "a\\b"]
)
def test_unusual_names_are_listed_as_they_are(root, name):
    put(root, f"src/{name}")
    assert listed(root) == [f"src/{name}"]


def test_a_name_that_is_not_utf8_is_reported(root):
    put(root, "a.ts")
    (root / os.fsdecode(b"caf\xe9.ts")).write_text("")
    found = list_files(root)
    assert list(found.files) == ["a.ts"]
    assert found.skipped == {"caf\\xe9.ts": "its name is not UTF-8"}


def test_binary_files_are_reported_by_extension(root):
    put(root, "logo.PNG", "src/app.wasm", "icon.svg", "noext", ".gz", "a.png.ts")
    found = list_files(root)
    assert list(found.files) == [".gz", "a.png.ts", "icon.svg", "noext"]
    assert found.skipped == {"logo.PNG": "binary", "src/app.wasm": "binary"}


def test_symlinks_are_recorded_and_not_followed(root, tmp_path):
    put(root, "src/a.ts")
    put(tmp_path, "outside/secret.ts")
    targets = {
        "out": str(tmp_path / "outside"),
        "src/up": "..",
        "src/self": "self",
        "file.ts": "src/a.ts",
        "dangling": "nowhere",
    }
    for name, target in targets.items():
        (root / name).symlink_to(target)
    found = list_files(root)
    assert list(found.files) == ["src/a.ts"]
    assert found.symlinks == targets


def test_the_target_of_a_link_that_is_not_utf8_is_given_in_printable_form(root):
    root.mkdir(exist_ok=True)
    (root / "a").symlink_to(os.fsdecode(b"caf\xe9"))
    assert list_files(root).symlinks == {"a": "caf\\xe9"}


def test_a_tracked_folder_that_became_a_link_is_not_followed(repository, tmp_path):
    put(repository, "src/secret.ts", "a.ts")
    git(repository, "add", ".")
    put(tmp_path, "outside/secret.ts")
    (repository / "src/secret.ts").unlink()
    (repository / "src").rmdir()
    (repository / "src").symlink_to(tmp_path / "outside")
    found = list_files(repository)
    assert list(found.files) == ["a.ts"]
    assert found.symlinks == {"src": str(tmp_path / "outside")}


def test_what_is_no_file_is_left_out(tmp_path):
    put(tmp_path, "a.ts")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        found = list_files(tmp_path)
    assert list(found.files) == ["a.ts"]
    assert found.skipped == {"pipe": "no regular file", "socket": "no regular file"}


@pytest.mark.usefixtures("permissions_count")
def test_a_folder_that_cannot_be_read_is_reported(root):
    put(root, "a.ts", "closed/b.ts")
    (root / "closed").chmod(0)
    found = list_files(root)
    (root / "closed").chmod(0o755)
    assert list(found.files) == ["a.ts"]
    assert found.skipped == {"closed": "unreadable: Permission denied"}


def test_files_that_are_being_written_are_none(root):
    put(root, "a.ts", f"src/{listing.TEMPORARY}0123.tmp")
    assert listed(root) == ["a.ts"]


def test_an_empty_project_has_no_files(root):
    assert listed(root) == []


def test_files_with_several_names_and_repositories_inside_are_noted(repository):
    put(repository, "a.ts", "b.ts", "inner/c.ts")
    os.link(repository / "a.ts", repository / "d.ts")
    git(repository / "inner", "init", "-q")
    found = list_files(repository)
    assert found.linked == {"a.ts", "d.ts"}
    before = found.repositories
    assert before.keys() == {"inner"}
    (repository / "inner/.git/info/exclude").write_text("c.ts\n")
    assert list_files(repository).repositories != before
