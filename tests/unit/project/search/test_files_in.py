import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.files_in import all_files_in, folder_of, text_files_in


@pytest.fixture
def place(opened):
    for path in (
        "a.ts",
        "src/b.ts",
        "src/deep/c.ts",
        "srcs/d.ts",
        "gen/e.ts",
        "gen/node_modules/f.js",
    ):
        opened.write(path, "x\n")
    opened.write("src/p.png", b"\x89PNG")
    opened.write(".gitignore", "gen/\n*.log\n")
    opened.write("gen/x.log", "x\n")
    return opened.workspace


def names(found):
    return list(found.files)


def test_a_folder_holds_its_own_files_by_path(place):
    found = text_files_in(place, "src")
    assert names(found) == ["src/b.ts", "src/deep/c.ts"]
    assert found.inner("src/deep/c.ts") == "deep/c.ts"
    assert found.files["src/b.ts"].size == 2


@pytest.mark.parametrize("directory", ["", ".", "./", " "])
def test_the_project_is_the_default(place, directory):
    found = text_files_in(place, directory)
    assert names(found) == [".gitignore", "a.ts", "src/b.ts", "src/deep/c.ts", "srcs/d.ts"]
    assert found.inner("a.ts") == "a.ts"


def test_an_ignored_folder_is_looked_into_when_it_is_named(place):
    assert names(text_files_in(place, "gen")) == ["gen/e.ts", "gen/x.log"]
    assert names(text_files_in(place, "gen/node_modules")) == ["gen/node_modules/f.js"]


def test_a_file_may_be_named_for_its_text_only(place):
    assert names(text_files_in(place, "src/b.ts")) == ["src/b.ts"]
    assert text_files_in(place, "src/b.ts").inner("src/b.ts") == "b.ts"
    with pytest.raises(ToolError, match="not a folder"):
        all_files_in(place, "src/b.ts")


def test_all_files_are_binary_ones_and_links_too(opened, place):
    (opened.root / "src/link.ts").symlink_to("../a.ts")
    (opened.root / "src/away.txt").symlink_to(opened.root.parent / "outside/secret.txt")
    (opened.root / "src/folder").symlink_to("deep")
    found = all_files_in(place, "src")
    assert names(found) == ["src/b.ts", "src/deep/c.ts", "src/link.ts", "src/p.png"]


def test_a_folder_of_links_only_is_no_ignored_one(opened, place):
    (opened.root / "links").mkdir()
    (opened.root / "links/a.ts").symlink_to("../a.ts")
    assert names(text_files_in(place, "links")) == []
    assert names(all_files_in(place, "links")) == ["links/a.ts"]


@pytest.mark.parametrize("directory", [".git", ".git/hooks", "sub/.git"])
def test_what_belongs_to_git_is_refused(opened, place, directory):
    opened.write(f"{directory}/config", "x\n")
    with pytest.raises(ToolError, match="belongs to git"):
        text_files_in(place, directory)


@pytest.mark.parametrize("directory", ["..", "/", "src/../../outside"])
def test_outside_the_project_is_refused(place, directory):
    with pytest.raises(ToolError) as raised:
        folder_of(place, directory)
    assert not raised.value.recoverable


def test_a_folder_is_named_by_where_it_is(opened, place):
    (opened.root / "alias").symlink_to("src")
    assert folder_of(place, "alias") == "src"
    assert names(text_files_in(place, "alias/deep")) == ["src/deep/c.ts"]


def test_an_empty_folder_holds_nothing(opened, place):
    (opened.root / "empty").mkdir()
    assert names(text_files_in(place, "empty")) == []


@pytest.mark.usefixtures("permissions_count")
def test_an_ignored_folder_that_cannot_be_read_is_told(opened, place):
    (opened.root / "gen").chmod(0)
    try:
        with pytest.raises(ToolError, match="gen cannot be looked into: unreadable") as raised:
            text_files_in(place, "gen")
    finally:
        (opened.root / "gen").chmod(0o755)
    assert raised.value.type == "file"
