"""The demo: a small TypeScript application, a notebook about it, and a recorded model."""

from pathlib import Path

from ipuaro_jupyter.demo.folder import prepare

__all__ = ["prepare", "run_demo"]


def run_demo(dest: Path | None = None, *, model: str | None = None, lab: bool = False) -> int:
    """Run the quickstart notebook in ``dest`` and return the exit status.

    See `ipuaro_jupyter.demo.run_demo.run_demo`.
    """
    from ipuaro_jupyter.demo.run_demo import run_demo as run  # noqa: PLC0415 - loads nbclient

    return run(dest, model=model, lab=lab)
