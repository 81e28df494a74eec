"""The state of a folder, and circumstances in which writing fails."""

import os
import resource
import stat
from contextlib import contextmanager

import pytest

from ipuaro_jupyter.errors import ToolError


def snapshot(root):
    """Return all folders, files with content and mode, and links."""
    found = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root).as_posix()
        mode = stat.S_IMODE(place.lstat().st_mode)
        if place.is_symlink():
            found[name] = str(place.readlink())
        else:
            found[name] = (mode, place.read_bytes()) if place.is_file() else None
    return found


@contextmanager
def raises(type_, match=None):
    with pytest.raises(ToolError, match=match) as caught:
        yield caught
    assert caught.value.type == type_
    assert caught.value.recoverable


@contextmanager
def full_disk(largest=100):
    """Let no file grow over ``largest`` bytes: to a program that is like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def write_deep(root, name, depth, file, data):
    """Write a file in a folder in a folder, deeper than a path can name."""
    folder = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    written = os.open(file, os.O_CREAT | os.O_WRONLY, dir_fd=folder)
    os.write(written, data)
    os.close(written)
    os.close(folder)
