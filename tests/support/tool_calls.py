"""What the tests of the tools share."""

import subprocess

import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel


@pytest.fixture(scope="module")
def shared(request, tmp_path_factory):
    """The `call` of one project for a whole module, which has its ``FILES`` and is only read."""
    root = tmp_path_factory.mktemp("shared") / "project"
    for path, content in {".keep": "", **request.module.FILES}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with ipuaro_jupyter.start(root, model=ScriptedModel([])) as assistant:
        yield assistant.call


@pytest.fixture
def run(make_project, open_assistant):
    """Return a function that opens a project of the given files and gives its `call`."""

    def open_project(files, **options):
        assistant = open_assistant(make_project(files), [], **options)
        return assistant.call

    return open_project


@pytest.fixture
def repository(make_project):
    """Return a function that commits a project of the given files; it gives the folder."""

    def make(files):
        root = make_project(files)
        for command in (
            ["init", "-q", "-b", "main"],
            ["config", "user.name", "Dock Hand"],
            ["config", "user.email", "dock@example.test"],
            ["add", "-A"],
            ["commit", "-qm", "base"],
        ):
            subprocess.run(["git", *command], cwd=root, check=True)
        return root

    return make
