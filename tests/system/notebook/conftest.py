"""Real kernels, and a front end that answers their widgets as a browser would."""

import shutil
import sys
from pathlib import Path

import pytest
from kernels import (
    kernel,
    open_project,
    project,
    recording,
    second_kernel,
    shared_kernel,
    started,
)
from servers import kill_server

__all__ = [
    "kernel",
    "kill_server",
    "open_project",
    "project",
    "recording",
    "second_kernel",
    "settings_of_the_wheel",
    "shared_kernel",
    "started",
]

_SETTINGS = Path(__file__).parents[3] / "labextension-config/ipython/ipython_config.json"


@pytest.fixture
def settings_of_the_wheel(monkeypatch, tmp_path):
    """The settings of IPython that come with the package; the tests' own IPython has none."""
    found = _SETTINGS if _SETTINGS.is_file() else Path(sys.prefix) / "etc/ipython" / _SETTINGS.name
    profile = tmp_path / "ipython/profile_default"
    profile.mkdir(parents=True)
    shutil.copy(found, profile)
    monkeypatch.setenv("IPYTHONDIR", str(profile.parent))
