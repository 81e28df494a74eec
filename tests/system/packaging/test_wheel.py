"""What is in the wheel: all that the package reads, the licences of what it bundles, no more."""

import csv
import io
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet

CHECKOUT = Path(__file__).parents[3]
pytestmark = [pytest.mark.checkout, pytest.mark.slow]
BUNDLED = "share/jupyter/labextensions/ipuaro-views/static/third-party/"


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def tracked():
    """The repository's files, with those that are about to be added."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(command, cwd=CHECKOUT, text=True, timeout=60)
    return sorted({path for path in listed.splitlines() if (CHECKOUT / path).is_file()})


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "-w", folder, CHECKOUT]
    subprocess.run(command, check=True, timeout=240)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel):
    return Metadata.from_email(wheel.read(_info(wheel, "METADATA")))


def _info(wheel, name):
    (found,) = [one for one in wheel.namelist() if one.endswith(f".dist-info/{name}")]
    return found


def _shared(tracked, source, target):
    """Yield where the files of a folder, or one file, are put below the environment's folder."""
    for path in tracked:
        if path == source:
            yield target
        elif path.startswith(f"{source}/"):
            yield target + path.removeprefix(source)


def test_it_holds_what_the_repository_has_of_the_package_and_nothing_else(wheel, tracked, project):
    settings = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    package = {path for path in tracked if path.startswith("ipuaro_jupyter/")}
    package |= set(settings["force-include"].values())
    shared = {
        target for place in settings["shared-data"].items() for target in _shared(tracked, *place)
    }
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    data = {re.sub(r"^[^/]+\.data/data/", "", name) for name in held if ".data/data/" in name}
    assert {name for name in held if ".data/" not in name} == package
    assert data == shared
    assert "ipuaro_jupyter/py.typed" in held


def test_no_file_is_there_twice_or_a_leftover(wheel):
    names = wheel.namelist()
    assert len(names) == len(set(names))
    odd = [name for name in names if PurePosixPath(name).suffix in {".pyc", ".map", ".orig"}]
    assert odd == []
    recorded = {
        row[0] for row in csv.reader(io.StringIO(wheel.read(_info(wheel, "RECORD")).decode()))
    }
    assert recorded == set(names)


def test_it_runs_everywhere_without_a_compiler(wheel):
    described = wheel.read(_info(wheel, "WHEEL")).decode()
    assert "Root-Is-Purelib: true" in described
    assert "Tag: py3-none-any" in described


def test_metadata_say_what_it_is(metadata, project):
    assert metadata.license_expression == "MIT"
    assert metadata.description_content_type == "text/markdown"
    assert metadata.summary
    assert len(metadata.description) > 1000
    assert not [word for word in metadata.classifiers if word.startswith("License ::")]
    assert set(metadata.provides_extra) == set(project["project"]["optional-dependencies"])


def test_classifiers_name_the_versions_that_it_may_be_installed_on(metadata):
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata.classifiers))
    assert metadata.requires_python == SpecifierSet(f">={named[0]}")
    assert named == [f"3.{minor}" for minor in range(11, 11 + len(named))]


def test_what_is_bundled_comes_with_its_licence(wheel):
    bundled = [name for name in wheel.namelist() if BUNDLED in name]
    scripts = [name for name in bundled if name.endswith((".js", ".mjs"))]
    (notice,) = [name for name in bundled if name.endswith("THIRD-PARTY.md")]
    told = wheel.read(notice).decode()
    assert scripts
    assert [name for name in scripts if PurePosixPath(name).name not in told] == []
    assert told.count("Permission is hereby granted, free of charge") >= len(scripts)
    licences = [name for name in wheel.namelist() if ".dist-info/licenses/" in name]
    texts = [wheel.read(name).decode() for name in licences]
    assert told in texts, "license-files in pyproject.toml lacks THIRD-PARTY.md"
    assert (CHECKOUT / "LICENSE").read_text("utf-8") in texts
