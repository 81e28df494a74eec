"""The project settings that the user has approved, identified by the hash of their content."""

import hashlib
from pathlib import Path

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.whole_file import write_whole


def is_trusted(root: Path, content: bytes) -> bool:
    """Whether the user has approved exactly this content for the project at ``root``."""
    try:
        return _place(root).read_text("utf-8").strip() == _hash(content)
    except (OSError, UnicodeDecodeError):
        return False


def trust(root: Path, content: bytes) -> None:
    """Record that the user has approved ``content``, in place of anything approved before.

    Raises:
        SettingsError: The record cannot be written.
    """
    place = _place(root)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(place, [_hash(content), "\n"])
    except OSError as error:
        raise SettingsError(
            f"{str(place)!r} cannot be written: {error.strerror}. It would say that you have "
            "approved the project's settings."
        ) from error


def _place(root: Path) -> Path:
    return home() / "trusted" / project_id(root)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
