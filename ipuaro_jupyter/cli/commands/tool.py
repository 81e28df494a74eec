"""``ipuaro tool``: run one tool and print its result as JSON."""

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ipuaro_jupyter.cli.project_folder import project_option, tool_names
from ipuaro_jupyter.cli.terminal import ask, can_ask, json_text, nobody, tell_notices, told
from ipuaro_jupyter.settings.removed_settings import removed_command

if TYPE_CHECKING:
    from ipuaro_jupyter.records.change import Decision, Proposal

_EXAMPLE = """Write one with the parameters: '{"path": "src/a.ts"}'."""
_nobody = partial(nobody, edits="--yes", others="--yes")


@click.command("tool", short_help="Run one tool.", add_help_option=False)
@click.argument("name", required=False, metavar="NAME", shell_complete=tool_names)
@click.argument("arguments", default="{}", metavar="[JSON]")
@project_option
@click.option(
    "--yes",
    is_flag=True,
    help="Apply what the tool proposes without a question, except edits with problems.",
)
@click.option(
    "-h",
    "--help",
    "helps",
    is_flag=True,
    help="Show this message, or after NAME what that tool takes, and exit.",
)
@click.pass_context
def command(
    context: click.Context,
    name: str | None,
    arguments: str,
    *,
    project: str,
    yes: bool,
    helps: bool,
) -> None:
    """Run the tool NAME with the arguments of a JSON object; print its result as JSON.

    Without --yes, each proposal is shown with a question on a terminal, and rejected elsewhere; so
    are, with --yes, edits that add problems such as syntax errors.
    """
    if gone := removed_command((name or "").lower(), f"ipuaro tool {name}"):
        click.echo(gone, err=True)
        return
    if helps:
        click.echo(_explained(name) or context.get_help())
        return
    if name is None:
        raise click.MissingParameter(param_hint="NAME", param_type="argument")
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help

    given = _arguments(arguments)
    confirm = _approve if yes else _ask
    with told(), start(project, confirm=confirm, new=True) as assistant:
        tell_notices(assistant)
        result = assistant.call(name, given)
    click.echo(json_text(result.to_dict()))
    sys.exit(0 if result.success else 1)


def _explained(name: str | None) -> str:
    """The signature, description and parameters of a tool; "" when there is none of that name."""
    if name is None:
        return ""
    from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - heavy, not needed without a name

    tool = next((one for one in load_tools() if one.name == name), None)
    return "" if tool is None else f"{tool.signature}\n\n{tool.explained}"


def _arguments(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} is no JSON: {error}. {_EXAMPLE}", param_hint="JSON"
        ) from None
    if not isinstance(given, dict):
        raise click.BadParameter(f"{text!r} is no JSON object. {_EXAMPLE}", param_hint="JSON")
    return given


def _ask(proposal: "Proposal") -> "Decision":
    return ask(proposal) if can_ask() else _nobody(proposal)


def _approve(proposal: "Proposal") -> "Decision":
    from ipuaro_jupyter.records.change import Decision  # noqa: PLC0415 - not needed for --help

    if proposal.kind == "settings":  # --yes is about the tool's own proposals
        return Decision(action="reject", by="nobody")
    if proposal.problems:
        return _ask(proposal)
    return Decision(action="apply")
