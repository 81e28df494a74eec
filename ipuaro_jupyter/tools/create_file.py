"""Create a file."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.content import Around, added_problems, meant, told_problems
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.text_file import encoded
from ipuaro_jupyter.workspace.workspace import Workspace


@tool(asks_first=True, foreign=("new_file", "add_file", "make_file", "touch"))
def create_file(project: Project, path: str, content: str) -> TextOutput:
    """Create a file that does not exist yet, with its folders. The user is asked first.

    Args:
        path: Project-relative path.
        content: The whole content.
    """
    return created(project, path, content, by="create_file", instead="edit_lines")


def created(project: Project, path: str, content: str, *, by: str, instead: str) -> TextOutput:
    """Create a file for the tool ``by``; when it exists, ``instead`` is the tool to use."""
    workspace = project.workspace
    path = workspace.relative(path, must_exist=False)
    check_new(workspace, path, instead=f"Change it with {instead} instead.")
    wanted, note = creation(path, content)
    written = workspace.apply(wanted, tool=by, title=f"Create {path}", reason=note)
    text = (written.after or b"").decode()
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    told = f"Created {path} ({count} line{'' if count == 1 else 's'})."
    if written.after != wanted.after:
        told += f"\nThe user changed your text before applying it; this was written:\n{text}"
    problems = added_problems(written)
    told = "\n".join([told, *([note] if note else []), *told_problems(problems)])
    shown = Diff(title=f"Created {path}", path=path, old=None, new=text)
    return TextOutput(content=told, shown=shown, problems=problems)


def check_new(workspace: Workspace, path: str, *, instead: str) -> None:
    """Check that a file can be created at a real path.

    Raises:
        ToolError: "file" when there is something already; ``instead`` says what to do then.
    """
    if not path:
        raise ToolError("file", "The project's root is a folder; give the path of a new file.")
    if (workspace.root / path).exists():
        raise ToolError("file", f"{path} exists already.", suggestion=instead)


def creation(path: str, content: str) -> tuple[Change, str]:
    """The change that makes a file, and what was put right in its text; see `content.meant`."""
    given = meant(path, None, content, around=Around(), make=encoded)
    return Change(path=path, before=None, after=encoded(given.text)), given.note
