"""Files of the project are written in one room."""

import ast
from pathlib import Path

import pytest

import ipuaro_jupyter

PACKAGE = Path(ipuaro_jupyter.__file__).parent
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if "sample" not in path.name and "app" not in path.parts
)
WRITERS = {
    "write_text",
    "write_bytes",
    "unlink",
    "rmdir",
    "mkdir",
    "rename",
    "replace",
    "touch",
    "chmod",
    "symlink_to",
}


def place(module):
    return module.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_no_tool_and_no_loop_writes_files(module):
    """Tools, the index and the loop change the project through `Workspace` alone."""
    if not place(module).startswith(("tools/", "agent/", "index/", "views/", "records/", "llm/")):
        return
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_path_call = node.func.attr in WRITERS - {"replace"}
            assert not is_path_call, f"{place(module)}:{node.lineno} writes: use the Workspace."
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "open", f"{place(module)}:{node.lineno} opens a file."
