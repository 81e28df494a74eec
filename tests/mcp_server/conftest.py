import importlib.util
import sys
from pathlib import Path

import pytest


def _load(name):
    """Import a module of the tests: with importlib's import mode it is on no path."""
    if name not in sys.modules:
        file = Path(__file__).with_name(f"{name}.py")
        spec = importlib.util.spec_from_file_location(name, file)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


clients = _load("clients")


@pytest.fixture
def root(make_project):
    return make_project(clients.FILES)
