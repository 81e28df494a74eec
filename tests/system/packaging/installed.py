"""Run the tests against the wheel as it is installed, in a folder with no checkout near.

    python tests/system/packaging/installed.py [--python PYTHON] [--no-tests] [PYTEST ARGUMENTS...]

Builds the sdist and from it the wheel, installs that with its tests' dependencies into a fresh
virtual environment, where nothing may be compiled, copies the tests and the table of commands that
they judge, runs them (not those marked ``checkout``, which are about files that are in no wheel),
uninstalls the wheel, and looks for what it has left. Needs `build`; ends with the status of what
failed first.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
TRAVELS = ("notebooks/commands.md",)
IGNORED = shutil.ignore_patterns("__pycache__", "artefacts", ".hypothesis")


def arguments():
    """Return what was asked for, and what pytest gets."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the venv")
    parser.add_argument("--no-tests", action="store_true", help="install and uninstall only")
    return parser.parse_known_args()


def step(title):
    """Say what comes next, and how many seconds have passed."""
    print(f"-- {title} ({time.monotonic() - BEGAN:.0f}s)", flush=True)


BEGAN = time.monotonic()


class Place:
    """A folder with a virtual environment and the tests, and nothing of the checkout."""

    def __init__(self, folder):
        self.folder = folder
        self.venv = folder / "venv"
        self.tests = folder / "empty"
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYTEST", "VIRTUAL_ENV", "COV"))
        }
        self.environment["PATH"] = f"{self.venv / 'bin'}{os.pathsep}{self.environment['PATH']}"

    def run(self, *command, check=True):
        """Run a command in the folder of the tests, with the environment's programs."""
        return subprocess.run(command, check=check, cwd=self.tests, env=self.environment)

    def pip(self, *words):
        """Run the environment's pip."""
        self.run(self.venv / "bin" / "python", "-m", "pip", "-q", *words)

    def build(self):
        """Build sdist and wheel; return the wheel."""
        dist = self.folder / "dist"
        command = [sys.executable, "-m", "build", "--outdir", dist, CHECKOUT]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        (wheel,) = dist.glob("*.whl")
        return wheel

    def prepare(self, python):
        """Make the environment and copy the tests with their configuration."""
        subprocess.run([python, "-m", "venv", self.venv], check=True)
        shutil.copytree(CHECKOUT / "tests", self.tests / "tests", ignore=IGNORED)
        for path in TRAVELS:
            (self.tests / path).parent.mkdir(exist_ok=True)
            shutil.copy(CHECKOUT / path, self.tests / path)
        (self.tests / "pytest.ini").write_text(configuration())

    def installed(self):
        """Return every file of the environment that is no cache."""
        files = (path for path in self.venv.rglob("*") if path.is_file())
        return {path for path in files if path.suffix != ".pyc"}


def configuration():
    """Return pytest's configuration in pyproject.toml as an ini file."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    lines = ["[pytest]"]
    options = {**project["tool"]["pytest"]["ini_options"], "testpaths": "tests"}
    for name, value in options.items():
        values = value if isinstance(value, list) else [str(value)]
        lines += [f"{name} =", *(f"    {one}" for one in values)]
    return "\n".join(lines) + "\n"


def check(place, asked, pytest_arguments):
    """Do everything; return the status of the tests."""
    step("build")
    wheel = place.build()
    place.prepare(asked.python)
    step("install, and nothing is compiled")
    place.pip("install", "--only-binary", ":all:", f"{wheel}[test]")
    place.run(place.venv / "bin" / "python", "-m", "pip", "check")
    place.run("ipuaro", "--version")
    status = 0
    if not asked.no_tests:
        step("the tests")
        command = ["pytest", "-m", "not checkout", *pytest_arguments]
        status = place.run(*command, check=False).returncode
    step("uninstall")
    package = [path for path in place.installed() if "ipuaro" in str(path.relative_to(place.venv))]
    place.pip("uninstall", "-y", "ipuaro-jupyter")
    left = [path for path in place.installed() if "ipuaro" in str(path.relative_to(place.venv))]
    print(f"{len(package)} files were installed, {len(left)} are left", *left)
    return status or bool(left)


def main():
    """Check what was asked for in a folder that is removed."""
    asked, pytest_arguments = arguments()
    with tempfile.TemporaryDirectory(prefix="ipuaro-installed-") as folder:
        place = Place(Path(folder))
        place.tests.mkdir()
        status = check(place, asked, pytest_arguments)
        step("done")
    return status


if __name__ == "__main__":
    sys.exit(main())
