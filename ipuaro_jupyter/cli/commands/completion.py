"""``ipuaro completion``: the script with which a shell completes ``ipuaro``."""

import click
from click.shell_completion import get_completion_class


@click.command("completion", short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes ipuaro.

    \b bash: ipuaro completion bash >> ~/.bashrc
    zsh:  ipuaro completion zsh >> ~/.zshrc
    fish: ipuaro completion fish > ~/.config/fish/completions/ipuaro.fish
    """  # noqa: D301 - click's mark for lines that stay lines
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click has one for each choice
    click.echo(kind(context.find_root().command, {}, "ipuaro", "_IPUARO_COMPLETE").source())
