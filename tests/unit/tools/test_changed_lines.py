"""Where lines have changed, as lines of the file that is there now."""

import pytest

from ipuaro_jupyter.tools.late_places import changed_lines

OLD = "def f(a):\n    b = a\n    c = b\n    return c\n"


def found(before, after):
    return [*changed_lines(before, after)]


def test_an_added_line_is_there_and_a_removed_one_behind_the_line_before():
    assert found(OLD, OLD.replace("    c", "    d = 1\n    c")) == [3]
    assert found(OLD, OLD.replace("    c = b\n", "")) == [2]
    assert found("import os\nx = 1\n", "x = 1\n") == [0]


def test_all_lines_of_a_new_file_have_changed():
    assert found("", OLD) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "now",
    ["# why\n\n" + OLD, OLD.replace("\n", "\r\n"), OLD.replace("    b", "    // why\n    b")],
)
def test_comments_blank_lines_and_line_ends_do_not_count(now):
    assert found(OLD, now) == []


def test_a_private_field_is_no_comment():
    assert found("class A {\n}\n", "class A {\n  #x = 1;\n}\n") == [2]
