"""The sandbox of macOS: sandbox-exec, which is given a profile of what is denied.

Of several rules for one operation the last one that fits holds.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ipuaro_jupyter.workspace.sandbox.confinement import Confinement

PROGRAM = "/usr/bin/sandbox-exec"
SETUP_FAILED = "sandbox-exec: "
"""How a line begins with which sandbox-exec says why it could not start a command."""

_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper")
_BEGIN = (
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    # other programs, asked to, would do what the command cannot
    "(deny appleevent-send)",
    "(deny lsopen)",
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
)


def probe_argv() -> list[str]:
    """The command that succeeds where sandbox-exec works; it does not in another sandbox."""
    return [PROGRAM, "-p", "\n".join((*_BEGIN, "(deny network*)")), "/bin/sh", "-c", ":"]


def seatbelt_argv(program: str, argv: Sequence[str], confinement: Confinement) -> list[str]:
    """The argv that runs a command in the sandbox; ``program`` is the path of sandbox-exec."""
    return [program, "-p", profile(confinement), *argv]


def profile(confinement: Confinement) -> str:
    """The text of the profile."""
    return "\n".join(_rules(confinement))


def _rules(confinement: Confinement) -> Iterator[str]:
    yield from _BEGIN
    yield f"(allow file-write* {' '.join(f'(literal {_quoted(each)})' for each in _DEVICES)})"
    yield f"(allow file-write* {_within(confinement.temporary)})"
    for place, layer in confinement.layers():
        if layer == "writable":
            yield f"(allow file-read* file-write* {_within(place)})"
        elif layer == "pinned":
            yield f"(deny file-write-unlink {_at(place)})"  # renaming it is denied by that
        elif layer == "protected":
            yield f"(deny file-write* {_within(place)})"
        else:
            yield f"(deny file-read* file-write* {_within(place)})"
    for place in confinement.fixed:
        yield f"(deny file-write* {_at(place)})"
    if not confinement.network:
        yield "(deny network*)"


def _at(place: Path) -> str:
    return f"(literal {_quoted(str(place))})"


def _within(place: Path) -> str:
    return f"(subpath {_quoted(str(place))})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
