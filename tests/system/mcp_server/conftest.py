import clients
import pytest


@pytest.fixture
def root(make_project):
    return make_project(clients.FILES)
