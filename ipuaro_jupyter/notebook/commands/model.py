"""``%ipuaro model``."""

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.hosts import remote_host
from ipuaro_jupyter.llm.local import pulled_names
from ipuaro_jupyter.llm.no_model import NONE
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, Table
from ipuaro_jupyter.status import leaving

_LIST_S = 5.0


@command(
    argument(
        "name",
        nargs="?",
        completes="model",
        help='A model in Ollama, "openai:NAME", "gguf:PATH", "recorded:FILE", or "none".',
    )
)
def model(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table | Plain:
    """Show the current model and the available ones, or switch to another."""
    del thread
    assistant = project.assistant
    if arguments.name:
        assistant.use_model(arguments.name)
        if arguments.name == NONE:
            return Plain(text="From now on the index answers alone.")
        told = f"From now on {assistant.model.name} answers"
        return Plain(text=f"{told}{leaving(remote_host(assistant.model))}.")
    current = assistant.model.name
    pulled = pulled_names(assistant.settings.llm.models_folder)
    try:
        names = assistant.model.models(within_s=_LIST_S)
    except ModelError as error:
        here = f" On this machine: {', '.join(pulled)}." if pulled else ""
        told = f"The model is set to {current}, which cannot be asked now. {error}{here}"
        return Plain(text=told)
    names = tuple(dict.fromkeys([*names, *pulled]))
    rows = [(name, "answers" if name == current else "") for name in names]
    if current not in names:
        rows.insert(0, (current, "answers, but is not installed"))
    return Table(title="Models", columns=("Model", "State"), rows=tuple(rows))
