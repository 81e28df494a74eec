"""Uses and renames of symbols, as the cases in the folders beside have them."""

from pathlib import Path

import pytest
from annotated import cases
from renames import by_name

HERE = Path(__file__).parent


@pytest.mark.parametrize("case", cases(HERE / "uses"), ids=lambda case: case.title)
def test_uses_are_where_the_carets_are(make_index, case):
    files, expected = case.uses()
    index, _ = make_index(files)
    assert expected
    for asked, places in expected.items():
        symbol, _, declared_in = asked.partition(" in ")
        found = index.uses(symbol, limit=None, declared_in=declared_in)
        assert {
            f"{one.path}:{one.line}:{one.column}"
            + ("!" if one.is_definition else "" if one.resolved else "?")
            for one in (*found.first, *found.unresolved)
        } == places, asked


@pytest.mark.parametrize("case", cases(HERE / "renames"), ids=lambda case: case.title)
def test_a_rename_changes_the_lines_that_have_another_below(rename, case):
    files, expected = case.renamings()
    assert expected
    for (symbol, path, to), lines, named in expected:
        renaming, changed = rename(files, path, symbol, to)
        assert changed == lines, symbol
        assert sorted(by_name(renaming)) == sorted(named), symbol
        assert renaming.clashes == ()
