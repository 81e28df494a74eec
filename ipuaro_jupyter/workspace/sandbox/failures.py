"""Why a command may have failed for the sandbox, told by what it printed."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.sandbox import bubblewrap, seatbelt

_NOT_FOUND = (126, 127)


class _Sign(NamedTuple):
    """What programs print when something is denied, and what that was.

    ``is_last`` is for what counts only when an output ends with it: a failing test may print it for
    reasons of its own.
    """

    printed: re.Pattern[str]
    denied: str
    is_network: bool = False
    is_last: bool = False


class Failure(NamedTuple):
    """Why a command may have failed for the sandbox, and whether a network would mend it."""

    why: str
    is_network: bool = False


_SIGNS = (
    _Sign(
        re.compile(rf"^(?:{bubblewrap.SETUP_FAILED}|{seatbelt.SETUP_FAILED})", re.MULTILINE),
        "it could not be started in the sandbox",
    ),
    _Sign(
        re.compile(r"Read-only file system|\bEROFS\b", re.IGNORECASE),
        "it may write only in the project",
    ),
    _Sign(
        re.compile(r"could not (?:lock|write) config file"),
        "it may not change the settings of git",
    ),
    _Sign(
        re.compile(r"Device or resource busy|Invalid cross-device link|\b(?:EBUSY|EXDEV)\b"),
        "it may not move a git directory, nor files in or out of the folders around one",
    ),
    _Sign(
        re.compile(
            r"Could not resolve host|Temporary failure in name resolution|Name or service not known"
            r"|nodename nor servname|Network is unreachable|network is down|dial tcp: lookup"
            r"|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b",
            re.IGNORECASE,
        ),
        "it has no network",
        is_network=True,
    ),
    _Sign(
        re.compile(
            r"Connection refused|No route to host|\bECONNREFUSED\b|dial tcp"
            r"|Failed to (?:establish a new connection|connect to )|Unable to connect to"
            r"|Could not connect to",
            re.IGNORECASE,
        ),
        "it has no network",
        is_network=True,
        is_last=True,
    ),
    _Sign(
        re.compile(r"Bad owner or permissions on ", re.IGNORECASE),
        "files of the system seem to belong to somebody else there",
    ),
    _Sign(
        re.compile(
            r"Permission denied \(publickey|Host key verification failed|\b(?:E401|ENEEDAUTH)\b"
            r"|could not read (?:Username|Password)|Unable to locate credentials"
            r"|gpg failed to sign|Please (?:log|sign) in|not logged in(?:to)? ",
            re.IGNORECASE,
        ),
        "your keys are not there",
    ),
    _Sign(
        re.compile(
            r"Cannot connect to the Docker daemon|docker\.sock|Failed to connect to (?:the )?bus"
            r"|\.s\.PGSQL|mysqld?\.sock|cannot open display",
            re.IGNORECASE,
        ),
        "other programs are out of its reach",
    ),
)
_DARWIN = _Sign(re.compile(r"Operation not permitted|\bEPERM\b"), "the sandbox may have denied it")
_MISSING = re.compile(
    r"(?P<path>/[^\s:'\"]{1,400})['\"]?: (?:not found|No such file or directory|command not found)"
)
_LONGEST_LINE = 200
_LOOKED_AT = 100_000  # bytes
_LAST_LINES = 3  # indented ones do not count: those of a stack, or of an error's fields


def sandbox_failure(
    outputs: Sequence[str], exit_code: int, *, network: bool, darwin: bool
) -> Failure | None:
    """Why a command may have failed for the sandbox, with the line that tells; None when not.

    Args:
        outputs: What it printed, to each of its streams.
        exit_code: Its exit code.
        network: Whether it had a network.
        darwin: Whether it ran on macOS, where all that is denied has one name.
    """
    if not exit_code:
        return None
    kept = [shortened(each, _LOOKED_AT) for each in outputs]
    output, ends = "\n".join(kept), "\n".join(map(_last_lines, kept))
    for sign in (*_SIGNS, *((_DARWIN,) if darwin else ())):
        if sign.is_network and network:
            continue
        searched = ends if sign.is_last else output
        if found := sign.printed.search(searched):
            told = f"{sign.denied}: {_line_at(searched, found.start())}"
            return Failure(told, sign.is_network)
    found = _MISSING.search(output) if exit_code in _NOT_FOUND else None
    if found and os.path.exists(found["path"]):  # noqa: PTH110 - a word
        return Failure(f"{found['path']} is out of its reach")
    return None


def _last_lines(output: str) -> str:
    """The lines that an output ends with."""
    lines = [line for line in output.splitlines() if line and not line[0].isspace()]
    return "\n".join(lines[-_LAST_LINES:])


def _line_at(text: str, place: int) -> str:
    """The line of a place in a text; of a long one, what stands there."""
    line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
    if len(line) > _LONGEST_LINE:
        line = text[place : place + _LONGEST_LINE].partition("\n")[0]
    return " ".join(line.split())
