"""Make a damaged append-only file of the embedded server loadable again.

The server adds each change to the end of that file, so all that precedes the damage is whole. That
part stays; the damaged file is kept beside it. See "Redis serialization protocol" for the form, and
valkey-check-aof.c for what counts as whole.
"""

import os
import re
import shutil
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

FOLDER = "appendonlydir"
_TROUBLE = re.compile(
    r"append.only|\bAOF\b|\bRDB\b|[Ss]hort read|Bad file format|BUG REPORT|crashed by signal"
)
_HINDERED = re.compile(
    r"out of memory|allocate memory|failed allocating|permission denied|no space left|disk quota"
    r"|read-only file system|too many open files|input/output error",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(
    r"Short read|Bad file format|RDB preamble|Wrong RDB checksum|Internal error in RDB"
    r"|Duplicated key found in RDB|AOF manifest|FATAL AOF MANIFEST"
    r"|Unable to obtain the AOF file .*No such file"
)
_UNKNOWN = re.compile(r"[Uu]nknown command '([^']*)'")
_ADVICE = re.compile(
    r"[:.] (?:make a backup of your AOF file|You can: 1\)).*", re.DOTALL | re.IGNORECASE
)
_LISTED = re.compile(r"^file (\S+) seq \d+ type ([bi])", re.MULTILINE)
_COUNT = re.compile(rb"\*([1-9][0-9]{0,7})\r\n")
_LENGTH = re.compile(rb"\$([0-9]{1,10})\r\n")
_NAME = re.compile(rb"[A-Za-z][A-Za-z._|-]{0,40}")
_TEMPORARY = "temp-"
_DAMAGED = "was damaged"
_LONGEST_LINE = 1100
_CHUNK = 1_000_000


class Whole(NamedTuple):
    """How much of a file is whole, in bytes.

    Attributes:
        end: The end of the last whole change.
        before: The end of the change before that, which may be what is damaged.
    """

    end: int
    before: int


def is_about_data(words: str) -> bool:
    """Whether the last words of a server say that it could not load its data.

    They do not when it was short of memory or space, or was not allowed to open a file.
    """
    return _TROUBLE.search(words) is not None and not _HINDERED.search(words)


def cause(text: str) -> str:
    """The line that names why a server ended, "" when none does.

    It is what keeps it from loading even whole data, else what of the data cannot be read.
    """
    lines = [line.strip() for line in text.splitlines()]
    found = (line for kind in (_HINDERED, _UNREADABLE) for line in lines if kind.search(line))
    return next(found, "")


def without_advice(words: str) -> str:
    """The last words of a server without the advice to run a program that is not shipped here."""
    return _ADVICE.sub("", words)


class DataMending:
    """Mends the data in a folder step by step, while no server runs there.

    Args:
        data: The folder.
    """

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER
        self._kept = data / time.strftime("damaged-%Y%m%d-%H%M%S")

    def step(self, words: str, *, is_last: bool) -> str:
        """Leave out what is damaged: from there on, then also the change before, at last all.

        Data that is not known to be damaged stays.

        Args:
            words: The last words of the server that could not load the data.
            is_last: Leave out everything, if the data is known to be damaged.

        Returns:
            A sentence for the user; "" when there is nothing to do in this step.
        """
        unknown = _UNKNOWN.search(words)
        files = _listed(self._folder)
        bases = (name for name, kind in files if kind == "b")
        if any(_is_no_base(self._folder / name) for name in bases):
            return self._set_aside()
        if is_last:
            is_known = self._kept.exists() or _UNREADABLE.search(words)
            return self._set_aside() if is_known else ""
        added = [self._folder / name for name, kind in files if kind == "i"]
        for number, file in enumerate(added):
            size = file.stat().st_size
            with file.open("rb") as content:
                whole = _whole(content, unknown[1].encode() if unknown else b"")
            is_cut = (self._kept / file.name).exists()
            if whole.end < size or is_cut:
                self._cut(file, whole.before if is_cut else whole.end)
                for later in added[number + 1 :]:
                    self._cut(later, 0)
                size = (self._kept / file.name).stat().st_size
                part = (
                    f"It has started with what is whole: {file.stat().st_size:,} of {size:,} bytes."
                )
                return _told(part, self._kept / file.name)
        return ""

    def set_unlisted_aside(self) -> str:
        """Keep files beside that no manifest lists: the server would write over them.

        Returns:
            A sentence for the user; "" when there are none.
        """
        if not _is_unlisted(self._folder):
            return ""
        return self._set_aside("lost its list of files (the AOF manifest)")

    def undo(self) -> None:
        """Put everything back, after a server that did not start without it either."""
        if not self._kept.exists():
            return
        if (self._kept / FOLDER).exists():
            shutil.rmtree(self._folder, ignore_errors=True)  # what the last attempt began
            (self._kept / FOLDER).rename(self._folder)
        for file in list(self._kept.iterdir()):
            file.replace(self._folder / file.name)
            file.unlink(missing_ok=True)  # replacing a file by itself leaves both
        self._kept.rmdir()

    def _set_aside(self, trouble: str = _DAMAGED) -> str:
        if not self._folder.is_dir():
            return ""
        self._kept.mkdir(mode=0o700, exist_ok=True)
        self._folder.rename(self._kept / FOLDER)
        return _told("It has begun anew.", self._kept, trouble)

    def _cut(self, file: Path, end: int) -> None:
        """Leave the first ``end`` bytes of a file, and keep what it was before the first cut."""
        self._kept.mkdir(mode=0o700, exist_ok=True)
        kept, staged = self._kept / file.name, file.with_name(f"{file.name}.part")
        with file.open("rb") as source, staged.open("wb") as target:
            while data := source.read(min(_CHUNK, end - target.tell())):
                target.write(data)
            target.flush()
            os.fsync(target.fileno())
        if not kept.exists():
            kept.hardlink_to(file)
        staged.replace(file)


def _told(part: str, kept: Path, trouble: str = _DAMAGED) -> str:
    return (
        f"The data of the embedded Redis server {trouble}. {part} The damaged data is kept as "
        f"{str(kept)!r}. What could be undone, and what was kept of conversations, may be missing."
    )


def _is_unlisted(folder: Path) -> bool:
    """Whether there is data, and no manifest that lists it."""
    try:
        files = [file for file in folder.iterdir() if not file.name.startswith(_TEMPORARY)]
    except FileNotFoundError:
        return False
    if any(file.suffix == ".manifest" for file in files):
        return False
    return any(file.suffix in {".aof", ".rdb"} and file.stat().st_size for file in files)


def _is_no_base(file: Path) -> bool:
    """Whether the part that was written as a whole cannot be what its name says."""
    with file.open("rb") as content:
        return file.suffix == ".rdb" and not content.read(6).startswith((b"REDIS", b"VALKEY"))


def _listed(folder: Path) -> list[tuple[str, str]]:
    """The files that the server loads, in this order, each with its kind."""
    try:
        (manifest,) = folder.glob("*.manifest")
        text = manifest.read_text("utf-8", "replace")
    except (OSError, ValueError):
        return []
    listed: list[tuple[str, str]] = _LISTED.findall(text)
    return [(name, kind) for name, kind in listed if (folder / name).is_file()]


def _whole(file: BinaryIO, unknown: bytes) -> Whole:
    """How much of a file is whole; a command with the name ``unknown`` is not."""
    size = os.fstat(file.fileno()).st_size
    whole, is_inside = Whole(0, 0), False
    while True:
        name = _command(file, size)
        if name is None or (unknown and name == unknown):
            return whole
        if name.upper() == b"MULTI":
            is_inside = True
        elif name.upper() == b"EXEC":
            is_inside = False
        if not is_inside:
            whole = Whole(file.tell(), whole.end)


def _command(file: BinaryIO, size: int) -> bytes | None:
    """The name of the next command, "" for a comment; None at the end and where it is damaged."""
    line = file.readline(_LONGEST_LINE)
    if line.startswith(b"#") and line.endswith(b"\r\n"):
        return b""
    count = _COUNT.fullmatch(line)
    name: bytes | None = None
    for number in range(int(count[1]) if count else 0):
        length = _LENGTH.fullmatch(file.readline(_LONGEST_LINE))
        end = file.tell() + int(length[1]) if length else size
        if end + 2 > size:
            return None
        if number == 0:
            name = file.read(end - file.tell())
            if not _NAME.fullmatch(name):
                return None
        file.seek(end)
        if file.read(2) != b"\r\n":
            return None
    return name
