"""The demo's folder: the application as a git repository, the recording, the notebook.

Nothing of the user's is ever deleted or overwritten. A marker in the folder says that the demo made
it and holds a hash of the files the demo wrote; files that the user has changed since are kept
under another name when the folder is reset.
"""

import atexit
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from ipuaro_jupyter.demo import demo_repository
from ipuaro_jupyter.errors import ProjectError

APP = "parcels"
NOTEBOOK = "quickstart.ipynb"
RECORDING = "recording.json"
MARKER = ".ipuaro-demo"
DEFAULT = "ipuaro-demo"

_HERE = Path(__file__).resolve().parent


class DemoFolder:
    """A folder that the demo made.

    ``kept`` holds the new names of files that the user had changed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: list[str] = []

    @property
    def app(self) -> Path:
        """The application, the root of a git repository."""
        return self.path / APP

    @property
    def notebook(self) -> Path:
        """The path of the notebook."""
        return self.path / NOTEBOOK

    def fill(self) -> None:
        """Put a fresh application and recording here; raises `ProjectError` when git fails."""
        self._write_marker(self._written())
        self._refresh_app()
        self.write(RECORDING, (_HERE / RECORDING).read_bytes())

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the demo atomically; one that the user has changed is renamed first."""
        target, written = self.path / name, self._written()
        present = target.read_bytes() if target.is_file() else None
        if present is not None and present != data and written.get(name) != _hash(present):
            self._put_aside(target)
        _replace(target, data)
        self._write_marker(written | {name: _hash(data)})

    def _refresh_app(self) -> None:
        fresh = _beside(self.app)
        try:
            _copy(_HERE / "app", fresh)
            demo_repository.create_repository(fresh)
            if _same(self.app, fresh):
                return
            if self.app.exists():
                self._put_aside(self.app)
            fresh.rename(self.app)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _put_aside(self, target: Path) -> None:
        names = (f"{target.stem}-{number}{target.suffix}" for number in count(1))
        name = next(name for name in names if not (self.path / name).exists())
        target.rename(self.path / name)
        self.kept.append(name)

    def _written(self) -> dict[str, str]:
        """The hashes of the files as the demo wrote them, by name."""
        try:
            marker = json.loads((self.path / MARKER).read_bytes())
        except (OSError, ValueError):
            return {}
        written = marker.get("written") if isinstance(marker, dict) else None
        return dict(written) if isinstance(written, dict) else {}

    def _write_marker(self, written: dict[str, str]) -> None:
        marker = {"about": "Made by `ipuaro demo`, which may refresh it.", "written": written}
        _replace(self.path / MARKER, (json.dumps(marker, indent=2) + "\n").encode())


def choose_folder(dest: Path | None) -> DemoFolder:
    """Choose a folder for the demo, and create it.

    Args:
        dest: A new or empty folder, or one that the demo made; None takes ``ipuaro-demo`` in the
            current folder, or the first free ``ipuaro-demo-2``, ``-3``, … when that is taken.

    Raises:
        ProjectError: ``dest`` holds something else, or cannot be written.
    """
    if dest is None:
        candidates = (Path(DEFAULT if n == 1 else f"{DEFAULT}-{n}") for n in count(1))
        dest = next(path for path in candidates if _usable(path))
    path = dest.expanduser().absolute()
    if not _usable(path):
        raise ProjectError(
            f"{str(dest)!r} exists and was not made by the demo; "
            "name a folder that is new or empty, or leave the name out."
        )
    try:
        path.mkdir(parents=True, exist_ok=True)
        path = path.resolve()
        (path / MARKER).touch()
    except OSError as error:
        raise ProjectError(f"{str(dest)!r} cannot be written: {error.strerror}.") from error
    return DemoFolder(path)


def prepare() -> Path:
    """Provide a folder with the demo's application, ``parcels``, and ``recording.json``.

    It is the current folder when ``ipuaro demo`` made that; otherwise a new temporary one, which is
    removed when the process ends.

    Raises:
        ProjectError: git is missing, or fails.
    """
    here = Path.cwd()
    if all((here / name).exists() for name in (MARKER, APP, RECORDING)):
        return here
    made = Path(tempfile.mkdtemp(prefix=f"{DEFAULT}-")).resolve()
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    DemoFolder(made).fill()
    return made


@contextmanager
def passing_app() -> Iterator[Path]:
    """Provide a new copy of the application in a temporary folder until the end of the block.

    Raises:
        ProjectError: git is missing, or fails.
    """
    made = Path(tempfile.mkdtemp(prefix=f"{DEFAULT}-")).resolve()
    try:
        folder = DemoFolder(made)
        folder.fill()
        yield folder.app
    finally:
        shutil.rmtree(made, ignore_errors=True)


def shipped_notebook() -> bytes:
    """The notebook as shipped, with any outputs it has.

    In a source checkout it is in ``notebooks/``, with the guide; a wheel carries it here.
    """
    places = (_HERE / NOTEBOOK, _HERE.parents[1] / "notebooks" / NOTEBOOK)
    for place in places:
        if place.is_file():
            return place.read_bytes()
    raise ProjectError(f"{NOTEBOOK} is missing from this installation; install the package again.")


def _usable(path: Path) -> bool:
    if (path / MARKER).is_file() or not os.path.lexists(path):
        return True
    return path.is_dir() and not any(path.iterdir())


def _same(app: Path, fresh: Path) -> bool:
    """Whether ``app`` is an unchanged, committed copy of ``fresh``."""
    if not demo_repository.is_repository(app) or demo_repository.changed_files(app):
        return False
    return demo_repository.tree(app) == demo_repository.tree(fresh)


def _copy(source: Path, target: Path) -> None:
    """Copy files and folders, without modes and dates: an installation may be read-only."""
    for folder, subfolders, names in os.walk(source):
        subfolders[:] = [name for name in subfolders if name not in {"node_modules", "__pycache__"}]
        into = target / Path(folder).relative_to(source)
        into.mkdir(exist_ok=True)
        for name in names:
            shutil.copyfile(Path(folder) / name, into / name)


def _replace(target: Path, data: bytes) -> None:
    """Write the whole file or nothing."""
    temporary = _beside(target)
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    """An unused hidden name in the same folder."""
    return target.with_name(f".{target.name}-{secrets.token_hex(4)}")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
