"""What a name like ``gguf:PATH`` or ``gguf:OWNER/REPO/FILE`` stands for."""

import re
from pathlib import Path
from typing import NamedTuple, Self

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.store.user_folders import home

GGUF = "gguf:"
_LEAST_PARTS = 3
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,127}")
_SPLIT = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)
_MOST_FILES = 1000
_FORM = "gguf:OWNER/REPO/FILE.gguf, where FILE may lie in folders"


class PulledName(NamedTuple):
    """A file of a repository on Hugging Face.

    Attributes:
        repository: The owner and the name, such as "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF".
        file: The path inside the repository, with forward slashes.
    """

    repository: str
    file: str

    @classmethod
    def of(cls, name: str) -> Self | None:
        """Read "OWNER/REPO/FILE", with or without "gguf:"; None for a path on this machine.

        Anything with three parts or more that does not begin like a path (``/``, ``~``, ``.``) is
        a file to pull.

        Raises:
            ModelError: A part has characters that no repository has, or would leave its folder.
        """
        text = name.removeprefix(GGUF)
        parts = text.split("/")
        if text.startswith(("/", "~", ".")) or len(parts) < _LEAST_PARTS:
            return None
        if not all(_PART.fullmatch(part) for part in parts) or not is_weights(parts[-1]):
            raise ModelError(
                f"{GGUF}{text} is no file on Hugging Face: the form is {_FORM}. A path on this "
                f"machine begins with / or ./, such as {GGUF}./{text}."
            )
        return cls("/".join(parts[:2]), "/".join(parts[2:]))

    @property
    def path(self) -> Path:
        """Where the file is, or would be, on this machine."""
        return models_folder() / self.repository / self.file

    def shared_path(self, folder: str | None) -> Path | None:
        """Where the file is in a folder that all users share; None if it is not, or the user's."""
        if folder is None or _is_file(self.path):
            return None
        path = Path(folder).expanduser() / self.repository / self.file
        return path if _is_file(path) else None

    @property
    def files(self) -> "tuple[PulledName, ...]":
        """This file, and the others of weights that are split into several."""
        return tuple(PulledName(self.repository, file) for file in split_files(self.file))

    def __str__(self) -> str:
        return f"{GGUF}{self.repository}/{self.file}"


def split_files(file: str) -> tuple[str, ...]:
    """All files of weights that are split, by the name of one of them; any other name alone.

    The runtime is given the first, and finds the others beside it.
    """
    found = _SPLIT.search(file)
    if found is None or not 1 <= int(found[2]) <= _MOST_FILES:
        return (file,)
    return tuple(
        f"{file[: found.start()]}-{number:05}-of-{found[2]}{file[found.end() :]}"
        for number in range(1, int(found[2]) + 1)
    )


def is_weights(file: str) -> bool:
    """Whether a file's name is that of weights that the runtime can load."""
    return file.lower().endswith(".gguf")


def weights_path(name: str, base: Path, shared: str | None = None) -> Path:
    """The file that a name stands for, which may not exist.

    Args:
        name: With or without "gguf:".
        base: The folder to which a path is relative.
        shared: A folder of files that all users share. One of the user's own comes first.

    Raises:
        ModelError: It names neither a path nor a file that can be pulled.
    """
    pulled = PulledName.of(name)
    if pulled is not None:
        first = pulled.files[0]
        return first.shared_path(shared) or first.path
    text = name.removeprefix(GGUF)
    if not text or "\0" in text:
        raise ModelError(f"{name!r} names no file: write gguf:PATH or {_FORM}.")
    try:
        return base / Path(split_files(text)[0]).expanduser()
    except RuntimeError as error:  # ~ of an unknown user
        raise ModelError(f"{name!r} names no file: {error}.") from error


def is_weights_path(name: str) -> bool:
    """Whether a model's name begins with "gguf:" and is not that of a file that can be pulled."""
    try:
        return name.startswith(GGUF) and PulledName.of(name) is None
    except ModelError:
        return True


def models_folder() -> Path:
    """The folder of the files that were pulled."""
    return home() / "models"


def pulled_names(shared: str | None = None) -> tuple[str, ...]:
    """The names of the files that were pulled, sorted; of split weights the first.

    Args:
        shared: A folder of files that all users share, which are listed too.
    """
    roots = [models_folder(), *([Path(shared).expanduser()] if shared is not None else [])]
    found = {
        path.relative_to(root).as_posix()
        for root in roots
        for path in root.glob("*/*/**/*")
        if _is_file(path)
    }
    return tuple(sorted(f"{GGUF}{name}" for name in found if _is_first(name)))


def _is_file(path: Path) -> bool:
    """Whether there is such a file, as far as this user can see."""
    try:
        return path.is_file()
    except OSError:
        return False


def _is_first(name: str) -> bool:
    return is_weights(name) and split_files(name)[0] == name
