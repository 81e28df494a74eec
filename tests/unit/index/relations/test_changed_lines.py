"""Where lines have changed, as lines of the file that is there now."""

import pytest

from ipuaro_jupyter.index.relations.changed_lines import changed_lines

OLD = "def f(a):\n    b = a\n    c = b\n    return c\n"


def found(before, after, now=None):
    return [(one.line, set(one.words)) for one in changed_lines(before, after, now or after)]


def test_an_added_line_is_there_and_a_removed_one_behind_the_line_before():
    assert found(OLD, OLD.replace("    c", "    d = 1\n    c")) == [(3, {"d"})]
    assert found(OLD, OLD.replace("    c = b\n", "")) == [(2, {"b", "c"})]
    assert found("import os\nx = 1\n", "x = 1\n") == [(0, {"import", "os"})]


def test_of_a_changed_line_the_words_that_have_come_or_gone_are_told():
    assert found(OLD, OLD.replace("c = b", "c = e(b)")) == [(3, {"e"})]


def test_all_lines_of_a_new_file_have_changed():
    assert [line for line, _ in found(None, OLD)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "now",
    ["# why\n\n" + OLD, OLD.replace("\n", "\r\n"), OLD.replace("    b", "    // why\n    b")],
)
def test_comments_blank_lines_and_line_ends_do_not_count(now):
    assert found(OLD, now) == []


def test_lines_are_numbered_as_they_are_now_and_those_that_are_gone_left_out():
    after = OLD.replace("b = a", "b = g(a)").replace("return c", "return h(c)")
    now = "import x\n" + after.replace("return h(c)", "return None")
    assert found(OLD, after, now) == [(3, {"g"})]
    cut = OLD.replace("def f(a):\n", "")
    assert [line for line, _ in found(OLD, cut, f"{cut}more = 1\n")] == [0]


def test_a_private_field_is_no_comment():
    assert found("class A {\n}\n", "class A {\n  #x = 1;\n}\n") == [(2, {"x"})]
