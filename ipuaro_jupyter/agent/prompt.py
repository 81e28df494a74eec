"""The system prompt: the rules, how to call tools, and an overview of the project."""

from collections.abc import Iterable
from importlib.resources import files

from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.tools.tool import Project

_OVERVIEW_CHARS = 6000


def system_prompt(project: Project, schemas: Iterable[ToolSchema], *, native_tools: bool) -> str:
    """Return the system prompt.

    Args:
        project: What the overview is made of.
        schemas: The tools that the model may call.
        native_tools: Whether the model is given the schemas beside the prompt; else the prompt
            describes the tools and their call form.
    """
    tool_format = ""
    if not native_tools:
        described = "\n\n".join(describe(schema) for schema in schemas)
        tool_format = _read("tool_format.md").replace("{tools}", described)
    return (
        _read("system.md")
        .replace("{project}", project.workspace.root.name)
        .replace("{tool_format}", tool_format)
        .replace("{overview}", _overview(project))
    )


def describe(schema: ToolSchema) -> str:
    """Return a tool with its parameters as a small model reads it best."""
    required = schema.parameters.get("required", [])
    lines = [f"### {schema.name}", schema.description]
    for name, entry in schema.parameters["properties"].items():
        kind = entry.get("type", "text")
        optional = "" if name in required else ", optional"
        lines.append(f"- {name} ({kind}{optional}): {entry.get('description', '')}")
    return "\n".join(lines)


def _overview(project: Project) -> str:
    """Return the indexed files by folder, as many as fit."""
    folders: dict[str, list[str]] = {}
    paths = project.index.paths()
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    lines = [f"{len(paths)} indexed files:"]
    room = _OVERVIEW_CHARS
    for place, (folder, names) in enumerate(sorted(folders.items())):
        line = f"{folder or '.'}/: {', '.join(names)}"
        lines.append(line if len(line) <= room else f"{line[:room]}… (see get_structure)")
        room -= len(line)
        if room <= 0:
            left = len(folders) - place - 1
            lines += [f"… and {left} more folders (see get_structure)"] if left else []
            break
    return "\n".join(lines)


def _read(name: str) -> str:
    return files("ipuaro_jupyter.agent").joinpath("prompts", name).read_text(encoding="utf-8")
