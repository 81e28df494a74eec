"""Where imports lead, as the cases in the folder beside have them."""

from pathlib import Path

import pytest
from annotated import cases
from written_imports import shown


@pytest.mark.parametrize(
    "case", cases(Path(__file__).with_name("resolved")), ids=lambda case: case.title
)
def test_imports_lead_to_the_files_beside_them(case):
    found = list(shown(case.text))
    assert found
    for line, leads_to, told in found:
        assert leads_to == told, line
