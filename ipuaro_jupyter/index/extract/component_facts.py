"""The facts of a component: those of its script blocks, and the component as their default."""

from typing import Any

from ipuaro_jupyter.index.extract import facts as declared_facts
from ipuaro_jupyter.languages.components.component_code import ComponentCode
from ipuaro_jupyter.languages.components.spelling import component_name
from ipuaro_jupyter.languages.syntax import read_syntax


def read_component(
    facts: dict[str, Any], code: ComponentCode
) -> tuple[bytes, dict[str, list[int]], str]:
    """Add the facts of a component to ``facts``; return its postings and definitions.

    The last of what is returned says what is not read of the template; "" when all is.

    Raises:
        SyntaxTooDeep: A query would take too long.
        ParsingTooSlow: The parser takes too long.
    """
    syntax = read_syntax(code.language, code.script)
    read, definitions = declared_facts.facts_of(syntax, code.script)
    todos = facts["todos"]
    facts.update(read)
    facts["todos"] = todos
    own = component_name(facts["path"])
    if own in definitions:
        own = ""
    if own:
        _declare(facts, own)
        definitions[own] = [0]
    if not any(export["name"] == "default" for export in facts["exports"]):
        facts["exports"].append(
            {"name": "default", "line": 1, "local": own or None, "source": None}
        )
    if syntax.error_line is not None:
        facts["parse_error"] = f"Syntax error at line {syntax.error_line}."
    elif code.problem:
        facts["parse_error"] = code.problem
    whole = read_syntax(code.language, code.whole)
    blob = declared_facts.postings_of(
        facts, whole, code.whole, definitions, unsure=code.is_template, whole=own
    )
    return blob, definitions, code.problem


def _declare(facts: dict[str, Any], name: str) -> None:
    """Add the component itself, as the default export."""
    facts["variables"].insert(
        0,
        {
            "name": name,
            "qualified": name,
            "line_start": 1,
            "line_end": max(1, facts["lines"]),
            "kind": "const",
            "is_exported": True,
        },
    )
    for export in facts["exports"]:
        if export["name"] == "default" and export["local"] is None and export["source"] is None:
            export["local"] = name
