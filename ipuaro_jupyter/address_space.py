"""The limits that the system sets for the memory of this process.

That is its address space (``ulimit -v``), and the memory of its container.
"""

import sys
from pathlib import Path

from ipuaro_jupyter.control_groups import memory_left_bytes

_LEAST_MB = 300
_COMFORTABLE_MB = 700
_COMFORTABLE_CONTAINER_MB = 400
_OWN_MB = 200
_WORKER_MB = 80


def left_mb() -> float:
    """The address space that this process may still take, in MB; infinite without a limit."""
    if sys.platform == "win32":
        return float("inf")
    import resource  # noqa: PLC0415 - not on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return float("inf")
    return (limit - _taken_bytes()) / 1e6


def is_short() -> bool:
    """Whether it is better to begin one thing after the other."""
    return left_mb() < _COMFORTABLE_MB or container_left_mb() < _COMFORTABLE_CONTAINER_MB


def container_left_mb() -> float:
    """The memory that the container leaves, in MB; infinite without a limit."""
    left = memory_left_bytes()
    return float("inf") if left is None else left / 1e6


def most_processes(wanted: int) -> int:
    """How many of so many processes that parse files fit into the memory; at least one."""
    if is_short():
        return 1
    return int(max(1, min(wanted, (container_left_mb() - _OWN_MB) // _WORKER_MB)))


def scarcity() -> str:
    """A sentence when the container leaves so little memory that less is done at once; else ""."""
    left = container_left_mb()
    if left >= _COMFORTABLE_CONTAINER_MB:
        return ""
    return (
        f"The memory limit of this container leaves {left:.0f} MB: one process indexes, which "
        "takes longer, and no answers are prepared. Give the container more memory."
    )


def refusal() -> str:
    """A sentence when a project cannot be opened with the address space that is left; else ""."""
    return shortage() if left_mb() < _LEAST_MB else ""


def is_shortage(error: BaseException) -> bool:
    """Whether an error says that the system gives no more memory."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def shortage() -> str:
    """A sentence on the lack of memory, and its remedy."""
    left = left_mb()
    if left == float("inf"):
        return "The system gives this process no more memory. Close other programs, and try again."
    return (
        f"The system lets this process take only {max(0.0, left):.0f} MB of address space more "
        f"(ulimit -v), of which a project needs {_LEAST_MB} MB, a large one more. Raise that limit "
        "where Jupyter is started: ulimit -v unlimited."
    )


def _taken_bytes() -> int:
    try:
        taken = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError):
        return 0
    import resource  # noqa: PLC0415 - not on Windows

    return taken * resource.getpagesize()
