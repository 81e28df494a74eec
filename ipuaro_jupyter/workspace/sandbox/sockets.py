"""The sockets of other programs that have a path: whoever can see one can talk to it."""

import os
from collections.abc import Mapping
from pathlib import Path

from ipuaro_jupyter.workspace.sandbox.confinement import real_places

_LISTED = Path("/proc/net/unix")
_COLUMNS_BEFORE_PATH = 7
_VARIABLES = ("DOCKER_HOST", "SSH_AUTH_SOCK")


def listed_sockets() -> list[Path]:
    """The existing sockets that the system lists, without the abstract ones, which have no path."""
    try:
        lines = os.fsdecode(_LISTED.read_bytes()).split("\n")
    except OSError:
        return []
    columns = (line.split(maxsplit=_COLUMNS_BEFORE_PATH) for line in lines)
    return real_places(each[-1] for each in columns if len(each) > _COLUMNS_BEFORE_PATH)


def named_sockets(variables: Mapping[str, str]) -> list[Path]:
    """The existing sockets of Docker and of the keys of ssh that the environment names."""
    named = real_places(variables.get(name, "").removeprefix("unix://") for name in _VARIABLES)
    return [place for place in named if place.is_socket()]
