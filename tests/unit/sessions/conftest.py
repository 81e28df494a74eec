"""Sessions of a project of their own."""

import pytest

from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.keys import Keys, project_id


@pytest.fixture
def keys(tmp_path):
    return Keys(project_id(tmp_path))


@pytest.fixture
def sessions(store, keys):
    return Sessions(store, keys)
