"""The environment of the model's commands: without secrets, and quiet."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from ipuaro_jupyter.found_programs import absolute_path
from ipuaro_jupyter.records.key_forms import ends_in_pass, holds_key

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|API_?KEY|PRIVATE|BEARER|COOKIE"
    r"|(KEY|PWD)S?(_|\d|$)|(^|_)(AUTH|JWT|PAT|PIN|PW)(_|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^_\d]+")
_HARMLESS = {"PWD", "OLDPWD", "SSH_AUTH_SOCK"}
_SECRET_VALUE = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@"  # a URL with a password
    r"|\bgh[opsru]_\w{20}|\bgithub_pat_\w|\bglpat-[\w-]{10}|\bxox[abeprs]-\w|\bsk-[\w-]{20}"
    r"|\bAKIA[0-9A-Z]{12}|-----BEGIN [A-Z ]{0,40}PRIVATE KEY|\beyJ[\w-]{10,2000}\.eyJ"
    r"|(?i:\b(?:password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature))=[^\s;&$]{3}"
)
_STARTS_CODE = re.compile(
    # variables that decide which programs or which code others run
    r"PATH|LD_.*|DYLD_.*|GIT_.*|SSH_ASKPASS|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|IFS"
    r"|PYTHON.*|NODE_(OPTIONS|PATH)|npm_config_.*|RUBYOPT|RUBYLIB|PERL5?(LIB|OPT|DB)|PERL5.*|JAVA_.*"
    r"|_JAVA_OPTIONS|CLASSPATH|.*(PAGER|EDITOR)|VISUAL|BROWSER|SHELL|HOME|XDG_.*|IPUARO_.*",
    re.IGNORECASE,
)
_NOT_OURS = re.compile(
    # variables that make a shell run something first or enter another folder than a text names,
    # that a kernel sets for itself, or that name another repository
    r"BASH_ENV|ENV|CDPATH|BASH_FUNC_.*|PROMPT_COMMAND|JPY_.*|MPLBACKEND|PYDEVD_.*|CLICOLOR.*|FORCE_COLOR"
    r"|PYTHONSTARTUP|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_EDITOR|GIT_ASKPASS|SSH_ASKPASS"
    r"|GIT_OBJECT_DIRECTORY|GIT_ALTERNATE_OBJECT_DIRECTORIES|GIT_COMMON_DIR|GIT_NAMESPACE|GIT_CONFIG"
    r"|GIT_SHALLOW_FILE|GIT_GRAFT_FILE|GIT_EXTERNAL_DIFF"
    r"|GIT_CONFIG_(COUNT|KEY_.*|VALUE_.*|PARAMETERS)"  # may hold tokens
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


_withheld: set[str] = set()


def withhold(name: str) -> None:
    """From now on, no program that tools start gets the variable, whatever the settings pass on."""
    _withheld.add(name)


def without_withheld(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without what is withheld."""
    return {name: value for name, value in variables.items() if name not in _withheld}


def environment(cwd: Path, root: Path, *, kept: Collection[str] = ()) -> dict[str, str]:
    """The environment for a command: ours without secrets, quiet, with the project's tools.

    ``node_modules/.bin`` of ``cwd`` and of the folders up to ``root`` come last on the PATH.
    ``kept`` are names, or patterns as in ``AWS_*``, of variables that are passed on even if they
    look secret.
    """
    variables = {
        name: value
        for name, value in without_withheld(os.environ).items()
        if not _NOT_OURS.fullmatch(name)
        and (any(fnmatchcase(name, known) for known in kept) or not looks_secret(name, value))
    }
    path = [absolute_path(variables), *(local_tools(folder) for folder in upwards(cwd, root))]
    return variables | _QUIET | {"PATH": os.pathsep.join(path)}


def local_tools(folder: Path) -> str:
    """The folder in which package managers put the programs of the packages in ``folder``."""
    return str(folder / "node_modules" / ".bin")


def upwards(cwd: Path, root: Path) -> Iterator[Path]:
    """Yield ``cwd`` and the folders above it, up to ``root``."""
    for folder in (cwd, *cwd.parents):
        yield folder
        if folder == root:
            return


def starts_code(name: str) -> bool:
    """Whether a variable decides which code other programs run."""
    return _STARTS_CODE.fullmatch(name) is not None


def looks_secret(name: str, value: str) -> bool:
    """Whether a variable, or an option with such a name, is likely to hold a secret."""
    named = _SECRET_NAME.search(name) is not None and name not in _HARMLESS
    named = named or any(map(ends_in_pass, _WORD.findall(name)))
    return named or _SECRET_VALUE.search(value) is not None or holds_key(value)
