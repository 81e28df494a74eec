"""``%ipuaro pull``."""

from contextlib import closing
from pathlib import Path

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain


@command(argument("name", nargs="?", help="Another model, which is used from then on."))
def pull(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Download the model: into Ollama, or a file gguf:OWNER/REPO/FILE from Hugging Face.

    A stopped download continues the next time.
    """
    from ipuaro_jupyter.llm.open_model import open_model  # noqa: PLC0415 - loads httpx

    assistant = project.assistant
    current = assistant.model.name
    name = arguments.name or current
    if name == current:
        for progress in assistant.model.pull(thread.cancel):
            thread.post(progress)
    else:
        with closing(open_model(name, assistant.settings.llm, Path.cwd())) as other:
            for progress in other.pull(thread.cancel):
                thread.post(progress)
        assistant.use_model(name)
    return Plain(text=f"{name} is there, and answers from now on.")
