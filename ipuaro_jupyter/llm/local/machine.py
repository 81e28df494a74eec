"""What this machine has left for a model, under the limits of its container."""

import os
from pathlib import Path

import psutil

from ipuaro_jupyter.control_groups import group_folders, memory_left_bytes


def available_bytes(groups: Path | None = None, own: Path | None = None) -> int:
    """The memory that a new process can take without swapping.

    Args:
        groups: Where the system keeps its control groups; None: the usual place.
        own: The file that names those of this process; None: the usual one.
    """
    free = int(psutil.virtual_memory().available)
    left = memory_left_bytes(groups, own)
    return free if left is None else max(0, min(free, left))


def usable_cores(groups: Path | None = None, own: Path | None = None) -> int:
    """The cores that this process may use: the physical ones, fewer by affinity or by quota."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    for folder in group_folders(groups, own):
        try:
            quota, period = (folder / "cpu.max").read_text("ascii").split()
            cores = min(cores, int(quota) // int(period))
        except (OSError, ValueError):
            continue  # no such file, or "max"
    return max(1, cores)
