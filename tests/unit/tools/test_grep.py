import json
import re

import pytest

FILES = {
    "a.ts": "export const crate = 1\nconst other = 2\n",
    "b.js": "// crate crate\n",
    "src/c.ts": "let CRATE = 'x'\n",
    "src/deep/d.tsx": "crates\n",
    "node_modules/d.ts": "crate\n",
    "gen/e.ts": "crate\n",
    ".gitignore": "gen/\n",
    ".github/ci.yml": "crate: 1\n",
    ".git/HEAD": "crate: refs/heads/main\n",
    "logo.png": b"crate",
}


@pytest.fixture
def grep(shared):
    """Search FILES and return the result."""
    return lambda pattern, **options: shared("grep", {"pattern": pattern, **options})


@pytest.fixture
def grep_in(run):
    """Search other files and return the result."""

    def search(files, pattern, **options):
        return run(files)("grep", {"pattern": pattern, **options})

    return search


def places(result):
    return re.findall(r"📁 (.*)", result.text())


def test_the_answer_has_the_documented_form(grep_in):
    files = {"src/job.py": "def process_data():\n    # Previous line\n    # TODO: it\n    pass\n"}
    assert grep_in(files, "TODO", context_lines=1).text() == (
        "Found 1 matches for pattern: TODO\n"
        "Strategy: python | Candidates: 1 files | \n"
        "============================================================\n"
        "\n"
        "📁 src/job.py:3\n"
        "     2│     # Previous line\n"
        "▶    3│     # ⟨TODO⟩: it\n"
        "     4│     pass"
    )


def test_case_does_not_count_and_ignored_files_are_left_out(grep):
    result = grep("crate")
    assert places(result) == [
        *(".github/ci.yml:1", "a.ts:1", "b.js:1", "src/c.ts:1", "src/deep/d.tsx:1")
    ]
    assert "⟨crate⟩ ⟨crate⟩" in result.text()
    assert "Found 5 matches for pattern: crate" in result.text()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"case_sensitive": True, "pattern": "CRATE"}, ["src/c.ts:1"]),
        ({"pattern": r"const \w+ = 2", "use_regex": True}, ["a.ts:2"]),
        ({"pattern": r"const \w+ = 2"}, []),
        ({"include_files": "*.ts"}, ["a.ts:1", "src/c.ts:1"]),
        ({"include_files": "*.{js,tsx}, a.*"}, ["a.ts:1", "b.js:1", "src/deep/d.tsx:1"]),
        ({"include_files": "src/**/*.tsx"}, ["src/deep/d.tsx:1"]),
        ({"exclude_files": "src/*,.github"}, ["a.ts:1", "b.js:1"]),
        ({"exclude_files": "*.ts", "include_files": "*.ts*"}, ["src/deep/d.tsx:1"]),
        ({"directory": "src"}, ["src/c.ts:1", "src/deep/d.tsx:1"]),
        ({"directory": "src", "include_files": "deep/*"}, ["src/deep/d.tsx:1"]),
        ({"directory": "src", "include_files": "src/deep/*"}, ["src/deep/d.tsx:1"]),
        ({"directory": "src/c.ts"}, ["src/c.ts:1"]),
        ({"directory": "gen"}, ["gen/e.ts:1"]),
        ({"directory": "node_modules"}, ["node_modules/d.ts:1"]),
        ({"include_files": "*.rs"}, []),
    ],
)
def test_parameters_choose_lines_and_files(grep, options, found):
    result = grep(**{"pattern": "crate", "context_lines": 0, **options})
    assert places(result) == found


@pytest.mark.parametrize("search_type", ["smart", "python", "ripgrep", "hybrid"])
def test_every_strategy_answers_the_same(grep, search_type):
    result = grep(r"cr\w+e", use_regex=True, search_type=search_type)
    assert len(places(result)) == 5


def test_no_match_is_no_error(grep):
    result = grep("zebra")
    assert result.success
    assert "No matches found for pattern: zebra" in result.text()


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"pattern": "const .* = 2"}, "use_regex=true"),
        ({"pattern": "one|two"}, "use_regex=true"),
        ({"pattern": "OTHER", "case_sensitive": True}, "case_sensitive=false"),
        ({"pattern": "x", "include_files": "*.rs"}, "no such file"),
    ],
)
def test_where_nothing_is_found_the_likely_reason_is_told(grep, options, hint):
    assert hint in grep(**options).text()


def test_the_best_are_shown_when_there_are_more(grep_in):
    files = {"a.ts": "".join(f"hitting {n}\n" for n in range(60)) + "hit\n"}
    result = grep_in(files, "hit", max_results=10)
    assert "Found 10 matches for pattern: hit" in result.text()
    assert "the best of 61" in result.text()
    assert "a.ts:61" in places(result)
    assert len(places(result)) == 10


@pytest.mark.parametrize("options", [{}, {"search_type": "python"}, {"pattern": r"\bcrate\b"}])
def test_code_that_names_an_identifier_is_searched_before_what_only_mentions_it(grep_in, options):
    """Where there is more than is looked at, the uses in code are among it."""
    files = {f"a{number:02d}.md": "crate\n" * 20 for number in range(60)}
    files["z.ts"] = "export const crate = 1\n"
    given = {"pattern": "crate", "use_regex": "pattern" in options, **options}
    result = grep_in(files, **given, max_results=1000)
    assert "z.ts:1" in places(result)
    assert "there may be more" in result.text()


def test_what_the_index_does_not_know_is_found_all_the_same(grep_in):
    files = {f"a{number:02d}.ts": f"// only{number}\n" for number in range(60)}
    assert places(grep_in(files, "only59")) == ["a59.ts:1"]


def test_very_much_text_is_cut(grep_in):
    files = {"a.txt": f"{'word ' * 59}\n" * 900}
    result = grep_in(files, "word", max_results=900)
    assert len(result.text()) < 500_000
    assert "the best of" in result.text()


@pytest.mark.parametrize(
    ("options", "type_", "named"),
    [
        ({"pattern": "("}, "validation", "regular expression"),
        ({"pattern": ""}, "validation", "pattern"),
        ({"pattern": "a\nb"}, "validation", "line"),
        ({"pattern": "\n"}, "validation", "empty"),
        ({"directory": "srx"}, "file", "src"),
        ({"directory": ".git"}, "validation", "git_status"),
        ({"max_results": 0}, "validation", "limit"),
        ({"context_lines": -1}, "validation", "context_lines"),
        ({"search_type": "fast"}, "validation", "search_type"),
        ({"include_files": "../*.ts"}, "validation", "out of the folder"),
        ({"depth": 2}, "validation", "path"),
    ],
)
def test_wrong_arguments_are_named(grep, options, type_, named):
    error = grep(**{"pattern": "x", "use_regex": True, **options}).error
    assert error.type == type_
    assert error.recoverable
    assert named in f"{error.message} {error.suggestion}"


@pytest.mark.parametrize("directory", ["..", "/etc/passwd", "src/../../"])
def test_outside_the_project_is_not_searched(grep, directory):
    assert not grep("o", directory=directory).error.recoverable


def test_what_was_found_is_what_edits_are_compared_with(run, tmp_path):
    call = run(FILES, auto_apply=True)
    call("grep", {"pattern": "const other"})
    (tmp_path / "project/a.ts").write_text("const other = 3\n")
    edit = {"path": "a.ts", "start": 1, "end": 1, "content": "mine"}
    assert call("edit_lines", edit).error.type == "conflict"


def test_the_drawn_table_says_the_same(grep):
    shape = grep("crate", directory="src").output.shape()
    assert shape.rows == (("src/c.ts:1", "let CRATE = 'x'"), ("src/deep/d.tsx:1", "crates"))
    assert shape.title == "Found 2 matches for pattern: crate"


@pytest.mark.parametrize("search_type", ["python", "ripgrep"])
def test_notebooks_are_searched_by_cell(grep_in, search_type):
    cells = [
        {"cell_type": "markdown", "source": ["# Intro\n", "text"]},
        {"cell_type": "code", "source": ["a = 1\n", 'say("é")\n', "b = 2"], "outputs": ["say("]},
        {"cell_type": "code", "source": "c = 3"},
    ]
    files = {"n.ipynb": json.dumps({"cells": cells}), "broken.ipynb": "say(\n"}
    result = grep_in(files, "say(", search_type=search_type)
    assert places(result) == ["broken.ipynb:1", "n.ipynb cell 2:2"]
    assert result.text().endswith('     1│ a = 1\n▶    2│ ⟨say(⟩"é")\n     3│ b = 2')


@pytest.mark.parametrize("search_type", ["python", "ripgrep"])
def test_what_a_notebook_file_spells_in_another_way_is_found(grep_in, search_type):
    files = {"n.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": 'say("é")'}]})}
    assert places(grep_in(files, 'SAY("É")', search_type=search_type)) == ["n.ipynb cell 1:1"]


def test_other_names_for_it_are_understood(shared):
    assert shared("search_code", {"pattern": "crate"}).tool == "grep"


@pytest.mark.parametrize("pattern", [r"one;\ntwo", r"one;\r?\n", r"one[\s\S]*two", "(?s)one.*two"])
def test_a_pattern_that_would_span_lines_finds_nothing_and_says_why(run, pattern):
    told = run({"a.ts": "one;\ntwo;\n"})("grep", {"pattern": pattern, "use_regex": True}).text()
    assert "Matches are within a line" in told
