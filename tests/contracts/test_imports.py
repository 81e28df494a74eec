"""What the package may import, and what importing it may load."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ipuaro_jupyter"
OUR_OWN = {"test", "dev"}
"""Extras for what users do not install."""


def imports():
    """Yield the modules of other packages that the package imports, and the names from them."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                found = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found = [f"{node.module}.{one.name}" for one in node.names]
            else:
                continue
            ours = {"ipuaro_jupyter", *sys.stdlib_module_names}
            yield from ((one, path) for one in found if one.partition(".")[0] not in ours)


def requirements():
    """Yield the requirements of users, each with whether all have it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    yield from ((Requirement(one), True) for one in project["dependencies"])
    for extra, some in project["optional-dependencies"].items():
        if extra not in OUR_OWN:
            yield from ((Requirement(one), False) for one in some)


@pytest.mark.checkout
def test_what_is_imported_is_a_dependency():
    declared = {canonicalize_name(n) for one, _ in requirements() for n in (one.name, *one.extras)}
    known = packages_distributions()
    for module, path in imports():
        top = module.partition(".")[0]
        names = {canonicalize_name(one) for one in known.get(top, [top])}
        told = f"{path.relative_to(ROOT)} imports {top}: add {' or '.join(names)} to pyproject.toml"
        assert names & declared, told


@pytest.mark.checkout
def test_every_dependency_is_used():
    texts = [
        path.read_text("utf-8") for end in ("py", "toml") for path in PACKAGE.rglob(f"*.{end}")
    ]
    modules = {}
    for module, names in packages_distributions().items():
        for one in names:
            modules.setdefault(canonicalize_name(one), []).append(module)
    for one, is_hard in requirements():
        if is_hard and (one.marker is None or one.marker.evaluate()):
            used = "|".join(modules[canonicalize_name(one.name)])
            wanted = re.compile(rf"\bimport ({used})\b|\bfrom ({used})\b|[\"']({used})[\"':]")
            assert any(map(wanted.search, texts)), f"Remove {one.name} from pyproject.toml."


@pytest.mark.checkout
def test_only_public_modules_of_others_are_imported():
    for module, path in imports():
        is_private = any(one.startswith("_") for one in module.split("."))
        assert not is_private, f"{path.relative_to(ROOT)}: {module} is private"


def loaded_after(statement):
    code = f"{statement}; import sys; print(' '.join(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy():
    heavy = {
        "IPython",
        "redis",
        "tree_sitter",
        "pydantic",
        "ollama",
        "git",
        "nbformat",
        "mcp",
    }
    assert not loaded_after("import ipuaro_jupyter") & heavy


def test_the_help_of_the_command_line_loads_no_records():
    told = "from ipuaro_jupyter.cli import main; main(['--help'], standalone_mode=False)"
    assert not loaded_after(told) & {"pydantic", "redis", "msgspec"}


def test_the_extension_loads_no_room_that_only_an_open_project_needs():
    rooms = {"agent", "assistant", "index", "project", "sessions", "tools"}
    code = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell; "
        "InteractiveShell().run_line_magic('load_ext', 'ipuaro_jupyter'); print(*sys.modules)"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    ours = [name.split(".") for name in done.stdout.split() if name.startswith("ipuaro_jupyter.")]
    assert ["ipuaro_jupyter", "notebook", "magics"] in ours
    assert not {name[1] for name in ours} & rooms


def test_starting_an_assistant_loads_no_notebook_libraries():
    heavy = {"IPython", "ipywidgets", "git", "nbclient", "nbformat", "ollama", "mcp"}
    assert not loaded_after("import ipuaro_jupyter; ipuaro_jupyter.start") & heavy
