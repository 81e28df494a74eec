"""What belongs to git is not written by a path."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.git_data import check_writable


@pytest.mark.parametrize(
    "path",
    [
        *(".git", ".git/config", ".git/hooks/pre-commit", ".GIT/config", ".Git", "sub/.git"),
        *("sub/.git/config", ".g\u200cit/config", ".git./config", "GIT~1/config", ""),
        *(".git /config", ".git::$INDEX_ALLOCATION/config", ".GIT:x", "a/.gI\ufefft. ./b"),
        *(".git/modules/sub/hooks/post-checkout", "sub/.GIT", ".git/worktrees/w/HEAD"),
    ],
)
def test_what_belongs_to_git_is_not_writable(root, path):
    with pytest.raises(ToolError) as caught:
        check_writable(root, path)
    assert caught.value.type == "validation"


@pytest.mark.parametrize("as_link", [True, False])
def test_git_data_kept_elsewhere_in_the_project_is_not_writable(root, as_link):
    (root / "data").mkdir()
    if as_link:
        (root / ".git").symlink_to("data")
    else:
        (root / ".git").write_text("gitdir: data\n")
    with pytest.raises(ToolError):
        check_writable(root, "data/hooks/pre-commit")
    check_writable(root, "database.ts")


@pytest.mark.parametrize("folder", ["", "data", "deep/er/data.git"])
def test_a_folder_that_git_takes_for_a_repository_is_not_writable(root, folder):
    """A bare repository, or data kept apart by `git init --separate-git-dir`."""
    place = root / folder
    for name in ("objects", "refs", "hooks"):
        (place / name).mkdir(parents=True)
    check_writable(root, f"{folder}/hooks/post-checkout".strip("/"))
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("hooks/post-checkout", "config", "new"):
        with pytest.raises(ToolError, match="belongs to git"):
            check_writable(root, f"{folder}/{name}".strip("/"))
    if folder:
        check_writable(root, "src/a.ts")


def test_a_git_file_of_nonsense_is_no_obstacle(root):
    for text in (b"gitdir: \0\n", b"\xff" * 20_000, b"", b"gitdir: .\n"):
        (root / ".git").write_bytes(text)
        check_writable(root, "src/a.ts")
        with pytest.raises(ToolError, match="belongs to git"):
            check_writable(root, ".git")


@pytest.mark.parametrize(
    "path", [".gitignore", ".github/workflows/ci.yml", "src/git.ts", "git", ".gitx", "a:.git"]
)
def test_names_like_git_are_writable(root, path):
    check_writable(root, path)
    assert not (root / path).exists()


@pytest.mark.usefixtures("permissions_count")
def test_a_git_file_that_cannot_be_read_is_no_obstacle(root):
    (root / ".git").write_text("gitdir: src\n")
    with pytest.raises(ToolError, match="belongs to git"):
        check_writable(root, "src/a.ts")
    (root / ".git").chmod(0)
    check_writable(root, "src/a.ts")
