"""Links from a notebook to files of the project."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from ipuaro_jupyter.records.chat import NamedPlace
from ipuaro_jupyter.views.markup import element

_NOTEBOOK = "JPY_SESSION_NAME"


def href(root: str, path: str) -> str | None:
    """The quoted URL of a file relative to the notebook's folder.

    None when they share no folder but the root of the file system.
    """
    if not root:
        return None
    place, here = Path(root, path), _here()
    try:
        common = Path(os.path.commonpath([place, here]))
    except ValueError:  # on different drives
        return None
    if common == common.parent:
        return None
    return quote(Path(os.path.relpath(place, here)).as_posix(), errors="surrogateescape")


def _here() -> Path:
    """The notebook's folder as Jupyter's server has told the kernel, else where the kernel works.

    The two differ after ``%cd``.
    """
    notebook = Path(os.environ.get(_NOTEBOOK, ""))
    return (
        notebook.parent.resolve() if notebook.is_absolute() and notebook.is_file() else Path.cwd()
    )


class FileLinks:
    """The places that a text names, as links.

    Args:
        places: The places.
        root: The folder that they are in.
    """

    def __init__(self, places: tuple[NamedPlace, ...], root: str) -> None:
        self._places: Mapping[str, NamedPlace] = {one.named: one for one in places}
        self._root = root
        names = "|".join(map(re.escape, sorted(self._places, key=len, reverse=True)))
        self._found = re.compile(rf"(?<![\w./@~-])(?:{names})(?![\w/-]|[.:]\w)") if names else None

    def split(self, text: str) -> list[tuple[str, NamedPlace | None]]:
        """A text in parts, each with the place that it names, if any."""
        parts: list[tuple[str, NamedPlace | None]] = []
        end = 0
        for match in self._found.finditer(text) if self._found else ():
            parts += [(text[end : match.start()], None), (match[0], self._places[match[0]])]
            end = match.end()
        return [(part, place) for part, place in [*parts, (text[end:], None)] if part]

    def place(self, text: str) -> NamedPlace | None:
        """The place that is named by the whole text."""
        return self._places.get(text.strip())

    def attributes(self, place: NamedPlace) -> dict[str, str | None]:
        """The attributes of a link to a place; see `place_attributes`."""
        return place_attributes(self._root, place)

    def link(self, label: str, place: NamedPlace) -> str:
        """A link to a place; ``label`` is HTML."""
        return place_link(self._root, label, place.path, place.line)


def place_attributes(root: str, place: NamedPlace) -> dict[str, str | None]:
    """The attributes of a link to a place below ``root``, which JupyterLab opens at its line.

    The class says how many folders it leads up: a front end with our extension offers another way
    to a file that its server does not have.
    """
    target = href(root, place.path)
    at = "" if place.line is None else f"#line={place.line - 1}"  # the editor counts from 0
    parts = (target or "").split("/")
    return {
        "class": f"ipuaro-place ipuaro-up-{parts.count('..')}",
        "href": None if target is None else f"{target}{at}",
        "title": place.path if place.line is None else f"{place.path}:{place.line}",
    }


def place_link(root: str, label: str, path: str, line: int | None = None) -> str:
    """A link to a place below ``root``; the label, which is HTML, alone where that is not known."""
    if not root:
        return label
    attributes = place_attributes(root, NamedPlace(named=path, path=path, line=line))
    return element("a", label, class_=attributes.pop("class"), **attributes)
