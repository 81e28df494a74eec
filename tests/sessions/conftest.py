"""Sessions of a project of their own."""

import importlib.util
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.keys import Keys, project_id

# With importlib's import mode a module of this folder is on no path.
_spec = importlib.util.spec_from_file_location(
    "conversations", Path(__file__).with_name("conversations.py")
)
sys.modules["conversations"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules["conversations"])


@pytest.fixture
def keys(tmp_path):
    return Keys(project_id(tmp_path))


@pytest.fixture
def sessions(store, keys):
    return Sessions(store, keys)
