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


def test_the_help_of_the_command_line_loads_no_records():
    told = "from ipuaro_jupyter.cli import main; main(['--help'], standalone_mode=False)"
    assert not loaded_after(told) & {"pydantic", "redis", "msgspec"}


def test_the_extension_loads_no_room_that_only_an_open_project_needs():
    rooms = {"agent", "assistant", "index", "project", "sessions", "tools"}
    code = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell; "
        "InteractiveShell().run_line_magic('load_ext', 'ipuaro_jupyter'); print(*sys.modules)"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    ours = [name.split(".") for name in done.stdout.split() if name.startswith("ipuaro_jupyter.")]
    assert ["ipuaro_jupyter", "notebook", "magics"] in ours
    assert not {name[1] for name in ours} & rooms


def test_starting_an_assistant_loads_no_notebook_libraries():
    heavy = {"IPython", "ipywidgets", "git", "nbclient", "nbformat", "ollama", "mcp"}
    assert not loaded_after("import ipuaro_jupyter; ipuaro_jupyter.start") & heavy
