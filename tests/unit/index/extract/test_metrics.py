"""Lines of code, depth and decisions of a file."""

import pytest

from ipuaro_jupyter.index.extract.facts import count_code_lines


def test_lines_of_comments_and_blank_lines_do_not_count(read_facts):
    found = read_facts(
        "// head\n\n/* block\n   still\n*/ export const a = 1\nexport const b = 2 // tail\n"
        "export const c = `\n// inside template\n` /* x */\n/** doc */ export const d = 4\n\n"
    )
    assert found.metrics.loc == 6


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_between_code_are_left_out(newline):
    data = newline.join(["a /* b", "c", "d */ e", "", " \t", "f"]).encode()
    start, end = data.index(b"/*"), data.index(b"*/") + 2
    assert count_code_lines(data, [(start, end)]) == 3


def test_the_first_line_of_a_script_is_no_code(read_facts):
    assert read_facts("#!/usr/bin/env node\nrun()\n", "a.js").metrics.loc == 1


@pytest.mark.parametrize(
    ("body", "decisions", "depth"),
    [
        ("", 0, 0),
        ("if (a) {}", 1, 1),
        ("if (a) {} else if (b) {} else if (c) {} else {}", 3, 1),
        ("if (a) {} else { if (b) {} }", 2, 2),
        ("for (;;) {} for (a in b) {} for (a of b) {} while (a) {} do {} while (a)", 5, 1),
        ("switch (a) { case 1: case 2: break; default: }", 2, 1),
        ("try { if (a) {} } catch { for (;;) {} } finally {}", 3, 2),
        ("a ? b : c ? d : e", 2, 0),
        ("a && b || c ?? d", 3, 0),
        ("a &&= b; c?.d", 0, 0),
        ("if (a) { rows.map((row) => { if (b) {} }) }", 2, 2),
        ("function f() { function g() { if (a) {} } }", 1, 1),
        ("for (a of b) for (c of d) if (c) { if (e && f) {} }", 5, 4),
    ],
)
def test_decisions_and_depth(read_facts, body, decisions, depth):
    found = read_facts(body).metrics
    assert found.cyclomatic_complexity == 1 + decisions
    assert found.nesting_depth == depth


def test_jsx_counts_what_is_in_its_braces(read_facts):
    found = read_facts(
        "const A = () => (\n  <b>\n    {a && <i />}\n    text if\n  </b>\n)", "a.tsx"
    )
    assert (found.metrics.loc, found.metrics.cyclomatic_complexity) == (6, 2)
