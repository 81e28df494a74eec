"""A program of the project's, for a tool: where it is found, and what it is given."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.running import run_program


def test_a_program_is_found_in_the_project_first_and_its_outputs_are_one(opened):
    opened.write("bin/tool", "#!/bin/sh\necho out $A; echo err $B >&2; exit 3\n")
    (opened.root / "bin/tool").chmod(0o755)
    where = {"first": [str(opened.root / "bin")], "tool": "run_tests", "timeout_s": 20}
    outcome = run_program(
        opened.workspace.execution_context,
        ["tool", "a b"],
        env={"A": "1"},
        quietly={"B": "2"},
        **where,
    )
    assert (outcome.stdout, outcome.exit_code) == ("out 1\nerr 2\n", 3)
    (asked,) = opened.user.asked
    assert (asked.command, "B=2" in asked.reason) == ("tool 'a b'", False)
    with pytest.raises(ToolError, match="'none-such' is neither installed in the project nor on"):
        run_program(opened.workspace.execution_context, ["none-such"], **where)
