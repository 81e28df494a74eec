"""``%ipuaro diff``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, ToolResult


@command(
    argument("path", nargs="?", completes="file", help="File or folder. Default: the project."),
    argument("--staged", action="store_true", help="Only what is staged for the next commit."),
    argument("--side-by-side", action="store_true", help="Before and after in two columns."),
)
def diff(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult | Plain:
    """Show the changes since the last commit, as git reports them."""
    from ipuaro_jupyter.tools.git_diff import NO_CHANGES  # noqa: PLC0415 - loads every room

    given = {"path": arguments.path, "staged": arguments.staged or None}
    result = project.assistant.call("git_diff", given, thread.cancel)
    error = result.error
    if error is not None and NO_CHANGES in error.message:  # a reason for the model to go on
        return Plain(text=f"{error.message} %tool git_status lists untracked files.")
    if result.output is None or not arguments.side_by_side:
        return result
    beside = result.output.model_copy(update={"is_beside": True})
    return result.model_copy(update={"output": beside})
