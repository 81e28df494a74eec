"""The description of the tools for a model: in full where there is room, else shorter."""

from collections.abc import Callable, Sequence

from ipuaro_jupyter.llm.text_calls.call_format import format_call
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema

_EXAMPLE = ToolCall(name="get_lines", arguments={"path": "src/index.ts", "start": 1, "end": 40})


def fitted_schemas(
    schemas: Sequence[ToolSchema], limit: float, *, size: Callable[[Sequence[ToolSchema]], float]
) -> tuple[ToolSchema, ...]:
    """The tools with as much of their descriptions as fits; the names always stay.

    Args:
        schemas: The tools.
        limit: Their maximum size.
        size: Measures them.
    """
    forms = (lambda schema: schema, _first_sentence, _no_parameter_texts, _no_texts)
    shown = tuple(schemas)
    for form in forms:
        shown = tuple(form(schema) for schema in schemas)
        if size(shown) <= limit:
            break
    return shown


def described(schemas: Sequence[ToolSchema]) -> str:
    """The tools in the form that small models read best."""
    return "\n\n".join(describe(schema) for schema in schemas)


def describe(schema: ToolSchema) -> str:
    """A tool with its parameters; without descriptions, in one line."""
    properties = schema.parameters["properties"]
    required = schema.parameters.get("required", [])
    if not any(entry.get("description") for entry in properties.values()):
        names = (name if name in required else f"{name}?" for name in properties)
        told = f"{schema.name}({', '.join(names)})"
        return f"{told}: {schema.description}" if schema.description else told
    lines = [f"### {schema.name}", schema.description]
    for name, entry in properties.items():
        kind = entry.get("type", "text")
        optional = "" if name in required else ", optional"
        lines.append(f"- {name} ({kind}{optional}): {entry.get('description', '')}")
    return "\n".join(lines)


def in_one_line(schema: ToolSchema) -> str:
    """A tool with the names of its parameters and the first sentence of its description."""
    return " ".join(describe(_no_parameter_texts(schema)).split())


def example_call(schemas: Sequence[ToolSchema]) -> str:
    """An example call of one of the tools, as a model writes it; there must be at least one."""
    schema = next((s for s in schemas if s.name == _EXAMPLE.name), None)
    if schema is not None:
        return format_call(_EXAMPLE, schema)
    arguments = dict.fromkeys(schemas[0].parameters.get("required", []), "…")
    return format_call(ToolCall(name=schemas[0].name, arguments=arguments), schemas[0])


def _first_sentence(schema: ToolSchema) -> ToolSchema:
    sentence = schema.description.split(". ")[0].rstrip(".")
    return schema.model_copy(update={"description": f"{sentence}." if sentence else ""})


def _no_parameter_texts(schema: ToolSchema) -> ToolSchema:
    properties = {
        name: {key: value for key, value in entry.items() if key != "description"}
        for name, entry in schema.parameters["properties"].items()
    }
    parameters = {**schema.parameters, "properties": properties}
    return _first_sentence(schema).model_copy(update={"parameters": parameters})


def _no_texts(schema: ToolSchema) -> ToolSchema:
    return _no_parameter_texts(schema).model_copy(update={"description": ""})
