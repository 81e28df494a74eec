"""``%ipuaro pull``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.model_offer import download
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain


@command(argument("name", nargs="?", help="Another model, which is used from then on."))
def pull(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Download the model: into Ollama, or a file gguf:OWNER/REPO/FILE from Hugging Face.

    A stopped download continues the next time.
    """
    assistant = project.assistant
    name = arguments.name or assistant.model.name
    download(assistant, name, thread)
    return Plain(text=f"{name} is there, and answers from now on.")
