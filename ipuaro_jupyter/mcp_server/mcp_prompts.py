"""Prompts that a client offers its user; their texts are the files in ``prompts``."""

from collections.abc import Mapping
from pathlib import Path

import mcp_types as types

from ipuaro_jupyter.errors import ToolError

_TEXTS = Path(__file__).with_name("prompts")
_WHAT = types.PromptArgument(
    name="what", description="A symbol, a file or a feature, in words.", required=True
)
PROMPTS = (
    types.Prompt(
        name="explain", title="How does it work?", description="Explain code.", arguments=[_WHAT]
    ),
    types.Prompt(
        name="impact", title="What breaks?", description="What a change reaches.", arguments=[_WHAT]
    ),
    types.Prompt(
        name="review", title="Review my changes", description="What is not committed.", arguments=[]
    ),
)


def prompt_text(name: str, arguments: Mapping[str, str] | None) -> str:
    """The text of a prompt with its arguments.

    Raises:
        ToolError: "validation" when there is no such prompt, or an argument is missing.
    """
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        known = ", ".join(one.name for one in PROMPTS)
        raise ToolError("validation", f"There is no prompt {name!r}; prompts: {known}.")
    text = (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()
    for argument in prompt.arguments or ():
        given = (arguments or {}).get(argument.name, "").strip()
        if not given:
            raise ToolError("validation", f"The prompt {name} needs {argument.name!r}.")
        text = text.replace(f"{{{argument.name}}}", given)
    return text
