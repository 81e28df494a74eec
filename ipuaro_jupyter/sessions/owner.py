"""The owner of an open session: a machine, a process on it, and a part of that process."""

import os
import secrets
import socket

import psutil


def new_owner() -> str:
    """A new owner name, unique across processes and within this one."""
    started = psutil.Process().create_time()
    return f"{socket.gethostname()}:{os.getpid()}:{started:.1f}:{secrets.token_hex(4)}"


def is_here(owner: str) -> bool:
    """Whether the owner is on this machine, so that `lives` can tell."""
    return _parts(owner)[0] == socket.gethostname()


def is_in_this_process(owner: str) -> bool:
    """Whether the owner is in this process, or in an earlier one with the same pid."""
    return is_here(owner) and _parts(owner)[1] == str(os.getpid())


def lives(owner: str) -> bool:
    """Whether the process of an owner on this machine is running."""
    _, pid, started = _parts(owner)
    try:
        return f"{psutil.Process(int(pid)).create_time():.1f}" == started
    except (psutil.Error, ValueError):
        return False


def described(owner: str) -> str:
    """An owner in words: process 123 on this machine, or on another one."""
    host, pid, _ = _parts(owner)
    return f"process {pid} on {'this machine' if is_here(owner) else host}"


def _parts(owner: str) -> tuple[str, str, str]:
    host, pid, started, _ = [*owner.rsplit(":", 3), "", "", ""][:4]
    return host, pid, started
