"""Data that the embedded server cannot load: set aside whole, after its own check tool had a try.

What the tool cannot save is begun anew. The index is made again from the files; what else was lost
is told, and where the damaged data is kept.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER = "appendonlydir"
_UNREADABLE = re.compile(
    r"reading the append.only file|Short read|AOF manifest|RDB preamble|Wrong RDB checksum"
    r"|Internal error in RDB|Duplicated key found in RDB"
    r"|Unable to obtain the AOF file .*No such file",
    re.IGNORECASE,
)
_HINDERED = re.compile(
    r"out of memory|allocate memory|failed allocating|permission denied|no space left|disk quota"
    r"|read-only file system|too many open files|input/output error|handle RDB format version",
    re.IGNORECASE,
)
_NEWER = re.compile(r"handle RDB format version.*")
_CRASH = "BUG REPORT"
_ADVICE = re.compile(
    r"[:.] (?:make a backup of your AOF file|You can: 1\)).*", re.DOTALL | re.IGNORECASE
)
_ADDED = re.compile(r"^file (\S+) seq \d+ type i", re.MULTILINE)
_CHECK_S = 600.0


def cause(log: str) -> str:
    """The line of a log that names why a server ended, without the advice to run other programs.

    It is what keeps it from loading even whole data, else what of the data cannot be read.
    """
    lines = [line for line in map(str.strip, log.splitlines()) if line]
    kinds = (_HINDERED.search, _UNREADABLE.search, re.compile(_CRASH).search, bool)
    found = (line for kind in kinds for line in reversed(lines) if kind(line))
    told = _ADVICE.sub("", next(found, "it said nothing"))
    return _NEWER.sub(r"\g<0>: a newer server has written the data, so install that one", told)


class DamagedData:
    """The data in a folder, while no server runs there.

    Args:
        data: The folder.
        program: The server program, which is the check tool, too, under the tool's name.
    """

    def __init__(self, data: Path, program: Path) -> None:
        self._folder = data / FOLDER
        self._kept = data / time.strftime("damaged-%Y%m%d-%H%M%S")
        self._program = program

    @property
    def is_unlisted(self) -> bool:
        """Whether there are files that no manifest lists: the server would write over them."""
        files = [file for file in self._folder.glob("*") if not file.name.startswith("temp-")]
        if any(file.suffix == ".manifest" for file in files):
            return False
        return any(file.suffix in {".aof", ".rdb"} and file.stat().st_size for file in files)

    def is_meant(self, words: str) -> bool:
        """Whether a server ended with these words because it could not read its data.

        Of a crash the check tool decides. Memory or leave that is lacking is no damage, nor is what
        a newer server has written.
        """
        if _HINDERED.search(words):
            return False
        return bool(_UNREADABLE.search(words)) or (_CRASH in words and not self._is_checked())

    def attempts(self, trouble: str) -> Iterator[str]:
        """Set the data aside, then leave in its place what may load, the most first.

        Args:
            trouble: What has happened to it.

        Yields:
            A sentence for the user, once that is in place.

        Raises:
            OSError: A file cannot be moved or copied.
        """
        told = (
            f"The data of the embedded Redis server {trouble}. {{}} The damaged data is kept as "
            f"{str(self._kept)!r}. What could be undone, and what was kept of conversations, may "
            "be missing."
        )
        self._kept.mkdir(mode=0o700, exist_ok=True)
        self._folder.rename(self._kept / FOLDER)
        shutil.copytree(self._kept / FOLDER, self._folder)
        if self._is_checked("--fix"):
            saved, all_ = _size(self._folder), _size(self._kept / FOLDER)
            whole = f"It has started with what is whole: {saved:,} of {all_:,} bytes."
            yield told.format(whole)
        shutil.rmtree(self._folder)
        yield told.format("It has begun anew.")

    def undo(self) -> None:
        """Put everything back, after a server that did not start without it either."""
        if (self._kept / FOLDER).exists():
            shutil.rmtree(self._folder, ignore_errors=True)
            (self._kept / FOLDER).rename(self._folder)
        with suppress(FileNotFoundError):
            self._kept.rmdir()

    def _is_checked(self, *options: str) -> bool:
        """Whether the check tool finds nothing wrong in what was added, or has cut it off.

        It gets file after file: Valkey's takes a base of Valkey's, which is named in the manifest,
        for damaged. What follows a file that was cut off is left out.
        """
        manifest = next(self._folder.glob("*.manifest"), None)
        if manifest is None:
            return False
        is_cut = False
        for name in _ADDED.findall(manifest.read_text("utf-8", "replace")):
            file = self._folder / name
            size = file.stat().st_size if file.is_file() else 0
            if is_cut and size:
                file.write_bytes(b"")
            elif size and not self._is_mended(file, *options):
                return False
            is_cut = is_cut or (size > 0 and file.stat().st_size < size)
        return True

    def _is_mended(self, file: Path, *options: str) -> bool:
        command = ["redis-check-aof", *options, str(file)]
        try:
            done = subprocess.run(  # noqa: S603 - our own program, no shell
                command,
                executable=self._program,
                input=b"y\n",
                capture_output=True,
                timeout=_CHECK_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())
