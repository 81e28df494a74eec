"""Small projects that are open, with a recording in a model's place."""

from kernels import open_project, project, recording

__all__ = ["open_project", "project", "recording"]
