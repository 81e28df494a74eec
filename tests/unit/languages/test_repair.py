"""Broken files keep what is outside of the broken construct, at a bounded cost."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.facts import facts_of
from ipuaro_jupyter.languages import repair
from ipuaro_jupyter.languages.balance import balanced
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import SyntaxTooDeep, read_syntax

TYPESCRIPT = language_named("typescript")
PROJECTS = Path(__file__).parents[2] / "projects"
FILES = sorted(
    path for path in PROJECTS.rglob("*.*") if path.suffix in {".ts", ".tsx", ".js", ".jsx"}
)


def read(text, path="a.ts"):
    data = text.encode() if isinstance(text, str) else text
    syntax = read_syntax(language_for(path), data)
    return syntax, facts_of(syntax, data)[0]


def names(facts):
    """Return the names of all declarations with their first lines."""
    holders = [*facts["classes"], *facts["interfaces"]]
    records = [
        record
        for kind in ("functions", "types", "enums", "variables", "namespaces")
        for record in facts[kind]
    ]
    records += [*holders, *(method for holder in holders for method in holder["methods"])]
    return {(record["qualified"], record["line_start"]) for record in records}


def test_a_merge_conflict_keeps_the_first_side():
    syntax, facts = read(
        "function a() {}\n"
        "<<<<<<< HEAD\nfunction b(x) {\n  if (x) {\n"
        "||||||| base\nfunction b() {\n  {\n"
        "=======\nfunction b(y, z) {\n  while (y) {\n"
        ">>>>>>> other\n    c()\n  }\n}\nclass D { e() {} }\n"
    )
    assert syntax.error_line == 2
    found = {f["name"]: (f["line_start"], f["line_end"]) for f in facts["functions"]}
    assert found == {"a": (1, 1), "b": (3, 14)}
    assert [p["name"] for f in facts["functions"] for p in f["params"]] == ["x"]
    assert [m["name"] for m in facts["classes"][0]["methods"]] == ["e"]


def test_signs_in_comments_are_no_conflict():
    text = "/*\n=======\n>>>>>>> a\n*/\nfunction a() {}\n"
    assert repair.without_conflicts(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("const x = \n", set()),
        ("foo.\n", set()),
        ("import { a, b\n", set()),
        ("export function half(\n", set()),
        ("if (a\n", set()),
        ("const s = 'abc\n", set()),
        ("const t = `abc\n", set()),
        ("const { a, \n", set()),
        ("function half() {\n  if (a) {\n    b()\n", {("half", 3)}),
        ("function half() {\n  b(() => {\n    c()\n", {("half", 3)}),
        ("function half() {}}\n", {("half", 3)}),
        ("function half(a {\n  b()\n}\n", {("half", 3)}),
        ("class Half {\n  one() {\n    if (a) {\n\n  two() {}\n}\n",
         {("Half", 3), ("Half.one", 4), ("Half.two", 7)}),
        ("class Half {\n  one() {}\n  two(\n  three() {}\n}\n",
         {("Half", 3), ("Half.one", 4), ("Half.three", 6)}),
        ("class Half {\n  one() {}\n  foo.\n  three() {}\n}\n",
         {("Half", 3), ("Half.one", 4), ("Half.three", 6)}),
        ("interface Half {\n  a: string\n  b: \n  c(): void\n}\n", {("Half", 3)}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
def test_what_is_outside_of_something_broken_stays(broken, expected, path):
    before = "import x from 'x'\nfunction first() { return `a` }\n"
    after = "export function last() { return `b` }\nexport class Last { run() {} }\nlet y = 1\n"
    syntax, facts = read(before + broken + after, path)
    line = 3 + broken.count("\n")
    found = names(facts)
    assert syntax.error_line is not None
    assert {("first", 2), ("last", line), ("Last", line + 1), ("Last.run", line + 1)} <= found
    assert ("y", line + 2) in found
    assert expected <= found
    assert [e["name"] for e in facts["exports"]] == ["last", "Last"]


def test_a_block_that_is_closed_late_ends_where_indentation_says():
    _, facts = read("function a() {\n  if (b) {\n    c()\n}\nfunction d() {}\n")
    assert [(f["name"], f["line_start"], f["line_end"]) for f in facts["functions"]] == [
        ("a", 1, 4),
        ("d", 5, 5),
    ]


def test_code_that_is_balanced_stays_as_it_is():
    for file in FILES:
        data = file.read_bytes()
        language = language_for(file.name)
        assert balanced(data, mask(data, language.comments).text) == data


def test_a_file_without_indentation_is_left_alone():
    syntax, facts = read("(function () {\nfunction a() {}\nfunction b() {}\nconst = 1\n})()\n")
    assert syntax.error_line == 4
    assert {name for name, _ in names(facts)} >= {"a", "b"}


def test_languages_without_braces_are_not_repaired():
    data = b"def a(:\n  pass\n"
    language = language_named("python")
    tree = language.parser.parse(data)
    assert repair.repaired(language, data, tree) is tree


def test_a_repair_parses_a_few_times_at_most(monkeypatch):
    calls = []
    real = repair.parse

    def counted(*args, **kwargs):
        calls.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(repair, "parse", counted)
    read("function a(\n" * 50 + "}\n" * 50 + "class {\n" * 50)
    assert 0 < len(calls) <= repair.MOST_PARSES


SIGNS = st.sampled_from([b"(", b"{", b"[", b"`", b"'", b"}", b")", b"]", b"<", b"/*", b"${", b"\n"])


@given(
    file=st.sampled_from(FILES),
    place=st.floats(0, 1),
    length=st.integers(0, 40),
    sign=st.one_of(SIGNS, st.binary(max_size=4)),
)
def test_mangled_files_lose_no_whole_declaration_by_a_repair(file, place, length, sign):
    data = file.read_bytes()
    at = int(place * len(data))
    data = data[:at] + sign + data[at + length :]
    language = language_for(file.name)
    tree = language.parser.parse(data)
    if tree.root_node.has_error:
        before, errors = repair._counts(language, tree)
        after, left = repair._counts(language, repair.repaired(language, data, tree))
        assert after >= before
        assert after - 2 * left >= before - 2 * errors
    try:
        syntax = read_syntax(language, data)
    except SyntaxTooDeep:
        return
    assert (syntax.error_line is None) or syntax.error_line <= data.count(b"\n") + 1


@example(text="'\\\n;")
@given(text=st.text(alphabet="(){}[]`'\"$\\/*\n ab=;<>", max_size=200))
def test_balancing_keeps_length_and_lines(text):
    data = text.encode()
    masked = mask(data, TYPESCRIPT.comments).text
    made = balanced(data, masked)
    assert len(masked) == len(made) == len(data)
    places = [at for at, byte in enumerate(data) if byte == 10]
    inside = [at for at in places if at < len(data.rstrip())]  # braces may stand after the rest
    assert [at for at, byte in enumerate(made) if byte == 10][: len(inside)] == inside
    assert [at for at, byte in enumerate(masked) if byte == 10] == places
