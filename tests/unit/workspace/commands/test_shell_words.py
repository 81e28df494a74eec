"""Words as a shell makes them."""

import pytest

from ipuaro_jupyter.workspace.commands.shell_words import (
    _BRACES,
    _sequence,
    builtin_variables,
    split_fields,
)


@pytest.mark.parametrize(
    ("argv", "variables"),
    [
        (["export", "A=b", "C", "D="], {"A": "b", "D": ""}),
        (["printf", "-v", "X", "100%% %s", "sure"], {"X": "100% sure"}),
        (["printf", "-v", "X", "%s,", "a", "b"], {"X": "a,b,"}),
        (["printf", "%s", "x"], {}),
    ],
)
def test_what_a_builtin_sets(argv, variables):
    assert dict(builtin_variables(argv, [])) == variables


def test_a_range_of_a_number_and_a_letter_is_both():
    assert _sequence(_BRACES.search("{1..a}")) == ["1", "a"]


@pytest.mark.parametrize(
    ("texts", "fields"),
    [
        ([(" a \t b\n", True)], ["a", "b"]),
        ([("a", False), (" b", True), ("c d", False)], ["a", "bc d"]),
        ([(" ", False)], [" "]),
        ([(" \n", True)], []),
        ([("", False)], [""]),
        ([(" a", True), ("b ", True), ("c", False)], ["ab", "c"]),
    ],
)
def test_blanks_part_fields_only_outside_of_quotes(texts, fields):
    assert split_fields(texts) == fields
