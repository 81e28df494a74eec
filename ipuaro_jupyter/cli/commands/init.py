"""``ipuaro init``: settings for a project, with a schema that editors complete from."""

import json
from typing import TYPE_CHECKING, Any

import click

from ipuaro_jupyter.cli.project_folder import path_argument
from ipuaro_jupyter.cli.terminal import told, write

if TYPE_CHECKING:
    from ipuaro_jupyter.settings.settings import Settings

SCHEMA_FILE = ".ipuaro.schema.json"


@click.command("init", short_help="Write .ipuaro.json and its schema.")
@path_argument
def command(path: str | None) -> None:
    """Write .ipuaro.json for the project at PATH, and a JSON schema beside it.

    Existing settings stay as they are; the schema is rewritten.
    """
    from ipuaro_jupyter.settings.settings import (  # noqa: PLC0415 - heavy, not needed for --help
        PROJECT_FILE,
        Settings,
        load_settings,
    )
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - the same

    with told():
        root = project_folder(path or ".")
        write(root / SCHEMA_FILE, _lines(schema_of(Settings)))
        if (root / PROJECT_FILE).exists():
            notices = load_settings(root, {}).notices
            click.echo(f"{root / PROJECT_FILE} is kept, and valid.")
            for notice in notices:
                click.echo(notice, err=True)
        else:
            write(root / PROJECT_FILE, _lines(_first_settings(Settings())))
            click.echo(f"Wrote {root / PROJECT_FILE}.")
        click.echo(f"Wrote {root / SCHEMA_FILE}: editors complete and check the settings with it.")


def schema_of(settings: "type[Settings]") -> dict[str, Any]:
    """The JSON schema of ``.ipuaro.json``, with keys as they are written there."""
    schema = settings.model_json_schema(by_alias=True)
    schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    schema["title"] = "Settings of ipuaro_jupyter"
    schema["properties"]["$schema"] = {"type": "string"}
    # The same vocabulary under the older name, which editors know best.
    text = json.dumps(schema).replace('"#/$defs/', '"#/definitions/')
    moved: dict[str, Any] = json.loads(text)
    moved["definitions"] = moved.pop("$defs", {})
    return moved


def _first_settings(settings: "Settings") -> dict[str, Any]:
    """The content of a new file: the settings users change first, with their defaults."""
    values = settings.to_dict()
    model = {key: values["llm"][key] for key in ("model", "contextWindow")}
    return {"$schema": f"./{SCHEMA_FILE}", "llm": model, "approve": values["approve"]}


def _lines(value: dict[str, Any]) -> "list[str]":
    return [json.dumps(value, indent=2), "\n"]
