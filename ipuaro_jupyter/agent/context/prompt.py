"""The system prompt: the rules, how to call tools, the project's guides, and its map."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.context.guides import project_guides, worked_on
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import count_tokens, schemas_tokens
from ipuaro_jupyter.agent.context.tool_texts import described, example_call, fitted_schemas
from ipuaro_jupyter.records.chat import Message, ToolSchema
from ipuaro_jupyter.tools.tool import Project

_TOOLS_SHARE = 0.7
_GUIDES_SHARE = 0.6
_LEAST_MAP_TOKENS = 60
_FIND = ("find_definition", "find_references", "grep", "get_structure")
_READ = ("get_function", "get_class", "get_lines", "read_file")


class Prompt(NamedTuple):
    """The system prompt, and the tools to pass beside it; none when it describes them."""

    text: str
    tools: tuple[ToolSchema, ...]


class PromptRoom(NamedTuple):
    """The maximum tokens of the prompt with the tools, and of its guides and its map."""

    tokens: float
    guide_tokens: float
    map_tokens: float


def system_prompt(
    project: Project,
    schemas: Sequence[ToolSchema],
    *,
    native_tools: bool,
    room: PromptRoom,
    overview: Callable[[float], str],
    messages: Sequence[Message] = (),
    hidden: Callable[[str], str] = str,
) -> Prompt:
    """Build the system prompt.

    In a small window the descriptions of the tools become shorter, and map and guides get what is
    left. Schemas that are still too large are not passed: the prompt then describes the tools in a
    fraction of the space.

    Args:
        project: The project.
        schemas: The tools that the model may call.
        native_tools: Whether the model takes schemas beside the prompt; otherwise the prompt
            describes the tools and the form of calls.
        room: The maximum sizes.
        overview: Returns the map of the project in at most so many tokens.
        messages: The conversation: the guides nearest to its files count too.
        hidden: Removes secrets from the content of files.
    """
    rules = _rules(project.workspace.root.name, schemas)

    left = room.tokens - count_tokens(rules)
    limit = left - (1 - _TOOLS_SHARE) * room.tokens
    given = fitted_schemas(schemas, limit, size=schemas_tokens) if native_tools else ()
    if schemas_tokens(given) > left:
        given = ()
    parts = [rules]
    if schemas and not given:
        shown = fitted_schemas(schemas, limit, size=lambda some: count_tokens(_call_form(some)))
        parts.append(_call_form(shown))
        left -= count_tokens(parts[-1])
    left -= schemas_tokens(given)
    guides = project_guides(
        project.workspace,
        min(room.guide_tokens, _GUIDES_SHARE * left),
        near=worked_on(messages),
        hidden=hidden,
    )
    if guides:
        parts.append(prompt_file("guides.md", guides=guides))
        left -= count_tokens(parts[-1])
    budget = min(room.map_tokens, left - count_tokens(prompt_file("map.md", map="")))
    if budget >= _LEAST_MAP_TOKENS:
        parts.append(prompt_file("map.md", map=hidden(overview(budget))))
    return Prompt("\n".join(parts), given)


def _rules(name: str, schemas: Sequence[ToolSchema]) -> str:
    there = [schema.name for schema in schemas]
    return prompt_file(
        "system.md",
        project=name,
        find=_with("find the place", [tool for tool in _FIND if tool in there]),
        read=_with("read it", [tool for tool in _READ if tool in there]),
    )


def _with(what: str, tools: Sequence[str]) -> str:
    return f"{what} with {', '.join(tools[:-1])} or {tools[-1]}" if tools[1:] else what


def _call_form(schemas: Sequence[ToolSchema]) -> str:
    return prompt_file("tool_format.md", example=example_call(schemas), tools=described(schemas))
