"""What opening an indexed project may load: every module takes its part of the wait at each start.

What one of these is for imports it where it is needed, inside of the function.
"""

import subprocess
import sys

import pytest

NEEDLESS = {
    "anyio._core": "the loop of the clients of Ollama and of MCP servers: nothing is asked yet",
    "git": "history is not read yet, and the branch is in a file",
    "httpx": "a server of this machine lists its models over a bare socket",
    "ipuaro_jupyter.agent.loop": "nothing is asked yet",
    "ipuaro_jupyter.llm.text_calls": "no reply is read yet",
    "ipuaro_jupyter.notebook.commands.help": "what %ipuaro? shows is made when it is asked for",
    "ipuaro_jupyter.tools.grep": "tools are imported when one is first needed",
    "ipuaro_jupyter.workspace.permission": "for commands",
    "ipywidgets": "for questions to the user",
    "jsonschema": "for the schema of the settings",
    "markdown_it": "for answers",
    "mcp": "for MCP servers, of which there are none",
    "nbformat": "for exports",
    "networkx": "graphs are our own",
    "numpy": "nothing is computed",
    "ollama": "a server of this machine lists its models over a bare socket",
    "pandas": "for tables that are made data frames",
    "pygments.lexers": "nothing is coloured yet",
    "rich": "for terminals",
    "tree_sitter_python": "no file has changed",
    "tree_sitter_typescript": "no file has changed",
}
IN_PYTHON = """
import sys, ipuaro_jupyter
with ipuaro_jupyter.start(sys.argv[1]) as assistant:
    print(assistant.status())
    print(*sys.modules)
"""
IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
before = set(sys.modules)
shell.run_line_magic("load_ext", "ipuaro_jupyter")
print(shell.run_line_magic("ipuaro", f"start {sys.argv[1]}"))
loaded = set(sys.modules) - before
shell.run_line_magic("ipuaro", "stop")
print(*loaded)
"""


def opened(code, root):
    """Return what a fresh process prints that opens a project."""
    run = [sys.executable, "-c", code, str(root)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """The folder of a repository that the index knows."""
    root = tmp_path_factory.mktemp("project")
    (root / "a.ts").write_text("export const a = 1\n")
    (root / "b.py").write_text("import json\n")
    subprocess.run(["git", "init", "-q", root], check=True, timeout=60)
    opened(IN_PYTHON, root)
    return root


@pytest.mark.parametrize("code", [IN_PYTHON, IN_IPYTHON], ids=["python", "ipython"])
def test_opening_an_indexed_project_loads_nothing_needless(code, indexed, unused_host, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", unused_host)
    *status, modules = opened(code, indexed).splitlines()
    assert "Index: 2 files" in "\n".join(status)
    assert f"Ollama does not answer at {unused_host}" in "\n".join(status)
    found = sorted(NEEDLESS.keys() & set(modules.split()))
    told = "; ".join(f"{name} ({NEEDLESS[name]})" for name in found)
    assert not found, f"Opening a project imports {told}: import it where it is needed."
