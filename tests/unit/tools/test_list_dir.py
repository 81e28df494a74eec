import os

import pytest

FILES = {
    "src/a.ts": "",
    "zeta/b.ts": "",
    "README.md": "",
    "run.sh": "#!/bin/sh\n",
    ".env": "",
    "node_modules/n.js": "",
}


@pytest.fixture
def project(make_project, open_assistant):
    """A project of FILES with links and a pipe; gives its root and `list_dir`."""
    root = make_project(FILES)
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("README.md")
    (root / "folder").symlink_to("src")
    (root / "away").symlink_to(root.parent)
    os.mkfifo(root / "pipe")
    assistant = open_assistant(root, [])
    return root, lambda **arguments: assistant.call("list_dir", arguments)


def test_the_answer_has_the_documented_form(project):
    _, list_dir = project
    assert list_dir().text() == (
        "Contents of '.':\n"
        "\n"
        "  folder@                 [DIR]\n"
        "  node_modules/           [DIR]\n"
        "  src/                    [DIR]\n"
        "  zeta/                   [DIR]\n"
        "  README.md               [FILE]\n"
        "  away@                   [FILE]\n"
        "  link@                   [FILE]\n"
        "  pipe?                   [FILE]\n"
        "  run.sh*                 [FILE]\n"
        "\n"
        "Total: 9 entries (4 directories, 5 files)\n"
        "1 hidden; show_hidden shows them."
    )


def test_hidden_names_are_shown_when_asked(project):
    _, list_dir = project
    text = list_dir(show_hidden=True).text()
    assert "  .env                    [FILE]" in text
    assert "hidden" not in text


def test_the_first_ones_are_kept_when_there_are_too_many(project):
    _, list_dir = project
    text = list_dir(max_entries=2).text()
    assert "node_modules/" in text
    assert "src/" not in text
    assert "Total: 9 entries" in text
    assert "first 2" in text


def test_a_folder_is_listed_through_a_link_of_the_project(project):
    root, list_dir = project
    assert "a.ts" in list_dir(directory="folder").text()
    assert "Contents of 'src':" in list_dir(directory=f"{root}/src/").text()


def test_an_empty_folder_is_no_error(project):
    root, list_dir = project
    (root / "empty").mkdir()
    text = list_dir(directory="empty").text()
    assert "(empty)" in text
    assert "Total: 0 entries (0 directories, 0 files)" in text


def test_odd_names_stay_on_their_line(project):
    root, list_dir = project
    (root / "src/a\nb").write_text("")
    (root / "src/ünï").write_text("")
    with open(os.fsencode(root) + b"/src/\xff.ts", "w"):  # noqa: PTH123
        pass
    lines = list_dir(directory="src").text().split("\n")
    assert [line.split()[0] for line in lines[2:6]] == ["\\xff.ts", "a.ts", "a\\nb", "ünï"]


@pytest.mark.parametrize(
    ("arguments", "type_", "named"),
    [
        ({"directory": "README.md"}, "file", "get_lines"),
        ({"directory": "srx"}, "file", "src"),
        ({"max_entries": 0}, "validation", "limit"),
        ({"pattern": "src"}, "validation", "path"),
    ],
)
def test_wrong_arguments_are_named(project, arguments, type_, named):
    _, list_dir = project
    error = list_dir(**arguments).error
    assert error.type == type_
    assert named in f"{error.message} {error.suggestion}"


@pytest.mark.parametrize("directory", ["..", "away", "/etc", "src/../.."])
def test_outside_the_project_is_not_listed(project, directory):
    _, list_dir = project
    error = list_dir(directory=directory).error
    assert not error.recoverable


def test_what_git_keeps_is_named_but_not_listed(run):
    call = run({".git/config": "", "a.ts": ""})
    assert ".git/" in call("list_dir", {"show_hidden": True}).text()
    assert call("list_dir", {"directory": ".git"}).error.type == "validation"


@pytest.mark.usefixtures("permissions_count")
def test_a_folder_that_cannot_be_read_is_an_error(project):
    root, list_dir = project
    (root / "zeta").chmod(0)
    error = list_dir(directory="zeta").error
    (root / "zeta").chmod(0o755)
    assert error.type == "file"
    assert "zeta" in error.message
