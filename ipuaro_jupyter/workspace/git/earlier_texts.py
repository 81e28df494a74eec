"""Texts that files had in earlier commits, of which a command may print a part."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.git_program import environment, without_programs
from ipuaro_jupyter.workspace.git.own_repository import own_repository
from ipuaro_jupyter.workspace.processes.subprocesses import run

_TIMEOUT_S = 5.0
_MOST_COMMITS, _MOST_BYTES, _MOST_NAMED = 100, 1_000_000, 10
_HISTORY = (
    *("log", "--all", "--patch", "-m", "--format=", f"--max-count={_MOST_COMMITS}", "--unified=5"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules"),
)
_NAMED = re.compile(r"(?<![^\s'\"])[\w@^~./{}][\w@^~./{}-]{0,200}:(?P<path>[^\s'\"]+)")
_FILE = re.compile(rb"^diff --git ", re.MULTILINE)
_PATH = re.compile(rb"^(?:--- a|\+\+\+ b)/(?P<path>[^\t\n]+)", re.MULTILINE)
_HUNK = re.compile(rb"^@@ [^\n]*\n(?P<lines>(?:[ +\\-][^\n]*\n?)*)", re.MULTILINE)


def earlier_texts(
    root: Path, command: str, cancel: CancelToken | None = None
) -> Iterator[tuple[str, str]]:
    """Yield texts and the paths of their files: those a command names, and those of late commits.

    These are the ones that the last 100 commits of all branches and stashes have changed, as far as
    1 MB tells of them. None where git cannot tell, or not in 5 s.

    Args:
        root: The project's folder, free of symlinks.
        command: The command; ``HEAD~1:.env`` in it names a text.
        cancel: Ends git when the user stops.
    """
    try:
        top = own_repository(root, cancel=cancel).top
        for named in islice(_NAMED.finditer(command), _MOST_NAMED):
            shown = _git(root, ("show", "--no-textconv", named[0]), cancel)
            yield os.fsdecode(shown), named["path"]
        yield from _changed(_git(top, _HISTORY, cancel))
    except ToolError:
        return


def _git(folder: Path, arguments: tuple[str, ...], cancel: CancelToken | None) -> bytes:
    done = run(
        ["git", "--no-pager", *arguments],
        cwd=folder,
        timeout_s=_TIMEOUT_S,
        cancel=cancel,
        env=environment() | without_programs(),
        output_limit=_MOST_BYTES,
    )
    return done.stdout


def _changed(patches: bytes) -> Iterator[tuple[str, str]]:
    """Yield the two sides of each hunk."""
    for patch in _FILE.split(patches)[1:]:
        path = _PATH.search(patch)
        if path is None:
            continue
        for hunk in _HUNK.finditer(patch):
            lines = os.fsdecode(hunk["lines"]).splitlines(keepends=True)
            for side in (" -", " +"):
                text = "".join(line[1:] for line in lines if line[0] in side)
                yield text, os.fsdecode(path["path"])
