"""What the tests of the agent share."""

import pytest
from ollama_server import OllamaServer

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


@pytest.fixture(scope="session")
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
    server = OllamaServer()
    server.add_model(LlmSettings().model)
    server.start()
    yield server
    server.stop()
