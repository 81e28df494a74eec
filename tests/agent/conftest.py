import importlib.util
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


def _load(name, folder=""):
    """Import a module of the tests: with importlib's import mode it is on no path."""
    if name not in sys.modules:
        file = Path(__file__).parent / folder / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, file)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_load("long_session")


@pytest.fixture
def project_in():
    """Return a function that gives tools a project that has a folder and nothing else."""

    def give(folder, cancel=None):
        nothing = dict.fromkeys(("confirm", "undo", "shown", "changed"))
        workspace = Workspace(folder, WorkspaceSettings(), **nothing)
        return Project(workspace=workspace, index=None, cancel=cancel or CancelToken())

    return give


@pytest.fixture
def ollama_server():
    """A server that speaks Ollama's API, with the default model, on a free port."""
    server = _load("ollama_server", "../llm").OllamaServer()
    server.add_model(LlmSettings().model)
    server.start()
    yield server
    server.stop()
