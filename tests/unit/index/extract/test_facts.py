"""The facts of files, as the cases in the folder beside have them."""

from pathlib import Path

import pytest
from annotated import cases
from written_facts import found, shown


@pytest.mark.parametrize(
    "case", cases(Path(__file__).with_name("facts")), ids=lambda case: case.title
)
def test_facts_are_those_beside_the_lines(case):
    files = list(shown(case.text))
    assert files
    for path, kinds, code, facts in files:
        assert found(path, code, kinds, by_line=isinstance(facts, dict)) == facts
