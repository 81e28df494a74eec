"""The checks of ``ipuaro doctor``, and the remedies for failed ones."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.found_programs import found_program
from ipuaro_jupyter.records.record import Record

if TYPE_CHECKING:
    from ipuaro_jupyter.settings.settings import Settings

PYTHON = (3, 11)
PACKAGES = {"ipykernel": (7, 4), "ipywidgets": (8, 1), "jupyterlab": (4, 4)}
"""The oldest supported version of each package."""
EXTENSIONS = {"ipuaro-views": (0, 2), "@jupyter-widgets/jupyterlab-manager": (5, 0)}
"""The same for parts of JupyterLab that are needed for drawing buttons."""


class Check(Record):
    """The result of one check.

    ``state``: "ok"; "missing" where something is slower or cannot be asked without it; "wrong"
    where nothing works until it is fixed. ``remedy`` says what to do.
    """

    name: str
    state: Literal["ok", "missing", "wrong"]
    found: str
    remedy: str = ""


def check_all(path: str) -> Iterator[Check]:
    """Yield the checks for the project at a path one by one; none raises."""
    folder = _folder(path)
    yield folder
    yield _python()
    for name, oldest in PACKAGES.items():
        yield _package(name, oldest)
    for name, oldest in EXTENSIONS.items():
        yield _extension(name, oldest)
    yield _program("git", "The tools of git need it: install git.")
    yield _program("rg", "Searching is slower without ripgrep: install ripgrep.")
    yield from _added()
    if folder.state == "wrong":
        return  # the settings are the folder's, and name the store and the model
    settings, check = _settings(path)
    yield check
    if settings is not None:
        yield _store(settings)
        yield _model(settings)


def _folder(path: str) -> Check:
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - heavy

    return _asked("project", lambda: str(project_folder(path)), failed="wrong")


def _python() -> Check:
    found = ".".join(str(part) for part in sys.version_info[:3])
    needed = ".".join(str(part) for part in PYTHON)
    is_new = sys.version_info[:2] >= PYTHON
    remedy = "" if is_new else f"Install Python {needed} or newer."
    return Check(name="Python", state="ok" if is_new else "wrong", found=found, remedy=remedy)


def _package(name: str, oldest: tuple[int, ...]) -> Check:
    needed = ".".join(str(part) for part in oldest)
    remedy = f"pip install -U '{name}>={needed}'"
    try:
        found = version(name)
    except PackageNotFoundError:
        return Check(name=name, state="wrong", found="not installed", remedy=remedy)
    is_new = _numbers(found) >= oldest
    return Check(
        name=name, state="ok" if is_new else "wrong", found=found, remedy="" if is_new else remedy
    )


def _numbers(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version."""
    numbers = []
    for part in text.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def _extension(name: str, oldest: tuple[int, ...]) -> Check:
    """Look for the copy of a part that JupyterLab takes, the first on its path."""
    from jupyter_core.paths import jupyter_path  # noqa: PLC0415 - only for this

    title = f"JupyterLab has {name}"
    remedy = (
        "Buttons are not drawn without it. Install JupyterLab and this package in one environment."
    )
    for folder in jupyter_path("labextensions"):
        place = Path(folder, *name.split("/"))
        if not place.is_dir():
            continue
        found = _version_in(place)
        if _numbers(found) >= oldest:
            return Check(name=title, state="ok", found=str(place))
        needed = ".".join(map(str, oldest))
        remedy = f"It is older than {needed}, and JupyterLab takes no other: delete that folder."
        return Check(name=title, state="wrong", found=f"{found} in {place}", remedy=remedy)
    return Check(name=title, state="wrong", found="not found", remedy=remedy)


def _version_in(place: Path) -> str:
    """Return the version of an extension; "" when it cannot be read."""
    try:
        return str(json.loads((place / "package.json").read_bytes())["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _program(name: str, remedy: str) -> Check:
    place = found_program(name)
    if place is not None:
        return Check(name=name, state="ok", found=place)
    return Check(name=name, state="missing", found="not found", remedy=remedy)


def _added() -> Iterator[Check]:
    """Load the user's own additions, if any: an error in one prevents every start."""
    from ipuaro_jupyter import tools  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.added_modules import added_modules  # noqa: PLC0415 - the same
    from ipuaro_jupyter.languages import registry  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views import tool_result  # noqa: PLC0415 - the same

    loads: tuple[tuple[str, Callable[[str], object]], ...] = (
        (tools.SEARCH_PATH, lambda _: tools.load_tools()),
        (tool_result.SEARCH_PATH, lambda _: added_modules(tool_result.SEARCH_PATH)),
        (registry.SEARCH_PATH, registry.languages),
    )
    for variable, load in loads:
        if named := os.environ.get(variable):
            yield _asked(variable, partial(_loaded, load, named), failed="wrong")


def _loaded(load: Callable[[str], object], named: str) -> str:
    """The folders that a variable names, after loading their files."""
    load(named)
    return named


def _settings(path: str) -> "tuple[Settings | None, Check]":
    from ipuaro_jupyter.settings.opened_folder import opened_folder  # noqa: PLC0415 - heavy

    try:
        loaded = opened_folder(path, {}).loaded
    except IpuaroError as error:
        return None, Check(name="settings", state="wrong", found="wrong", remedy=str(error))
    told = "; ".join(loaded.notices)
    return loaded.settings, Check(name="settings", state="ok", found=told or "valid")


def _store(settings: "Settings") -> Check:
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.store.topology import told_evictions, told_servers  # noqa: PLC0415 - heavy

    remedy = ""

    def ask() -> str:
        nonlocal remedy
        store = connect(settings.redis)
        try:
            remedy = told_evictions(store)
            return f"{store.url}: {told_servers(store)}"
        finally:
            store.close()

    check = _asked("store", ask, failed="wrong")
    return check.model_copy(update={"state": "missing", "remedy": remedy}) if remedy else check


def _model(settings: "Settings") -> Check:
    from ipuaro_jupyter.llm.hosts import remote_host  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.llm.open_model import open_model  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.status import leaving  # noqa: PLC0415 - heavy

    def ask() -> str:
        model = open_model(settings.llm.model, settings.llm, Path.cwd())
        try:
            model.check()
            return f"{model.name}{leaving(remote_host(model))}"
        finally:
            model.close()

    return _asked("model", ask, failed="missing")


def _asked(name: str, ask: Callable[[], str], *, failed: Literal["missing", "wrong"]) -> Check:
    try:
        return Check(name=name, state="ok", found=ask())
    except IpuaroError as error:
        return Check(name=name, state=failed, found="cannot be used", remedy=str(error))
