"""What this machine has left for a model, under the limits of its container."""

import os
from pathlib import Path

import psutil

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def available_bytes(groups: Path = _CONTROL_GROUPS, own: Path = _OWN_GROUPS) -> int:
    """The memory that a new process can take without swapping.

    Args:
        groups: Where the system keeps its control groups.
        own: The file that names those of this process.
    """
    left = [int(psutil.virtual_memory().available)]
    for folder in _folders(groups, own):
        for limit, used, cached in (
            ("memory.max", "memory.current", ("inactive_file", "active_file")),
            (
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                ("total_inactive_file", "total_active_file"),
            ),
        ):
            most, taken = _number(folder / limit), _number(folder / used)
            if most is not None and taken is not None:
                left.append(most - taken + _cached(folder / "memory.stat", cached))
    return max(0, min(left))


def usable_cores(groups: Path = _CONTROL_GROUPS, own: Path = _OWN_GROUPS) -> int:
    """The cores that this process may use: the physical ones, fewer by affinity or by quota."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    for folder in _folders(groups, own):
        try:
            quota, period = (folder / "cpu.max").read_text("ascii").split()
            cores = min(cores, int(quota) // int(period))
        except (OSError, ValueError):
            continue  # no such file, or "max"
    return max(1, cores)


def _folders(groups: Path, own: Path) -> list[Path]:
    """The folders of the process's control groups, with those above them."""
    try:
        lines = own.read_text("utf-8").splitlines()
    except OSError:
        return []
    found = [groups, groups / "memory"]
    for line in lines:
        _, names, path = [*line.split(":", 2), "", ""][:3]
        root = groups / "memory" if "memory" in names.split(",") else groups
        inside = Path(path.lstrip("/"))
        if ".." in inside.parts:
            continue
        found += [root / step for step in (inside, *inside.parents)]
    return list(dict.fromkeys(found))


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _cached(path: Path, names: tuple[str, ...]) -> int:
    """The bytes of files that the system drops when memory is wanted."""
    try:
        entries = dict(line.split(" ", 1) for line in path.read_text("ascii").splitlines())
        return sum(int(entries.get(name, 0)) for name in names)
    except (OSError, ValueError):
        return 0
