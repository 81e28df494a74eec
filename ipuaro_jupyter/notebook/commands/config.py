"""``%ipuaro config``."""

import json

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.settings.shown_settings import without_secrets
from ipuaro_jupyter.text_distance import closest

_NOTE = (
    "What is given to %ipuaro start counts over .ipuaro.json in the project, that over "
    "settings.json in the user's folder, that over the defaults; the system's settings, if there "
    "are any, count over all."
)


@command(
    argument("key", nargs="?", help='Only this key or group, such as "llm" or "llm.model".'),
    argument("--changed", action="store_true", help="Only keys that differ from their defaults."),
)
def config(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table:
    """Show the settings of the open project and where each was set."""
    from ipuaro_jupyter.settings.settings import flat  # noqa: PLC0415 - loads every room

    del thread
    assistant = project.assistant
    settings = assistant.settings.model_dump(mode="json", by_alias=True)
    values = flat(without_secrets(settings))  # they stay in the notebook
    sources = dict(assistant.setting_sources)
    if values["llm.model"] != assistant.model.name:
        values["llm.model"], sources["llm.model"] = assistant.model.name, "%ipuaro start or model"
    wanted = arguments.key
    chosen = [key for key in values if wanted in {None, key} or key.startswith(f"{wanted}.")]
    if not chosen:
        sections = sorted({key.partition(".")[0] for key in values})
        near = closest(wanted, [*values, *sections], limit=3)
        told = f"Did you mean {', '.join(near)}?" if near else f"Sections: {', '.join(sections)}."
        raise SettingsError(f"There is no setting {wanted!r}. {told}")
    rows = [
        (key, json.dumps(values[key], ensure_ascii=False), sources.get(key, "default"))
        for key in chosen
        if key in sources or not arguments.changed
    ]
    return Table(
        title="Settings", columns=("Setting", "Value", "Set by"), rows=tuple(rows), note=_NOTE
    )
