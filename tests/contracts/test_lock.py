"""CI installs versions that pyproject.toml allows, of everything that it names."""

import tomllib
from pathlib import Path

import pytest
from lock import CHECKOUT, LOCK
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.checkout


def locked():
    lines = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    return {
        canonicalize_name(name): version for name, _, version in (p.partition("==") for p in lines)
    }


def named(extra):
    project = tomllib.loads(Path(CHECKOUT, "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return map(Requirement, project["dependencies"] if extra is None else extras[extra])


@pytest.mark.parametrize("extra", [None, "languages", "test", "dev", "local"])
def test_what_is_named_is_locked(extra):
    versions = locked()
    for wanted in named(extra):
        if wanted.name == "ipuaro-jupyter" or (wanted.marker and not wanted.marker.evaluate()):
            continue
        told = f"{wanted}: python tests/support/lock.py"
        assert versions.get(canonicalize_name(wanted.name)) in wanted.specifier, told
