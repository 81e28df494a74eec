"""The system prompt: the rules, how to call tools, the project's guides, and its map."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.context.guides import Guide, joined, project_guides
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import count_tokens, schemas_tokens
from ipuaro_jupyter.agent.context.tool_texts import described, example_call, fitted_schemas
from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.tools.tool import Project

_TOOLS_SHARE = 0.7
_GUIDES_SHARE, _LEAST_GUIDES_SHARE = 0.6, 0.25
_MAP_BESIDE_GUIDES, _LEAST_MAP_TOKENS = 250, 60
_FIND = ("find_definition", "find_references", "grep", "get_structure")
_READ = ("get_function", "get_class", "get_lines", "read_file")


class Prompt(NamedTuple):
    """The system prompt, and the tools to pass beside it; none when it describes them."""

    text: str
    tools: tuple[ToolSchema, ...]


class PromptRoom(NamedTuple):
    """The maximum tokens of the prompt with the tools, and of its guides and its map.

    ``is_short``: the tools are few and brief, so that they may take nearly all of it.
    """

    tokens: float
    guide_tokens: float
    map_tokens: float
    is_short: bool = False


def system_prompt(
    project: Project,
    schemas: Sequence[ToolSchema],
    *,
    native_tools: bool,
    room: PromptRoom,
    overview: Callable[[float], str],
    hidden: Callable[[str], str] = str,
) -> Prompt:
    """Build the system prompt.

    In a small window the descriptions of the tools become shorter, and map and guides get what is
    left. Schemas that are still too large are not passed: the prompt then describes the tools in a
    fraction of the space.

    Args:
        project: The project.
        schemas: The tools that the model is shown.
        native_tools: Whether the model takes schemas beside the prompt; otherwise the prompt
            describes the tools and the form of calls.
        room: The maximum sizes.
        overview: Returns the map of the project in at most so many tokens.
        hidden: Removes secrets from the content of files.
    """
    rules = prompt_rules(project.workspace.root.name, schemas)
    left = room.tokens - count_tokens(rules)

    def guides_within(tokens: float) -> tuple[Guide, ...]:
        most = min(room.guide_tokens, tokens)
        return project_guides(project.workspace, most, hidden=hidden)

    wanted = count_tokens(joined(guides_within(_LEAST_GUIDES_SHARE * room.tokens)))
    rest = wanted + _LEAST_MAP_TOKENS + count_tokens(prompt_file("map.md", map=""))
    limit = left - (rest if room.is_short else max(rest, (1 - _TOOLS_SHARE) * room.tokens))
    given = fitted_schemas(schemas, limit, size=schemas_tokens) if native_tools else ()
    if schemas_tokens(given) > left:
        given = ()
    parts = [rules]
    if schemas and not given:
        shown = fitted_schemas(schemas, limit, size=lambda some: count_tokens(_call_form(some)))
        parts.append(_call_form(shown))
        left -= count_tokens(parts[-1])
    left -= schemas_tokens(given)
    guides = guides_within(max(_GUIDES_SHARE * left, left - _MAP_BESIDE_GUIDES))
    if guides:
        parts.append(prompt_file("guides.md", guides=joined(guides)))
        left -= count_tokens(parts[-1])
    budget = min(room.map_tokens, left - count_tokens(prompt_file("map.md", map="")))
    if budget >= _LEAST_MAP_TOKENS:
        parts.append(prompt_file("map.md", map=hidden(overview(budget))))
    return Prompt("\n".join(parts), given)


def prompt_rules(name: str, schemas: Sequence[ToolSchema]) -> str:
    """The rules in the prompt of a project of this name; they name some of the tools."""
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
