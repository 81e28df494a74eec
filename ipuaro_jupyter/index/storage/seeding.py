"""Begin the index of a folder with a copy of that of another clone, worktree or copy of it.

Most files of two clones are the same, and what is known of a file depends on the files of its
project alone. So the server copies the index of the other, and the update that follows reads and
compares every file, and parses those whose content differs.
"""

import secrets
import time

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, unsealed
from ipuaro_jupyter.index.storage.shapes.shape_changes import ShapeChanges
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex, decode, encode
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.store.projects import stored_projects
from ipuaro_jupyter.workspace.files.listing import Listing

_LEAST_FILES = 50
_LEAST_ALIKE = 0.8
_LOOKS = 200
_MOST_PROJECTS = 30


def seed(stored: StoredIndex, listing: Listing, lease: Lease) -> bool:
    """Copy the index of the project that is most like this one, if one is like it at all.

    Args:
        stored: The index to make.
        listing: All files of the project.
        lease: The right to write the index.

    Returns:
        Whether the index is now such a copy, with the files as they are in the other folder.

    Raises:
        LeaseLostError: Another process has begun to write; the index is as it was.
    """
    store = stored.store
    token = secrets.token_hex(4)
    staged = {key: f"{stored.keys.staging(key)}:{token}" for key in stored.key_names}
    try:
        other = _most_alike(stored, listing)
        if other is None or not _copied(other, stored, staged):
            return False
        put_in_place(stored, staged, lease)
    except StorageError:  # such as a server that is too old to copy; the files are parsed
        return False
    finally:
        store.delete(*staged.values())
    return True


def put_in_place(stored: StoredIndex, staged: dict[str, str], lease: Lease) -> None:
    """Make a copy of another index the project's own.

    Args:
        stored: The index to make.
        staged: Where the copy of each key is.
        lease: The right to write the index.

    The counts are those of the other index: they do not hold if the server has dropped a copy.

    Raises:
        LeaseLostError: Another process has begun to write; the index is as it was.
    """
    generation = str(time.time_ns()).encode()
    with lease.batch() as batch:
        rename = batch.rename
        for key, place in staged.items():
            rename(place, key)
        news = dict.fromkeys(("generation", "shape", "graph"), generation)
        news["changes"] = ShapeChanges().encoded
        news |= dict.fromkeys(("parsed", "known", "seconds"), encode(0))
        sealed_news = {name: sealed(name, value) for name, value in news.items()}
        batch.hset(stored.keys.index_info, sealed_news)


def _copied(other: StoredIndex, stored: StoredIndex, staged: dict[str, str]) -> bool:
    """Copy the keys of another index; return whether all of them are of one state of it."""
    before = other.info("generation")
    with stored.store.batch(atomic=False) as batch:
        for source, target in zip(other.key_names, stored.key_names, strict=True):
            batch.copy(source, staged[target])
    return other.info("generation") == before and other.is_whole()


def _most_alike(stored: StoredIndex, listing: Listing) -> StoredIndex | None:
    """The index of the project that has most of the files; None when none has nearly all."""
    paths = sorted(listing.files)
    if len(paths) < _LEAST_FILES:
        return None
    looked = paths[:: max(1, len(paths) // _LOOKS)]
    best, most = None, _LEAST_ALIKE * len(looked)
    for project in stored_projects(stored.store)[:_MOST_PROJECTS]:
        if project.project_id == stored.keys.project_id:
            continue
        other = StoredIndex(stored.store, Keys(project.project_id))
        alike = _alike(other, listing, looked)
        if alike >= most and _is_usable(other):
            best, most = other, alike + 1
    return best


def _alike(other: StoredIndex, listing: Listing, paths: list[str]) -> int:
    """The number of files that have the same size in another index."""
    values = other.store.hmget(other.keys.files, paths)
    try:
        sizes = [
            None if value is None else decode(FileEntry, unsealed(path, value)).size
            for path, value in zip(paths, values, strict=True)
        ]
    except IndexDamagedError:
        return -1
    return sum(listing.files[p].size == size for p, size in zip(paths, sizes, strict=True))


def _is_usable(other: StoredIndex) -> bool:
    try:
        return other.is_whole() and other.info("format") == [index_format().encode()]
    except IndexDamagedError:
        return False
