"""The test runner of a project, and the folder it runs in.

The nearest folder counts, from the path to be tested up to the root. In a folder, the order is: the
configuration of vitest, jest or mocha, then the dependencies in package.json, then its test script.
Python projects have pytest.
"""

import configparser
import fnmatch
import os
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.project_tests.settings_files import (
    is_file,
    json_of,
    names_in,
    text_of,
    toml_of,
)
from ipuaro_jupyter.project.project_tests.test_results import Runner
from ipuaro_jupyter.workspace.processes.environment import upwards

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.workspace import Workspace

Language = Literal["javascript", "python"]

_CONFIGURATIONS: Mapping[Runner, re.Pattern[str]] = {
    "vitest": re.compile(r"vitest\.(config|workspace)\.([cm]?[jt]s|json)"),
    "jest": re.compile(r"jest\.config\.([cm]?[jt]s|json)"),
    "mocha": re.compile(r"\.mocharc\.([cm]?js|jsonc?|ya?ml)"),
}
_DEPENDENCIES: Mapping[Runner, tuple[str, ...]] = {
    "vitest": ("vitest",),
    "jest": ("jest", "jest-cli"),
    "mocha": ("mocha",),
}
_SOURCES = {
    ".cjs", ".coffee", ".cts", ".js", ".jsx", ".mjs", ".mts", ".svelte", ".ts", ".tsx", ".vue",
}  # fmt: skip
_PYTHON_TESTS = ("test_*.py", "*_test.py")
_PYTHON_PROJECT = (
    "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg",
    "tox.ini", "setup.py", "Pipfile", "requirements*.txt",
)  # fmt: skip
_REQUIREMENTS = ("*requirements*.txt", "requirements/*.txt", "setup.cfg", "tox.ini")
_REQUIRED = re.compile(r"^\s*pytest(?![\w.])", re.MULTILINE)  # also pytest-cov and the like
_COMMANDS = {
    "go.mod": "go test ./...",
    "go.work": "go test ./...",
    "Cargo.toml": "cargo test",
    "pom.xml": "mvn test",
    "build.gradle": "gradle test",
    "build.gradle.kts": "gradle test",
}
"""The usual commands of projects whose tests are not run here, by the sign of each."""
_NO_SCRIPT = re.compile(r"no test specified", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundRunner:
    """A runner, the folder it runs in, and package.json's test script there, where there is one.

    ``others`` are runners for other parts of the project.
    """

    runner: Runner
    folder: Path
    script: str | None = None
    others: tuple[Runner, ...] = ()


def find_runner(workspace: "Workspace", target: str) -> FoundRunner:
    """The runner of the tests of ``target``, a file or folder relative to the project; "" is all.

    Raises:
        ToolError: "command" when there is no runner.
    """
    root = workspace.root
    place = root / target
    folders = list(upwards(place if place.is_dir() else place.parent, root))
    languages = _languages(workspace, target)
    found = []
    if "javascript" in languages:
        found += [hit for hit in map(_javascript, folders) if hit is not None][:1]
    if "python" in languages:
        found += _python(workspace, folders, target)
    if not found:
        raise _none(root, target)
    first, *rest = found
    return FoundRunner(
        first.runner, first.folder, first.script, tuple(other.runner for other in rest)
    )


def _languages(workspace: "Workspace", target: str) -> set[Language]:
    """The languages that may be tested there: by the file's name, or the tests in the folder."""
    suffix = os.path.splitext(target)[1]  # noqa: PTH122 - a path of the project is a str
    place = workspace.root / target
    if suffix == ".py" and not place.is_dir():
        return {"python"}
    if is_file(place) or (suffix in _SOURCES and not place.is_dir()):
        return {"javascript"} if suffix in _SOURCES else {"javascript", "python"}
    if not target:
        return {"javascript", "python"}
    below = [path for path in workspace.files().files if path.startswith(f"{target}/")]
    python = any(_is_python_test(path) for path in below)
    javascript = any(re.search(r"[._](?:test|spec)\.[^/]*$|/__tests__/", path) for path in below)
    if python != javascript:
        return {"python"} if python else {"javascript"}
    return {"javascript", "python"}


def _javascript(folder: Path) -> FoundRunner | None:
    names = names_in(folder)
    package = json_of(folder / "package.json")
    script = _script(package)
    runner = _configured(names, package) or _depended_on(package, script)
    if runner is None and script is not None:
        runner = "npm"
    return None if runner is None else FoundRunner(runner, folder, script)


def _configured(names: Collection[str], package: Mapping[str, Any]) -> Runner | None:
    for runner, pattern in _CONFIGURATIONS.items():
        if any(map(pattern.fullmatch, names)) or runner in package:
            return runner
    return None


def _depended_on(package: Mapping[str, Any], script: str | None) -> Runner | None:
    """The runner among the dependencies; of several, that of the test script."""
    tables = [package.get(key) for key in ("devDependencies", "dependencies")]
    names = {name for table in tables if isinstance(table, dict) for name in table}
    installed = [runner for runner, packages in _DEPENDENCIES.items() if names & {*packages}]
    words = re.findall(r"[\w-]+", script or "")
    return next((runner for runner in installed if runner in words), next(iter(installed), None))


def npm_scripts(folder: Path) -> tuple[str, ...]:
    """What `npm test` runs in a folder, in its order."""
    scripts = json_of(folder / "package.json").get("scripts")
    named = scripts if isinstance(scripts, dict) else {}
    told = (named.get(name) for name in ("pretest", "test", "posttest"))
    return tuple(text for text in told if isinstance(text, str) and text.strip())


def _script(package: Mapping[str, Any]) -> str | None:
    """The test script; None for the one that `npm init` writes."""
    scripts = package.get("scripts")
    text = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(text, str) or not text.strip() or _NO_SCRIPT.search(text):
        return None
    return text


def _python(workspace: "Workspace", folders: Iterable[Path], target: str) -> list[FoundRunner]:
    """The runner pytest: where it is configured, required, or alone fits the files."""
    folders = list(folders)
    homes = [folder for folder in folders if _matches_any(names_in(folder), _PYTHON_PROJECT)]
    signs = any(map(_names_pytest, homes)) or any(
        is_file(folder / place / "conftest.py")
        for folder in folders
        for place in ("", "tests", "test")
    )
    named = target.endswith(".py") and _is_python_test(target)
    if not signs and not named:
        files = workspace.files().files if homes else ()
        signs = any(_is_python_test(path) for path in files)
    if not signs and not named:
        return []
    return [FoundRunner("pytest", homes[0] if homes else folders[-1])]


def _names_pytest(folder: Path) -> bool:
    """Whether a file in the folder configures or requires pytest."""
    names = names_in(folder)
    if names & {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"}:
        return True
    for name in ("pyproject.toml", "Pipfile"):
        if name in names and _mentions_pytest(toml_of(folder / name)):
            return True
    for name, section in (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")):
        if name in names and section in _sections(folder / name):
            return True
    texts = [
        text_of(path) for pattern in _REQUIREMENTS for path in sorted(folder.glob(pattern))[:20]
    ]
    return any(_REQUIRED.search(text) for text in texts) or bool(
        re.search(r"""["']pytest(?![\w.])""", text_of(folder / "setup.py"))
    )


def _mentions_pytest(value: object) -> bool:
    """Whether TOML data has a table ``pytest``, or a requirement of it."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if "pytest" in item:
                return True
            pending += item.values()
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, str) and re.match(r"pytest(?![\w.])", item):
            return True
    return False


def _none(root: Path, target: str) -> ToolError:
    where = target or "the project"
    message = f"No test runner was found for {where}: there is no sign of vitest, jest or mocha"
    message += ", no test script in package.json, and no sign of pytest."
    package = root / "package.json"
    if is_file(package) and not json_of(package):
        message += " package.json could not be read as JSON."
    known = [command for sign, command in _COMMANDS.items() if is_file(root / sign)]
    hint = "Run the tests with run_command if you know their command."
    if known:
        told = " or ".join(dict.fromkeys(known))
        hint = f"These are not run here: use run_command with {told}."
    return ToolError("command", message, suggestion=hint)


def _is_python_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _PYTHON_TESTS)


def _matches_any(names: Collection[str], patterns: Iterable[str]) -> bool:
    return any(fnmatch.filter(names, pattern) for pattern in patterns)


def _sections(path: Path) -> list[str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    with suppress(configparser.Error):
        parser.read_string(text_of(path))
    return parser.sections()
