"""Files of the project are written in one room."""

import ast
from pathlib import Path

import pytest

import ipuaro_jupyter

PACKAGE = Path(ipuaro_jupyter.__file__).parent
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if "sample" not in path.name and "app" not in path.parts
)
MAY_WRITE = (
    "workspace/",  # the project
    "store/",  # the embedded server's folder
    "demo/",  # the folder that the demo makes
    "settings/trust.py",  # which settings files the user has approved, in the user's own folder
    "settings/user_file.py",  # the user's own settings, when asked to
    "llm/local/",  # pulled models, and the state of their processes, in the user's own folder
    "project/checks/copy_imports.py",  # a temporary folder for what runs in a copy
    "project/checks/python_start/",  # the copy itself, in which it runs
    "small_file.py",  # it opens files by descriptors, for reading only
    "whole_file.py",  # dumps and exported notebooks
)
METHODS = {
    "write_text",
    "write_bytes",
    "unlink",
    "rmdir",
    "mkdir",
    "rename",
    "symlink_to",
    "hardlink_to",
    "chmod",
}
MODULES_THAT_WRITE = {"os", "shutil", "tempfile"}
HARMLESS = {
    "getpid",
    "access",
    "sysconf",
    "nice",
    "getuid",
    "geteuid",
    "fspath",
    "cpu_count",
    "lstat",
    "stat",
    "scandir",
    "which",
    "fdopen",
    "dup",
    "dup2",
    "execv",
    "_exit",
    "urandom",
}


def writes(source):
    """Yield the calls in ``source`` that write files."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id == "open":
            yield "open"
        if isinstance(function, ast.Attribute):
            owner = function.value.id if isinstance(function.value, ast.Name) else ""
            name = function.attr
            modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
            opens = name == "open" and any(str(mode)[:1] in "wax" for mode in modes)
            of_module = owner in MODULES_THAT_WRITE and name not in HARMLESS
            if name in METHODS or opens or of_module:
                yield ast.unparse(function)


def place(module):
    return module.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_only_the_rooms_that_may_write_files(module):
    """The project is changed through `Workspace` alone."""
    if place(module).startswith(MAY_WRITE):
        return
    found = list(writes(module.read_text()))
    assert not found, f"{place(module)}: {found} writes files; use the Workspace, or write_whole."


@pytest.mark.parametrize(
    "line",
    [
        "path.write_text('x')",
        "os.replace(a, b)",
        "shutil.rmtree(x)",
        "open('x', 'w')",
        "path.open('w')",
        "tempfile.mkstemp()",
        "os.open(x, os.O_WRONLY)",
    ],
)
def test_a_write_is_found(line):
    assert list(writes(line))


def test_reading_and_strings_are_no_writes():
    assert not list(writes("path.read_text(); 'a'.replace('a', 'b'); path.open(); x.touch(['p'])"))
