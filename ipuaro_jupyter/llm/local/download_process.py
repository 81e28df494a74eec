"""The process that downloads a file of weights: the only door to ``huggingface_hub``.

``python -m ipuaro_jupyter.llm.local.download_process REPOSITORY FILE TARGET PARENT`` writes one
JSON object per step to its output: the `status`, `total` and `part` once they are known, and the
`error` when it fails. Ending the process stops the download; what has come is kept beside the
target and continued the next time. It ends itself when its parent has gone.

``hf_hub_download`` is not used: since huggingface_hub 1.x it begins anew each time, and it does not
compare hashes.
"""

import hashlib
import io
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ipuaro_jupyter.store.locks import grab

_READ_BYTES = 1 << 20
_SHA256_DIGITS, _SHA1_DIGITS = 64, 40
_MOST_NAMES = 12


def main() -> None:
    """Download the file of the arguments."""
    repository, file, target, parent = sys.argv[1:]
    threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    os.environ |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    import huggingface_hub.errors as problems  # noqa: PLC0415 - after the environment

    try:
        _download(repository, file, Path(target))
    except _RefusedError as error:
        _say(error=str(error))
    except problems.EntryNotFoundError:
        _say(error=f"{repository} has no file {file!r}. {_others(repository)}".strip())
    except problems.GatedRepoError:
        _say(error=f"{repository} wants you to accept its terms: do so on its page, and set "
             "HF_TOKEN to a token of yours.")  # fmt: skip
    except problems.RepositoryNotFoundError:
        _say(error=f"there is no repository {repository!r}, or it is private: check the name, or "
             "set HF_TOKEN to a token that may read it.")  # fmt: skip
    except Exception as error:  # noqa: BLE001 - the last thing that it does is to say why
        if _is_unreachable(error):
            _say(error=f"{_endpoint()} cannot be reached. Check the network (HF_ENDPOINT names a "
                 "mirror), or fetch the file by other means and name it gguf:PATH.")  # fmt: skip
            return
        said = str(error).strip().splitlines() or [type(error).__name__]
        _say(error=f"{said[0]} ({_endpoint()}). What has come is kept: pull again to continue.")


def _is_unreachable(error: BaseException | None) -> bool:
    """Whether there was no connection at all, whichever HTTP client says so."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError) or type(error).__name__ == "ConnectError":
            return True
        error = error.__cause__ or error.__context__
    return False


class _RefusedError(Exception):
    """The download cannot go on; the message holds the remedy."""


def _download(repository: str, file: str, target: Path) -> None:
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url  # noqa: PLC0415
    from huggingface_hub.file_download import http_get  # noqa: PLC0415
    from huggingface_hub.utils import build_hf_headers  # noqa: PLC0415

    constants.DOWNLOAD_CHUNK_SIZE = _READ_BYTES  # what is lost when it is stopped
    found = get_hf_file_metadata(hf_hub_url(repository, file))
    etag, size = found.etag or "", found.size
    if len(etag) not in (_SHA256_DIGITS, _SHA1_DIGITS) or size is None:
        raise _RefusedError(f"{_endpoint()} does not tell the hash and the size of {file!r}.")
    part = target.with_name(f".{target.name}.{etag[:16]}.part")
    _say(status="downloading", total=size, part=str(part))
    if target.is_file() and target.stat().st_size == size and _is_whole(target, etag):
        return _say(status="success")
    lock = grab(part.with_suffix(".lock"))
    if lock is None:
        raise _RefusedError("it is being pulled already, by another kernel.")
    have = part.stat().st_size if part.exists() else 0
    if have > size:
        part.unlink()
        have = 0
    _check_space(target.parent, size - have)
    _say(status="downloading")
    url = hf_hub_url(repository, file, revision=found.commit_hash)
    headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
    with _BoundedFile(part, size) as output:
        http_get(url, output, resume_size=have, headers=headers, expected_size=size)
        os.fsync(output.fileno())
    if not _is_whole(part, etag):
        part.unlink()
        raise _RefusedError("its hash is wrong, so it was removed: pull again.")
    part.replace(target)
    for other in target.parent.glob(f".{target.name}.*"):
        other.unlink(missing_ok=True)
    return _say(status="success")


class _BoundedFile(io.FileIO):
    """What has come of a file, which takes no more bytes than the file has."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path, "ab")
        self._path, self._most = path, most

    def write(self, data: Any, /) -> int:
        """Append a piece.

        Raises:
            _RefusedError: It is too much.
        """
        if self.tell() + len(data) > self._most:
            self._path.unlink()
            told = f"{_endpoint()} sent more than the {self._most:,} bytes that it had told"
            raise _RefusedError(f"{told}, so what came was removed.")
        return super().write(data)


def _is_whole(path: Path, etag: str) -> bool:
    """Whether a file has the hash that the server tells: of large files SHA-256, else git's."""
    _say(status="checking")
    if len(etag) == _SHA256_DIGITS:
        digest = hashlib.sha256()
    else:
        digest = hashlib.sha1(usedforsecurity=False)
        digest.update(f"blob {path.stat().st_size}\0".encode())
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest() == etag


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            yield block


def _check_space(folder: Path, wanted: int) -> None:
    free = shutil.disk_usage(folder).free
    if wanted > free:
        raise _RefusedError(
            f"it takes {wanted / 1e9:.1f} GB and {free / 1e9:.1f} GB are free on the disk of "
            f"{str(folder)!r}: make room, or set IPUARO_HOME to another disk."
        )


def _others(repository: str) -> str:
    """What else the repository has."""
    from huggingface_hub import HfApi  # noqa: PLC0415 - rarely needed

    try:
        files = HfApi().list_repo_files(repository)
    except Exception:  # noqa: BLE001 - it only adds to a message
        return ""
    names = [name for name in files if name.lower().endswith(".gguf")]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"It has {', '.join(names[:_MOST_NAMES])}{more}." if names else "It has no GGUF files."


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def _say(**step: Any) -> None:
    print(json.dumps(step), flush=True)  # noqa: T201 - how it talks to its parent


def _end_with(parent: int) -> None:
    """End this process when the parent closes its end of the pipe."""
    os.read(parent, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
