"""Optional packages that tests need."""

import os
from importlib.util import find_spec

import pytest


def need(*modules: str, install: str) -> None:
    """Skip the test if one of the modules is missing; fail it in CI, which may lack none.

    Args:
        modules: The top-level modules.
        install: The command that installs them.
    """
    lacks = [name for name in modules if find_spec(name) is None]
    if lacks:
        told = f"{install}: {' and '.join(lacks)} are not there"
        assert not os.environ.get("CI"), told
        pytest.skip(told)
