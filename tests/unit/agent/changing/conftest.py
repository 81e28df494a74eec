"""A project that tests only look at: the files of their module, opened once."""

import pytest

import ipuaro_jupyter


@pytest.fixture(scope="module")
def project(request, tmp_path_factory):
    """The ``FILES`` of the module, by path, as an open project."""
    root = tmp_path_factory.mktemp("files")
    for path, content in request.module.FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(content)
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        yield assistant.project()
