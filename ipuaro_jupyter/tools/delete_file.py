"""Delete a file."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.known_lines import unread
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.workspace import Workspace


@tool(asks_first=True, foreign=("remove_file", "rm", "unlink"), names={"path": "file"})
def delete_file(project: Project, path: str) -> TextOutput:
    """Delete a file. The user is asked first. See get_dependents for what would break.

    Args:
        path: File, relative to the project's root.
    """
    workspace = project.workspace
    named = workspace.entry(path)
    path = workspace.relative(path, kind="file")
    file = deletable(workspace, path, named=named)
    unseen, reason = unread(workspace, file, None)
    workspace.apply(
        Change(path=path, before=file.data, after=None, mode=file.mode),
        tool="delete_file",
        title=f"Delete {path}",
        read=file,
        reason=reason,
        unseen=unseen,
    )
    old = file.data.decode(errors="replace")
    shown = Diff(title=f"Deleted {path}", path=path, old=old, new=None)
    size = "1 byte" if len(file.data) == 1 else f"{len(file.data)} bytes"
    return TextOutput(content=f"Deleted {path} ({size}).", shown=shown)


def deletable(workspace: Workspace, path: str, *, named: str) -> TextFile:
    """The file at a real path, which was named so.

    Raises:
        ToolError: "file" when a symlink was named, or it is no file.
    """
    if named != path:
        raise ToolError(
            "file",
            f"{named} is a symlink to {path}; only files are deleted.",
            suggestion=f"Delete {path} itself if that is what you want.",
        )
    if not (workspace.root / path).is_file():
        raise ToolError("file", f"{path} is not a file; only files can be deleted.")
    return workspace.file(path)
