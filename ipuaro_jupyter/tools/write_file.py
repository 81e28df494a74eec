"""Write a new file."""

from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.create_file import created
from ipuaro_jupyter.tools.tool import Project, tool


@tool(asks_first=True, foreign=("write", "save_file", "write_to_file", "put_file"))
def write_file(project: Project, path: str, content: str) -> TextOutput:
    """Write a new file, with its folders; a file that exists is an error. The user is asked first.

    Args:
        path: New file, relative to the project's root.
        content: The whole content.
    """
    return created(project, path, content, by="write_file", instead="update_file")
