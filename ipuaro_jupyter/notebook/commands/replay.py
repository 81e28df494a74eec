"""``%ipuaro replay``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.events import PhaseChanged

if TYPE_CHECKING:
    from ipuaro_jupyter.records.checked_answers import CheckedAnswers
    from ipuaro_jupyter.records.replayed import ReplayReport


@command(
    argument("file", metavar="FILE", completes="notebook", help="An exported notebook."),
    argument(
        "--in-place", action="store_true", help="Run in the project itself, in a new session."
    ),
    argument("--trust", action="store_true", help="Run it even if it was recorded elsewhere."),
    argument(
        "--check",
        action="store_true",
        help="Run nothing; tell which answers of a saved notebook are no longer true.",
    ),
)
def replay(
    project: OpenProject, thread: AnyCellThread, arguments: Arguments
) -> "ReplayReport | CheckedAnswers":
    """Run an exported session again, with the same replies and real tools; report differences.

    Nothing is asked: your recorded decisions are repeated. The replay runs in a temporary copy of
    the open project as it is now. In the copy, files that the session changed are restored to their
    state before it, and its latest commits are undone. Not isolated are node_modules and .venv,
    effects of commands outside the folder, and the tools of MCP servers.

    A recording that changes something or runs commands has to come from this machine's own
    sessions. Durations, dates, hashes of commits and the like are not compared.
    """
    from ipuaro_jupyter.replay import check_answers  # noqa: PLC0415 - loads every room
    from ipuaro_jupyter.replay import replay as run  # noqa: PLC0415 - the same

    assistant = project.assistant
    if arguments.check:
        opened = assistant.project(thread.cancel)
        return check_answers(arguments.file, opened, ignored=assistant.tool_names)
    return run(
        arguments.file,
        assistant.root,
        in_place=arguments.in_place,
        trust=arguments.trust,
        settings={"redis": assistant.settings.redis.model_dump(by_alias=True)},
        on_message=lambda number, count: thread.post(
            PhaseChanged(phase="running", detail=f"message {number} of {count}")
        ),
        cancel=thread.cancel,
    )
