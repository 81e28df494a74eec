"""What a file declares in a few lines."""

import pytest
from annotated import project_files

from ipuaro_jupyter.index.ranking.outline import outline, plain, plain_path

SOURCE = project_files("outline")["pay.ts"]


MEMBERS = "{constructor(name), total, print(copies?), #count, name, later(…)}"


@pytest.fixture
def outlined(make_index):
    def of(source=SOURCE, path="a.ts", *, asked=(), most_chars=5000):
        index, _ = make_index({path: source})
        return outline(index.blobs([path])[path], asked=asked, most_chars=most_chars)

    return of


def test_declarations_come_with_lines_and_parameters(outlined):
    assert outlined() == [
        "1: pay(bill, {…}, ...rest)",
        "2: inner(a, b?, c?, d, e, f, …)",
        f"3: class Bill extends Paper, Printed, Sent {MEMBERS}",
        "11: interface Sent extends Printed {send(at), to}",
        "12: type Way",
        "13: enum Size {A4, A 5}",
        "14: const LIMIT",
        "15: namespace Old.Post",
    ]


def test_what_is_asked_for_stays_longest_then_what_is_exported(outlined):
    assert outlined(most_chars=30) == ["1: pay(bill, {…}, ...rest)"]
    assert outlined(most_chars=36, asked={"inner"}) == ["2: inner(a, b?, c?, d, e, f, …)"]
    assert outlined(most_chars=34, asked={"LIMIT"}) == ["12: type Way", "14: const LIMIT"]
    (line,) = outlined(most_chars=58, asked={"later"})
    assert line == "3: class Bill extends Paper, Printed, Sent {later(…), …}"
    assert outlined(most_chars=5) == []


def test_the_same_twice_on_a_line_fits_too(outlined):
    twice = "type A = 1; type A = 1; type A = 1"
    assert outlined(twice, most_chars=24) == ["1: type A", "1: type A"]


def test_parameters_have_the_form_of_their_language(outlined):
    source = "def f(a, *args, b=1, **kwargs): ...\ndef g(*one, **more): ...\ndef h(**more): ...\n"
    assert outlined(source, "a.py") == [
        "1: f(a, *args, b=…, **kwargs)",
        "2: g(*one, **more)",
        "3: h(…)",
    ]
    source = "function f(a, b = 1, ...rest) {}\n"
    assert outlined(source, "a.js") == ["1: f(a, b=…, ...rest)"]
    assert outlined(source, "a.ts") == ["1: f(a, b?, ...rest)"]


@pytest.mark.parametrize("room", [0, 20, 50, 100, 200, 400])
def test_lines_fit(outlined, room):
    assert sum(len(line) + 2 for line in outlined(most_chars=room)) <= room


def test_python_and_data_files_have_outlines(outlined):
    source = "class A(B):\n    size = 1\n    def go(self, *, fast=False): ...\n\ndef f(x): ...\n"
    assert outlined(source, "a.py") == ["1: class A(B) {go(self, fast=…), size}", "5: f(x)"]
    assert outlined('{"name": "x", "main": "y"}', "b.json") == ["1: key name", "1: key main"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("src/a-b_c.d@2/[id]/(x)+~$.ts", "src/a-b_c.d@2/[id]/(x)+~$.ts"),
        ("größe/読.ts", "größe/読.ts"),
        ("a\nb\t\x7f", "a[U+000A]b[U+0009][U+007F]"),
        ("`</x>`", "[U+0060][U+003C]/x[U+003E][U+0060]"),
        ("a\u00a0\u202e\u2028b", "a[U+00A0][U+202E][U+2028]b"),
        ("x" * 200, "x" * 80 + "…" + "x" * 79),
    ],
)
def test_names_are_shown_plainly(name, shown):
    assert plain(name) == shown


def test_a_path_does_not_look_like_a_heading():
    assert plain_path("### a.ts") == "./### a.ts"
    assert plain_path("a#.ts") == "a#.ts"
