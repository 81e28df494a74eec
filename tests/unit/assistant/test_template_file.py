"""Questions in Markdown files: names, front matter, arguments, and what cannot be used."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.assistant.templates.template_file import (
    LARGEST,
    QuestionTemplate,
    templates_in,
)


def read(folder, files, inside=None):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return {one.name: one for one in templates_in(folder, inside=inside)}


def test_front_matter_says_what_a_question_is_for(tmp_path):
    front = "description: Reviews a file\nargument-hint: [path] [focus]\nmodel: x\n"
    text = f"---\n{front}---\nLook at $1.\n"
    found = read(tmp_path, {"code_Review.md": text})["code-review"]
    assert (found.summary, found.hint) == ("Reviews a file", "[path] [focus]")
    assert found.question("src/a.ts tests") == "Look at src/a.ts."
    assert found.content == text.encode()


@pytest.mark.parametrize("hint", ["[path]", "'[path]'", "PATH", "[path, focus]", "[path] # 1"])
def test_a_hint_may_be_in_brackets(tmp_path, hint):
    text = f"---\nargument-hint: {hint}\n---\nGo."
    expected = {"[path, focus]": "[path] [focus]", "PATH": "PATH"}.get(hint, "[path]")
    assert read(tmp_path, {"go.md": text})["go"].hint == expected


@pytest.mark.parametrize(
    ("written", "summary"),
    [
        ("Reads: a # why", "Reads: a"),
        ("'Reads: ''a'' # b'", "Reads: 'a' # b"),
        ('"Reads: \\"a\\"" # why', 'Reads: "a"'),
        (">-\n  Reads: a\n  # b\nmodel: x", "Reads: a # b"),
        ("|\n  Reads\n    a", "Reads a"),
        ("\n  Reads\n  a", "Reads a"),
    ],
)
def test_a_description_may_be_in_quotes_or_on_lines_of_its_own(tmp_path, written, summary):
    text = f"---\ndescription: {written}\n---\nGo."
    assert read(tmp_path, {"go.md": text})["go"].summary == summary


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_change_nothing(tmp_path, start, end):
    text = start + end.join(["---", "description: 'a: b'", "---", "Go."])
    found = read(tmp_path, {"go.md": text})["go"]
    assert (found.summary, found.question("")) == ("a: b", "Go.")


@pytest.mark.parametrize(
    "front", ["a: [", "- 1", "description: [{}]", "description: {a: b}", "x", "[" * 5000, "&a [*a]"]
)
def test_front_matter_that_says_nothing_leaves_the_text(tmp_path, front):
    found = read(tmp_path, {"go.md": f"---\n{front}\n---\nGo.\n"})["go"]
    assert (found.summary, found.hint, found.question("")) == ("", "", "Go.")


def test_a_text_may_begin_with_a_rule(tmp_path):
    assert read(tmp_path, {"go.md": "---\nNo end.\n"})["go"].question("") == "---\nNo end."


@pytest.mark.parametrize(
    ("body", "arguments", "question"),
    [
        ("Explain $ARGUMENTS now", "a  b", "Explain a  b now"),
        ("$1 and $2 and $3", "a b", "a and b and"),
        ("$1 of $ARGUMENTS", "$2 $ARGUMENTS", "$2 of $2 $ARGUMENTS"),
        ("Explain", "a\nb", "Explain\n\na\nb"),
        ("Explain", "", "Explain"),
        ("It costs $10 or $ARGUMENTSX", "a", "It costs $10 or $ARGUMENTSX\n\na"),
        ("/undo", "", " /undo"),
        ("$ARGUMENTS", "/clear", " /clear"),
    ],
)
def test_arguments_stand_where_the_text_says(body, arguments, question):
    assert QuestionTemplate("x", "x.md", body=body).question(arguments) == question


@given(body=st.text(min_size=1), arguments=st.text())
def test_a_question_never_begins_like_a_command(body, arguments):
    assert not QuestionTemplate("x", "x.md", body=body).question(arguments).startswith("/")


def test_skills_are_folders(tmp_path):
    found = read(
        tmp_path,
        {
            "pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF\n---\nRead.",
            "pdf/more.md": "no question",
            "empty/README.md": "no skill",
            "a b.md": "cannot be typed",
            "note.txt": "no Markdown",
        },
    )
    assert list(found) == ["pdf"]
    assert found["pdf"].summary == "Reads PDF"


def test_what_cannot_be_used_says_why(tmp_path):
    found = read(
        tmp_path / "commands",
        {"long.md": "a" * (LARGEST + 1), "bytes.md": b"\xff\xfe", "empty.md": "---\na: b\n---\n"},
        inside=tmp_path,
    )
    assert {name: one.problem for name, one in found.items()} == {
        "bytes": "commands/bytes.md is not UTF-8 text.",
        "empty": "commands/empty.md has no text.",
        "long": "commands/long.md is larger than 32 KB.",
    }


@pytest.mark.parametrize("link", ["file", "folder"])
def test_no_link_leads_out_of_the_project(tmp_path, link):
    outside, root = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (outside / "key.md").write_text("secret")
    (root / "in").mkdir(parents=True)
    (root / "in/real.md").write_text("Fine.")
    if link == "file":
        folder = root / "commands"
        folder.mkdir()
        (folder / "key.md").symlink_to(outside / "key.md")
        (folder / "real.md").symlink_to(root / "in/real.md")
    else:
        folder = root / "commands"
        folder.symlink_to(outside)
    found = {one.name: one for one in templates_in(folder, inside=root)}
    assert found["key"].problem == "commands/key.md is a link that leads out of the project."
    assert found["key"].body == ""
    assert link == "folder" or found["real"].body == "Fine."


def test_a_folder_that_is_not_there_has_none(tmp_path):
    assert list(templates_in(tmp_path / "none", inside=None)) == []


def test_front_matter_of_a_stranger_takes_no_time_and_means_nothing(tmp_path):
    merges = [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60)]
    front = "\n".join(["a0: &a0 {k: v}", *merges, "description: Fine"])
    began = time.process_time()
    assert read(tmp_path, {"go.md": f"---\n{front}\n---\nGo."})["go"].question("") == "Go."
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "value", ["!!bool x", "!!timestamp x", "!!int ''", "!!python/name:os.system"]
)
def test_tags_mean_nothing(tmp_path, value):
    found = read(tmp_path, {"go.md": f"---\ndescription: {value}\n---\nGo."})
    assert found["go"].question("") == "Go."
