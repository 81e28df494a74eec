"""The tools that a model is shown: one for each job, or all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.tools import Tools, own_names
from ipuaro_jupyter.tools.tool import Tool

Profile = Literal["core", "full", "auto"]

CORE = frozenset(
    {
        *("find_definition", "find_references", "grep", "glob", "get_structure"),
        *("get_lines", "get_function", "get_dependents"),
        *("edit_lines", "create_file", "run_command", "run_tests"),
    }
)
"""One tool for each job. Small models call better with few tools (arXiv 2411.15399).

None is named ``bash`` or ``python``, which gpt-oss takes for tools of its own.
"""
_LARGE_WINDOW, _LARGE_MODEL = 16_384, 15 * 10**9


@dataclass(frozen=True)
class ToolOffer:
    """The tools that a model may call, and those of them that it is shown.

    Attributes:
        tools: Those that it may call.
        is_core: Whether it is shown the core tools of ours, in their brief form, rather than all.
    """

    tools: Tools
    is_core: bool

    @property
    def shown(self) -> list[Tool]:
        """The tools that it is shown, added ones with them."""
        return [
            tool for tool in self.tools if not self.is_core or _is_added(tool) or tool.name in CORE
        ]

    @property
    def own(self) -> tuple[ToolSchema, ...]:
        """Our tools that it is shown."""
        ours = [tool for tool in self.tools if not _is_added(tool)]
        if not self.is_core:
            return tuple(tool.schema for tool in ours)
        return tuple(tool.brief for tool in ours if tool.name in CORE)

    @property
    def added(self) -> tuple[ToolSchema, ...]:
        """The tools of the user and of MCP servers, which are shown as far as they fit."""
        return tuple(tool.schema for tool in self.tools if _is_added(tool))

    @property
    def repeatable(self) -> list[str]:
        """The names of tools whose results can be had again by calling them again."""
        return [tool.name for tool in self.tools if not tool.asks_first]


def shown_names(offer: ToolOffer, head: Head | None) -> frozenset[str]:
    """The names of the tools that a model is shown, or was told of since its head was made."""
    left_out = set() if head is None else set(head.added) - set(head.shown)
    names = {schema.name for schema in (*offer.own, *offer.added)}
    return frozenset(names - left_out)


def tool_offer(
    tools: Tools,
    model: Model,
    *,
    enabled: Sequence[str] | None,
    profile: Profile,
    in_notebook: bool = False,
) -> ToolOffer:
    """The tools for a model by the settings; ``enabled`` tools are all shown.

    Those that read the kernel of a notebook are offered only with ``in_notebook``.
    """
    allowed = tools.only(enabled)
    if not in_notebook:
        allowed = Tools(tool for tool in allowed if not tool.in_notebook)
    if enabled is not None:
        return ToolOffer(allowed, is_core=False)
    if profile == "auto":
        size = getattr(model, "parameter_count", None) or 0
        is_large = model.context_tokens > _LARGE_WINDOW and size > _LARGE_MODEL
        return ToolOffer(allowed, is_core=not is_large)
    return ToolOffer(allowed, is_core=profile == "core")


def _is_added(tool: Tool) -> bool:
    return tool.name not in own_names()
