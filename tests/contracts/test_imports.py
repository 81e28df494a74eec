"""What importing the package may load."""

import subprocess
import sys


def loaded_after(statement):
    code = f"{statement}; import sys; print(' '.join(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy():
    heavy = {
        "IPython",
        "redis",
        "tree_sitter",
        "pydantic",
        "ollama",
        "git",
        "nbformat",
        "mcp",
    }
    assert not loaded_after("import ipuaro_jupyter") & heavy


def test_starting_an_assistant_loads_no_notebook_libraries():
    heavy = {"IPython", "ipywidgets", "git", "nbclient", "nbformat", "ollama", "mcp"}
    assert not loaded_after("import ipuaro_jupyter; ipuaro_jupyter.start") & heavy
