"""The version is the same wherever it is written, and the changelog has its section."""

import re
import tomllib
from pathlib import Path

from packaging.version import Version

from ipuaro_jupyter.version import __version__

ROOT = Path(__file__).parents[2]


def test_the_version_is_that_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__ == str(Version(__version__))


def test_the_newest_section_of_the_changelog_is_of_this_version():
    sections = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[:2] == ["Unreleased", __version__]
