"""What the tests with real programs may use, besides what every test may."""

from types import SimpleNamespace

import hostile_notebook as hostile_notebook_maker
import pytest


@pytest.fixture(scope="session")
def hostile_notebook(tmp_path_factory):
    """A saved notebook of every kind of record: its ``path``, and what is ``shown`` in it."""
    path = hostile_notebook_maker.make(tmp_path_factory.mktemp("hostile"))
    return SimpleNamespace(path=path, shown=hostile_notebook_maker.SHOWN)
