"""``ipuaro doctor``: what is installed, what is missing, and what to do."""

import json
import sys
from typing import TYPE_CHECKING

import click

from ipuaro_jupyter.cli.project_folder import path_argument

if TYPE_CHECKING:
    from ipuaro_jupyter.cli.checkup import Check

_MARKS = {"ok": "ok     ", "missing": "missing", "wrong": "WRONG  "}


@click.command("doctor", short_help="Check the installation and suggest remedies.")
@path_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def command(path: str | None, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Check Python, JupyterLab, the store and the model for the project at PATH.

    Exit status 1 when something is wrong, 4 when only the model cannot be used; 0 even when an
    optional program is missing.
    """
    from ipuaro_jupyter.cli.checkup import check_all  # noqa: PLC0415 - not needed for --help

    checks = []
    for check in check_all(path or "."):
        checks.append(check)
        if not as_json:
            click.echo(f"{_MARKS[check.state]}  {check.name}: {check.found}")
            if check.remedy:
                click.echo(f"         {check.remedy}")
    if as_json:
        click.echo(json.dumps([check.to_dict() for check in checks], indent=2))
    sys.exit(_status(checks))


def _status(checks: "list[Check]") -> int:
    """The exit status: problems that stop everything outrank those of the model alone."""
    if any(check.state == "wrong" for check in checks):
        return 1
    return 4 if any(check.state == "missing" and check.name == "model" for check in checks) else 0
