"""What the runtime has read of a prompt's head, kept on disk for its next start.

Reading a head of two thousand tokens takes a slow machine more than a minute, and loading what was
read less than a second.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from importlib.metadata import PackageNotFoundError, version
from itertools import takewhile
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.parse import urlsplit

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm.local.server_folder import Running
from ipuaro_jupyter.records.chat import Message, ToolSchema

_MOST_FILES = 8
_MOST_BYTES = 2_000_000_000
_ABANDONED_S = 3600.0
_WITHIN_S = 60.0
_STEP_S = 0.05
_BEGINNING_BYTES = 1 << 20
_OK = 200


class SavedHeads:
    """The heads that were kept for one file of weights.

    Args:
        weights: The file.
        folder: The private folder of its heads, to which the server writes.
    """

    def __init__(self, weights: Path, folder: Path) -> None:
        self._weights = weights
        self._folder = folder

    def name(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> str:
        """The name of a conversation's head: of its system messages and tools.

        It differs for other weights and for another version of the runtime.
        """
        system = takewhile(lambda message: message.role == "system", messages)
        parts = [
            *_runtime_and_weights(self._weights),
            *(message.content for message in system),
            *(json.dumps([t.name, t.description, t.parameters], sort_keys=True) for t in tools),
        ]
        return _digest(parts)

    def restore(self, name: str, running: Running, cancel: CancelToken) -> bool:
        """Let the server go on from a head; returns whether it does.

        One that the server does not take is removed.

        Raises:
            Cancelled: The token was set.
        """
        path = self._path(name)
        if not path.exists():
            return False
        taken = _ordered(running, "restore", path.name, cancel)
        with suppress(OSError):
            if taken:
                os.utime(path)
            else:
                path.unlink()
        return taken

    def save(self, name: str, running: Running, cancel: CancelToken) -> None:
        """Keep what the server has read last under a head's name.

        Raises:
            Cancelled: The token was set.
        """
        part = self._path(name).with_suffix(f".{os.getpid()}.part")
        if _ordered(running, "save", part.name, cancel):
            with suppress(OSError):
                part.replace(self._path(name))
        trim(self._folder.parent)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.bin"


def trim(root: Path) -> None:
    """Remove the heads that were not used for longest, of all weights together.

    Args:
        root: The folder of the folders of heads.
    """
    found = sorted(_files(root.glob("*/*.bin")), reverse=True)
    size = 0
    for number, (_, bytes_, path) in enumerate(found):
        size += bytes_
        if number >= _MOST_FILES or size > _MOST_BYTES:
            path.unlink(missing_ok=True)
    for changed, _, path in _files(root.glob("*/*.part")):
        if time.time() - changed > _ABANDONED_S:
            path.unlink(missing_ok=True)


def _files(paths: Iterable[Path]) -> Iterator[tuple[float, int, Path]]:
    for path in paths:
        with suppress(OSError):
            found = path.stat()
            yield found.st_mtime, found.st_size, path


def _runtime_and_weights(weights: Path) -> list[str]:
    try:
        runtime = version("xllamacpp")
    except PackageNotFoundError:
        runtime = ""
    found = weights.stat()
    with weights.open("rb") as file:
        beginning = hashlib.sha256(file.read(_BEGINNING_BYTES)).hexdigest()
    return [runtime, str(found.st_size), str(found.st_mtime_ns), beginning]


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode("utf-8", "replace")).digest())
    return digest.hexdigest()[:32]


def _ordered(running: Running, action: str, file: str, cancel: CancelToken) -> bool:
    """Have the server save or restore its slot; return whether it did.

    Raises:
        Cancelled: The token was set; the server carries the order out all the same.
    """
    done: SimpleQueue[bool] = SimpleQueue()
    threading.Thread(
        target=lambda: done.put(_posted(running, action, file)), name="ipuaro-heads", daemon=True
    ).start()
    while True:
        cancel.check()
        with suppress(Empty):
            return done.get(timeout=_STEP_S)


def _posted(running: Running, action: str, file: str) -> bool:
    address = urlsplit(running.address)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=_WITHIN_S)
    headers = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
    try:
        body = json.dumps({"filename": file})
        connection.request("POST", f"/slots/0?action={action}", body, headers)
        return connection.getresponse().status == _OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
