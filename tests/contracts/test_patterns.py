"""What regular expressions may not have on every Python that can run the package."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

import ipuaro_jupyter

ROOT = Path(str(files(ipuaro_jupyter)))
SOURCES = sorted(path for path in ROOT.rglob("*") if path.suffix in {".py", ".toml"})
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+(?!\?)")


def test_there_are_sources():
    assert ROOT / "languages" / "masking.py" in SOURCES


@pytest.mark.parametrize("pattern", [r"(?:a|b)*+", "(a)++", "(?:ab){1,3}+"])
def test_possessive_groups_are_seen(pattern):
    assert POSSESSIVE_GROUP.search(pattern)


def test_no_group_is_possessive():
    """Python before 3.11.5 matches them wrongly (CPython issue 106052); atomic ones are right."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text("utf-8").splitlines()
        if POSSESSIVE_GROUP.search(line)
    ]
    assert found == []
