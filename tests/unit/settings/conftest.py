"""A project without settings."""

import pytest


@pytest.fixture
def project(make_project):
    return make_project({})
