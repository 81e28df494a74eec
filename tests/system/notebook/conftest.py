"""Real kernels, and a front end that answers their widgets as a browser would."""

from kernels import (
    kernel,
    open_project,
    project,
    recording,
    second_kernel,
    shared_kernel,
    started,
)
from servers import kill_server

__all__ = [
    "kernel",
    "kill_server",
    "open_project",
    "project",
    "recording",
    "second_kernel",
    "shared_kernel",
    "started",
]
