"""``.gitignore`` means what git says it means."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.walk import walked_files

FILES = (
    *("a", "b.ts", "ab", "src/a", "src/b.ts", "src/ab/a", "src/ab/b.ts", "src/sub/deep/a"),
    *("src/sub/deep/b.ts", "src/sub/b c", "ab x/a", "lib/a/a", "lib/a/b/c", "lib/[x]", "lib/x-y"),
    *("lib/-", "lib/]", "c d ", "lib/^", "lib/!a", "#a", "!b", "lib/\\q", "lib/A"),
)
ATOMS = (
    *(
        "a",
        "b",
        "*",
        "**",
        "***",
        "?",
        "/",
        "src",
        "ab",
        "lib",
        "sub",
        "deep",
        ".ts",
        "x",
        "-",
        "#",
    ),
    *(
        "!",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[x",
        "]",
        "[]]",
        "[]-]",
        "[a-]",
        "[z-a]",
        "[a/b]",
        "[!-]",
    ),
    *("[[:alpha:]]", "[[:upper:]]", "[[:none:]]", "[\\]]", "\\", " ", "\\ ", "\\#", "\\!"),
)
patterns = st.builds(
    lambda negated, start, atoms, end: f"{negated}{start}{''.join(atoms)}{end}",
    st.sampled_from(("", "", "!")),
    st.sampled_from(("", "", "/")),
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5),
    st.sampled_from(("", "", "/", " ", "\r")),
)
ignores = st.dictionaries(
    st.sampled_from(("", "src", "lib")), st.lists(patterns, min_size=1, max_size=4), min_size=1
)


@pytest.mark.parametrize(
    ("text", "path", "folder", "verdict"),
    [
        ("*.log\n!keep.log", "debug.log", False, True),
        ("*.log\n!keep.log", "keep.log", False, False),
        ("*.log\n!keep.log", "a.ts", False, None),
        ("!a\na", "a", False, True),
        ("gen/", "gen", True, True),
        ("gen/", "gen", False, None),
        ("gen", "src/gen", False, True),
        ("/gen", "src/gen", False, None),
        ("src/gen", "src/gen", True, True),
        ("src/gen", "lib/src/gen", True, None),
        ("**/gen/x", "a/b/gen/x", False, True),
        ("a/**/z", "a/z", False, True),
        ("a/**/z", "a/b/c/z", False, True),
        ("a/**", "a", True, None),
        ("a/**", "a/b", False, True),
        ("a/*", "a/b/c", False, None),
        ("# a\n\\#b", "#b", False, True),
        ("a  ", "a", False, True),
        ("a\\ ", "a ", False, True),
        ("a\r\nb\r\n", "a", False, True),
        ("", "a", False, None),
        ("!", "a", False, None),
        ("/", "a", True, None),
        ("[ab]c", "bc", False, True),
        ("[!ab]c", "bc", False, None),
        ("[^a]c", "bc", False, True),
        ("[a-c]", "b", False, True),
        ("[z-a]", "z", False, True),
        ("[a-]", "-", False, True),
        ("[]-]", "]", False, True),
        ("[\\]]", "]", False, True),
        ("[[:digit:]]", "7", False, True),
        ("[[:none:]]", "n", False, None),
        ("[ab", "[ab", False, None),
        ("a[a/b]b", "a/b", False, None),
    ],
)
def test_rules(text, path, folder, verdict):
    name = path.rpartition("/")[2]
    assert IgnoreFile(text).verdict(path, name, folder=folder) is verdict


@pytest.mark.parametrize("pattern", ["[ab]c", "[!ab]c", "[z-a]", "[\\]]", "[[:none:]]", "[ab"])
def test_a_set_is_what_git_says_it_is(tmp_path, pattern):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text(pattern)
    names = ["ac", "bc", "cc", "z", "a", "]", "n", "[ab", "[[:none:]]"]
    command = ["git", "check-ignore", "--no-index", "--", *names]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    rules = IgnoreFile(pattern)
    ignored = [name for name in names if rules.verdict(name, name, folder=False)]
    assert ignored == told.stdout.split()


@pytest.fixture(scope="module")
def repository():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        for path in FILES:
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        yield root


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ignores=ignores)
@example(ignores={"": ["*", "!*/", "!*.ts"]})
@example(ignores={"": ["lib/**", "!lib/a"], "lib": ["!a/"]})
@example(ignores={"": ["*.ts"], "src": ["!b.ts"]})
def test_the_walk_finds_what_git_finds(repository, ignores):
    for folder in ("", "src", "lib"):
        place = repository / folder / ".gitignore"
        place.unlink(missing_ok=True)
        if folder in ignores:
            place.write_text("\n".join(ignores[folder]), newline="")
    listed = subprocess.run(
        ["git", "ls-files", "-oz", "--exclude-standard"],
        cwd=repository,
        capture_output=True,
        check=True,
    ).stdout
    wanted = {os.fsdecode(path) for path in listed.split(b"\0") if path}
    assert set(walked_files(str(repository), {})) == wanted


def test_rule_that_ends_in_a_lone_backslash_matches_nothing():
    rules = IgnoreFile("a\\\nb\n")
    assert rules.verdict("b", "b", folder=False)
    for name in ("a", "a\\"):
        assert rules.verdict(name, name, folder=False) is None
