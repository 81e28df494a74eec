"""The variables of the commands that run for the model: without secrets, and quiet."""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|(^|_)(KEY|PAT|PWD)(_|$)", re.IGNORECASE
)
_HARMLESS = {"PWD", "OLDPWD"}
_SECRET_VALUE = re.compile(r"://[^/\s:@]*:[^/\s@]+@")  # a URL with a password
_NOT_OURS = re.compile(
    # what makes a shell run something first, what a kernel sets for itself, another repository
    r"BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|JPY_.*|MPLBACKEND|PYDEVD_.*|CLICOLOR.*|FORCE_COLOR"
    r"|PYTHONSTARTUP|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_EDITOR|GIT_ASKPASS|SSH_ASKPASS"
    r"|GIT_EXTERNAL_DIFF|GIT_CONFIG_(COUNT|KEY_.*|VALUE_.*|PARAMETERS)"  # may hold tokens
)
_QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",  # fails at once, where an editor would wait for ever
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INPUT": "1",
}


def environment(cwd: Path, root: Path, *, kept: Collection[str] = ()) -> dict[str, str]:
    """Return the variables for a command: ours without secrets, quiet, with the project's tools.

    ``node_modules/.bin`` of ``cwd`` and of the folders up to ``root`` come last on the PATH.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if not _NOT_OURS.fullmatch(name) and (name in kept or not _is_secret(name, value))
    }
    path = [entry for entry in os.get_exec_path(variables) if os.path.isabs(entry)]  # noqa: PTH117
    path += [local_tools(folder) for folder in upwards(cwd, root)]
    return variables | _QUIET | {"PATH": os.pathsep.join(path)}


def local_tools(folder: Path) -> str:
    """Return where package managers put the programs of the packages in ``folder``."""
    return str(folder / "node_modules" / ".bin")


def upwards(cwd: Path, root: Path) -> Iterator[Path]:
    """Yield ``cwd`` and the folders above it, up to ``root``."""
    for folder in (cwd, *cwd.parents):
        yield folder
        if folder == root:
            return


def _is_secret(name: str, value: str) -> bool:
    named = _SECRET_NAME.search(name) is not None and name not in _HARMLESS
    return named or _SECRET_VALUE.search(value) is not None
