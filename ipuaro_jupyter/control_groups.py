"""The limits of the control groups of this process: those of its container, or of its service.

https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files, and those of version 1.
"""

from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_MEMORY_FILES = (
    ("memory.max", "memory.current", ("inactive_file", "active_file")),
    (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
)
_UNLIMITED_BYTES = 2**60  # version 1 writes its largest number of whole pages


def memory_left_bytes(groups: Path | None = None, own: Path | None = None) -> int | None:
    """The memory that the limits leave to this process; None without a limit.

    Args:
        groups: Where the system keeps its control groups; None: the usual place.
        own: The file that names those of this process; None: the usual one.
    """
    left = []
    for folder in group_folders(groups, own):
        for limit, used, cached in _MEMORY_FILES:
            most, taken = _number(folder / limit), _number(folder / used)
            if most is not None and taken is not None and most < _UNLIMITED_BYTES:
                left.append(max(0, most - taken + _cached(folder / "memory.stat", cached)))
    return min(left, default=None)


def group_folders(groups: Path | None = None, own: Path | None = None) -> list[Path]:
    """The folders of the process's control groups, with those above them.

    For the arguments, see `memory_left_bytes`.
    """
    groups = groups or _GROUPS
    try:
        lines = (own or _OWN).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
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
