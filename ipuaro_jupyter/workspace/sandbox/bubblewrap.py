"""The sandbox of Linux: bwrap, which gives a command its own view of the file system.

The whole file system is there, read-only. Other processes are not, nor their sockets: a socket
that can be seen can be talked to, whatever its folder allows, and Docker's or the session bus's
would start programs outside. So ``/run`` and ``/tmp`` are others, and an empty file lies over each
socket elsewhere. With a network, abstract sockets are reached all the same: they have no path.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ipuaro_jupyter.workspace.files.folders import is_inside
from ipuaro_jupyter.workspace.sandbox.confinement import Confinement, lies_in, real_places
from ipuaro_jupyter.workspace.sandbox.key_places import homes

NAME = "bwrap"
SETUP_FAILED = "bwrap: "
"""How a line begins with which bwrap says why it could not start a command."""

_NAMESPACES = (
    *("--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc"),
    *("--cap-drop", "ALL"),
)
_OF_ROOT = ("CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN", "CAP_FSETID", "CAP_SETUID", "CAP_SETGID")
"""What root keeps, who would otherwise not even read the files of others in the project."""

_SYSTEM = ("--proc", "/proc")
_SETTINGS = ("--ro-bind", "/proc/sys", "/proc/sys")
"""Root could otherwise set the kernel's settings: one names a program that it starts outside."""

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - a private folder takes their place
_RUNNING = ("/run", "/var/run")
_SEARCHED = ("PATH", "PYTHONPATH", "NODE_PATH", "VIRTUAL_ENV", "CONDA_PREFIX")
_PACKAGES = ("node_modules", ".venv", "venv")
_GRAPHICS = ("/dev/dri", "/dev/kfd", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm")
_NAMES_OF_HOSTS = "/etc/resolv.conf"
_LISTED = Path("/proc/net/unix")
_COLUMNS_BEFORE_PATH = 7
_VARIABLES = ("DOCKER_HOST", "SSH_AUTH_SOCK")


def find_bwrap(path: str, not_in: Path) -> str | None:
    """The program bwrap in one of the folders of ``path`` that are not in the project."""
    folders = [
        folder
        for folder in path.split(os.pathsep)
        if os.path.isabs(folder) and not is_inside(os.path.realpath(folder), not_in)  # noqa: PTH117 - a word
    ]
    return shutil.which(NAME, path=os.pathsep.join(folders))


def probe_argv(program: str) -> list[str]:
    """The command that succeeds where bwrap can do all that is asked of it."""
    view = ("--ro-bind", "/", "/", "--dev", "/dev", *_system(), "--tmpfs", "/tmp")  # noqa: S108 - inside
    return [program, *_NAMESPACES, "--unshare-net", *view, "--", "/bin/sh", "-c", ":"]


def bwrap_argv(
    program: str, argv: Sequence[str], confinement: Confinement, variables: Mapping[str, str]
) -> list[str]:
    """The argv that runs a command in the sandbox.

    Args:
        program: The path of bwrap.
        argv: The command.
        confinement: What it may do.
        variables: Its environment; the folders in which it finds programs stay visible.
    """
    kept = _OF_ROOT if os.geteuid() == 0 else ()
    words = [program, *_NAMESPACES, *(word for name in kept for word in ("--cap-add", name))]
    if not confinement.network:
        words.append("--unshare-net")
    words += _mounts(confinement, variables)
    return [*words, "--chdir", str(confinement.cwd), "--", *argv]


def _mounts(confinement: Confinement, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the options of what is seen where; later ones lie over earlier ones."""
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", *_system())
    for device in real_places(_GRAPHICS):
        yield from ("--dev-bind", str(device), str(device))
    temporary = real_places(_TEMPORARY)
    for place in temporary:
        yield from ("--bind", str(confinement.temporary), str(place))
    running = real_places(_RUNNING)
    for place in running:
        yield from ("--tmpfs", str(place))
    seen = _still_seen(confinement, variables, [*running, *temporary])
    for place in seen:
        yield from ("--ro-bind", str(place), str(place))
    yield from _link_words(variables, confinement.temporary, seen)
    emptied = [*running]
    for place, layer in confinement.layers():
        if layer == "hidden" and place.is_dir():
            yield from ("--tmpfs", str(place))
            emptied.append(place)
        elif layer == "hidden":
            yield from ("--ro-bind", str(empty_file(confinement.temporary)), str(place))
        elif layer == "replaced":
            yield from ("--ro-bind", str(confinement.replaced[place]), str(place))
        else:
            # what is mounted, also on itself, cannot be renamed
            how = "--ro-bind" if layer == "protected" else "--bind"
            yield from (how, str(place), str(place))
    yield from _socket_words(confinement, variables, seen)
    for place in emptied:  # only now: what is seen in them has got its place
        yield from ("--remount-ro", str(place))


def _system() -> Sequence[str]:
    """The options for a view of the processes and the kernel."""
    if os.geteuid() != 0:
        return _SYSTEM
    others = [
        entry.path
        for entry in sorted(os.scandir("/proc"), key=lambda entry: entry.name)
        if not (entry.name.isdecimal() or entry.name == "sys" or entry.is_symlink())
    ]
    return (
        *_SYSTEM,
        *_SETTINGS,
        *(word for each in others for word in ("--ro-bind-try", each, each)),
    )


def empty_file(temporary: Path) -> Path:
    """The file that is seen instead of one with keys."""
    return temporary.with_name("empty")


def _socket_words(
    confinement: Confinement, variables: Mapping[str, str], seen: Sequence[Path]
) -> Iterator[str]:
    """Yield the options that hide sockets: those elsewhere, and those that variables name."""
    replaced = real_places((*_TEMPORARY, *_RUNNING))
    layers = confinement.layers()
    named = named_sockets(variables)
    for place in dict.fromkeys((*named, *listed_sockets())):
        around = [layer for folder, layer in layers if place.is_relative_to(folder)]
        is_gone = lies_in(place, replaced) and not lies_in(place, seen)
        is_seen = around[-1] != "hidden" if around else not is_gone
        if is_seen and (place in named or not around):
            yield from ("--ro-bind", str(empty_file(confinement.temporary)), str(place))


def _link_words(variables: Mapping[str, str], kept: Path, seen: Sequence[Path]) -> Iterator[str]:
    """Yield the options for symlinks in replaced folders on the way to programs and packages."""
    for link, target in _links(variables).items():
        if lies_in(link, seen):
            continue
        if lies_in(link, real_places(_RUNNING)):
            yield from ("--symlink", target, str(link))
        for folder in real_places(_TEMPORARY):
            # those of the last command are still there
            if link.is_relative_to(folder) and _is_free(kept / link.relative_to(folder)):
                yield from ("--symlink", target, str(link))


def _is_free(place: Path) -> bool:
    """Whether nothing is at a place, and no symlink on the way: commands may make some."""
    above = str(place.parent)
    return os.path.realpath(above) == above and not os.path.lexists(place)


def _links(variables: Mapping[str, str]) -> dict[Path, str]:
    """The symlinks on the way to programs and packages, and what they say."""
    found: dict[Path, str] = {}
    for name in _SEARCHED:
        for named in variables.get(name, "").split(os.pathsep):
            if os.path.isabs(named) and os.path.exists(named):  # noqa: PTH110, PTH117 - a word
                found.update(_links_to(named))
    return found


def _links_to(named: str) -> Iterator[tuple[Path, str]]:
    """Yield the symlinks on the way to an existing place, and what they say."""
    place, rest = Path("/"), [*reversed(Path(named).parts)]
    while rest:
        part = rest.pop()
        if part == "..":
            place = place.parent
            continue
        place /= part  # of an absolute path the first part is the root
        if place.is_symlink():
            target = str(place.readlink())
            yield place, target
            place = place.parent
            rest += reversed(Path(target).parts)


def _still_seen(
    confinement: Confinement, variables: Mapping[str, str], replaced: Sequence[Path]
) -> list[Path]:
    """What lies in the replaced folders and is seen all the same: a home, programs, packages."""
    named = [str(home) for home in homes(variables)]
    for folder in (confinement.cwd, *confinement.writable, *confinement.protected):
        named += [str(folder / name) for name in _PACKAGES if (folder / name).is_symlink()]
    if confinement.network:
        named.append(_NAMES_OF_HOSTS)
    temporary = real_places(_TEMPORARY)
    for name in _SEARCHED:
        for folder in real_places(variables.get(name, "").split(os.pathsep)):
            named.append(str(folder))
            if folder.name == "bin" and lies_in(folder, temporary):
                named.append(str(folder.parent))  # the libraries of these programs
    found = [each for each in real_places(named) if lies_in(each, replaced)]
    return sorted(set(found) - set(replaced), key=lambda place: (len(place.parts), place))


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
