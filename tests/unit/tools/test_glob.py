import os
import re

import pytest

FILES = {
    "top.ts": "",
    "a.js": "123",
    "src/x.ts": "1",
    "src/deep/test_y.ts": "12",
    "src/z.tsx": "",
    "src/logo.png": b"\x89PNG",
    "node_modules/n.ts": "",
    "dist/d.ts": "",
    ".hid/h.ts": "",
    ".gitignore": "gen/\n",
    "gen/g.ts": "",
}


@pytest.fixture
def glob(shared):
    """Find files in FILES and return their paths."""

    def find(pattern, **options):
        result = shared("glob", {"pattern": pattern, **options})
        assert result.success, result.text()
        return paths(result)

    return find


def paths(result):
    found, folder = [], ""
    for line in result.text().split("\n"):
        if heading := re.fullmatch(r"📁 (.*)/", line):
            folder = "" if heading[1] == "." else f"{heading[1]}/"
        elif line.startswith("  - "):
            found.append(folder + line.removeprefix("  - "))
    return found


def test_the_answer_has_the_documented_form(shared):
    assert shared("glob", {"pattern": "**/*.{js,ts}"}).text() == (
        "Found 4 files matching pattern: **/*.{js,ts}\n"
        "============================================================\n"
        "\n"
        "📁 ./\n"
        "  - a.js\n"
        "  - top.ts\n"
        "\n"
        "📁 src/\n"
        "  - x.ts\n"
        "\n"
        "📁 src/deep/\n"
        "  - test_y.ts"
    )


@pytest.mark.parametrize(
    ("pattern", "options", "found"),
    [
        ("*.ts", {}, ["top.ts"]),
        ("**/*.ts", {}, ["top.ts", "src/x.ts", "src/deep/test_y.ts"]),
        ("src/**/test_*.ts", {}, ["src/deep/test_y.ts"]),
        ("**/*.{js,tsx}", {}, ["a.js", "src/z.tsx"]),
        ("**/*.png", {}, ["src/logo.png"]),
        ("*.ts", {"directory": "src"}, ["src/x.ts"]),
        ("*.ts", {"directory": "dist"}, ["dist/d.ts"]),
        ("**/*.ts", {"recursive": False}, ["top.ts"]),
        ("src/*.ts", {"recursive": False}, ["src/x.ts"]),
        ("**/*.ts", {"exclude_dirs": ["deep"]}, ["top.ts", "src/x.ts"]),
        ("**/*.ts", {"exclude_dirs": ["src/deep/", "none"]}, ["top.ts", "src/x.ts"]),
        ("**/*.ts", {"directory": "src", "exclude_dirs": ["src/deep"]}, ["src/x.ts"]),
        ("/workspace/repo/src/*.ts", {}, ["src/x.ts"]),
        ("**/h.ts", {"include_hidden": True}, [".hid/h.ts"]),
        (".hid/*", {}, [".hid/h.ts"]),
        (".git*", {}, [".gitignore"]),
        ("**/h.ts", {}, []),
        ("**/g.ts", {}, []),
        ("**/n.ts", {"include_hidden": True}, []),
        ("src", {}, []),
        (
            "src/",
            {"sort_by": "depth"},
            [*("src/logo.png", "src/x.ts", "src/z.tsx"), "src/deep/test_y.ts"],
        ),
        ("**/*.{js,ts}", {"sort_by": "size"}, ["a.js", "src/deep/test_y.ts", "src/x.ts", "top.ts"]),
    ],
)
def test_a_pattern_finds_files(glob, pattern, options, found):
    assert glob(pattern, **options) == found


def test_nothing_found_tells_what_hidden_files_there_are(shared):
    text = shared("glob", {"pattern": "**/h.ts"}).text()
    assert text.endswith("\n1 files match **/h.ts with include_hidden=true, such as .hid/h.ts")


def test_the_newest_come_first_when_asked(make_project, open_assistant):
    root = make_project({"a.ts": "", "src/b.ts": "", "c.ts": ""})
    for age, name in enumerate(("c.ts", "src/b.ts", "a.ts")):
        os.utime(root / name, (1_000_000 - age, 1_000_000 - age))
    call = open_assistant(root, []).call
    found = paths(call("glob", {"pattern": "**/*.ts", "sort_by": "modified"}))
    assert found == ["c.ts", "src/b.ts", "a.ts"]


def test_an_absolute_pattern_in_the_project_is_one_for_the_project(run, tmp_path):
    call = run(FILES)
    pattern = f"{tmp_path}/project/src/*.ts"
    assert paths(call("glob", {"pattern": pattern, "directory": "dist"})) == ["src/x.ts"]
    assert call("glob", {"pattern": "/etc/*"}).error.type == "validation"


def test_links_to_files_of_the_project_are_found_and_no_others(make_project, open_assistant):
    root = make_project({"a.ts": "", "src/b.ts": ""})
    (root.parent / "secret.ts").write_text("x")
    (root / "good.ts").symlink_to("a.ts")
    (root / "bad.ts").symlink_to(root.parent / "secret.ts")
    (root / "broken.ts").symlink_to("none.ts")
    (root / "folder").symlink_to("src")
    (root / "circle").symlink_to(".")
    call = open_assistant(root, []).call
    assert paths(call("glob", {"pattern": "**/*.ts"})) == ["a.ts", "good.ts", "src/b.ts"]


def test_limited_results_say_so(shared):
    text = shared("glob", {"pattern": "**/*.ts", "max_results": 2}).text()
    assert "Found 2 files" in text
    assert "(Results limited to 2 of 3 files)" in text


def test_nothing_found_is_no_error_and_says_what_there_is_below(shared):
    text = shared("glob", {"pattern": "test_*.ts"}).text()
    assert "No files found matching pattern: test_*.ts" in text
    assert "1 files match **/test_*.ts, such as src/deep/test_y.ts" in text


@pytest.mark.parametrize(
    ("arguments", "type_", "named"),
    [
        ({"pattern": "*", "directory": "srx"}, "file", "src"),
        ({"pattern": "*", "directory": "a.js"}, "file", "file"),
        ({"pattern": "../*"}, "validation", "path"),
        ({"pattern": ""}, "validation", "empty"),
        ({"pattern": "*", "max_results": 0}, "validation", "limit"),
        ({"pattern": "*", "sort_by": "name"}, "validation", "alphabetical"),
        ({}, "validation", "pattern"),
    ],
)
def test_wrong_arguments_are_named(shared, arguments, type_, named):
    error = shared("glob", arguments).error
    assert error.type == type_
    assert named in f"{error.message} {error.suggestion}"


def test_what_git_keeps_is_not_looked_into(run):
    call = run({".git/config": "", "a.ts": ""})
    assert call("glob", {"pattern": "*", "directory": ".git"}).error.type == "validation"
    assert paths(call("glob", {"pattern": "**", "include_hidden": True})) == ["a.ts"]


def test_outside_the_project_is_not_looked_into(shared):
    error = shared("glob", {"pattern": "*", "directory": "../"}).error
    assert not error.recoverable
