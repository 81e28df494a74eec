"""What of a project the user has approved: its settings, and questions in files.

Both are identified by the hash of their content.
"""

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
    _write(_place(root), [_hash(content)], "the project's settings")


def is_trusted_template(root: Path, content: bytes) -> bool:
    """Whether the user has approved exactly this text of a question for the project at ``root``."""
    return _hash(content) in _trusted_templates(root)


def trust_template(root: Path, content: bytes) -> None:
    """Record that the user has approved ``content``, beside what was approved before.

    Raises:
        SettingsError: The record cannot be written.
    """
    known = [*_trusted_templates(root), _hash(content)]
    _write(_templates_place(root), known, "a question of the project")


def _trusted_templates(root: Path) -> dict[str, None]:
    try:
        return dict.fromkeys(_templates_place(root).read_text("utf-8").split())
    except (OSError, UnicodeDecodeError):
        return {}


def _write(place: Path, hashes: list[str], approved: str) -> None:
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(place, [f"{one}\n" for one in hashes])
    except OSError as error:
        raise SettingsError(
            f"{str(place)!r} cannot be written: {error.strerror}. It would say that you have "
            f"approved {approved}."
        ) from error


def _place(root: Path) -> Path:
    return home() / "trusted" / project_id(root)


def _templates_place(root: Path) -> Path:
    return home() / "trusted" / f"{project_id(root)}.questions"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
