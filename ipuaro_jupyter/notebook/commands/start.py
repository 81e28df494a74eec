"""``%ipuaro start``."""

import argparse
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject, resumed

if TYPE_CHECKING:
    from ipuaro_jupyter.status import Status


@command(
    argument(
        "path",
        nargs="?",
        default=".",
        completes="folder",
        help="The project's folder. Default: this one.",
    ),
    argument("others", nargs="*", help=argparse.SUPPRESS),
    argument(
        "--model",
        completes="model",
        help='The name of a model in Ollama, "openai:NAME", "gguf:PATH" or "recorded:FILE".',
    ),
    argument("--redis", metavar="URL", help="Your own Redis server instead of the private one."),
    argument(
        "--auto-apply", action="store_true", help="Apply edits, creates and deletes without asking."
    ),
    argument(
        "--approve",
        choices=["never", "ask", "checked", "edits", "all"],
        help="What is applied without asking, even with nobody to ask; denied commands never are.",
    ),
    argument(
        "--session",
        completes="session",
        metavar="ID",
        help="The session to resume, by its id or a part of it. Default: this notebook's own.",
    ),
    argument("--new", action="store_true", help="Begin a new session."),
)
def start(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "Status":
    """Open a project: bring its index up to date and resume the notebook's session."""
    settings: dict[str, Any] = {}
    if arguments.redis:
        settings["redis"] = {"url": arguments.redis}
    if arguments.approve:
        if arguments.auto_apply and arguments.approve != "edits":
            raise SettingsError("--auto-apply is --approve edits; give one of the two.")
        settings["approve"] = arguments.approve
    project.open(
        [arguments.path, *arguments.others],
        model=arguments.model,
        auto_apply=arguments.auto_apply,
        settings=settings,
        session=arguments.session,
        new=arguments.new,
        progress=thread.post,
        cancel=thread.cancel,
        confirm=thread.ask,
    )
    status = project.assistant.status()
    if status.model_problem is None:
        project.read_ahead()
    if not status.session.messages:
        return status
    told = status.session.resumed() if arguments.session else resumed(status.session)
    return status.model_copy(update={"notices": (told, *status.notices)})
