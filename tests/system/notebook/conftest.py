"""Real kernels, and a front end that answers their widgets as a browser would."""

from kernels import kernel, project, recording, second_kernel, shared_kernel, started

__all__ = ["kernel", "project", "recording", "second_kernel", "shared_kernel", "started"]
