"""The application of the demo, open, for tests of a module."""

import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.demo.folder import DemoFolder


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's application, open."""
    folder = DemoFolder(tmp_path_factory.mktemp("demo"))
    folder.fill()
    with ipuaro_jupyter.start(folder.app, model=ScriptedModel([])) as assistant:
        yield assistant
