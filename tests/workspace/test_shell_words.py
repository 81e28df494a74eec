"""Words as a shell makes them."""

import pytest

from ipuaro_jupyter.workspace.shell_words import builtin_variables


@pytest.mark.parametrize(
    ("argv", "variables"),
    [
        (["export", "A=b", "C", "D="], {"A": "b", "D": ""}),
        (["printf", "-v", "X", "100%% %s", "sure"], {"X": "100% sure"}),
        (["printf", "%s", "x"], {}),
    ],
)
def test_what_a_builtin_sets(argv, variables):
    assert dict(builtin_variables(argv, [])) == variables
