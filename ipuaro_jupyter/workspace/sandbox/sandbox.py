"""Whether commands run in a sandbox, and what a command has to be for that."""

import functools
import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.whole_file import write_whole
from ipuaro_jupyter.workspace.processes.subprocesses import run
from ipuaro_jupyter.workspace.sandbox import bubblewrap, seatbelt
from ipuaro_jupyter.workspace.sandbox.confinement import (
    Confinement,
    GitWrites,
    SandboxMode,
    lies_in,
    real_places,
)
from ipuaro_jupyter.workspace.sandbox.failures import Failure, sandbox_failure
from ipuaro_jupyter.workspace.sandbox.git_marks import GitMarks, git_mark, git_marks
from ipuaro_jupyter.workspace.sandbox.git_places import git_places
from ipuaro_jupyter.workspace.sandbox.key_places import (
    key_places,
    settings_with_keys,
    without_keys,
)
from ipuaro_jupyter.workspace.scratch.scratch import CacheFolder

_PROBE_TIMEOUT_S = 10.0
_DARWIN = "darwin"
_CACHES = {
    "npm_config_cache": "npm",
    "GOCACHE": "go-build",
    "UV_CACHE_DIR": "uv",
    "PIP_CACHE_DIR": "pip",
}
"""Variables that lead programs which need a cache to one among the temporary files.

Yarn 1 finds one by itself. Later versions put its path into what they install, and run without.
"""

_CACHES_TO_FETCH = {"DENO_DIR": "deno"}
"""Those of programs that read what the user's cache holds, and write one only to fetch."""

_TEMPORARY_VARIABLES = ("TMPDIR", "TMP", "TEMP")
_MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class GitWatch:
    """What git found before a command.

    Attributes:
        root: The project's folder.
        before: What git took for git directories.
        absent: Files that git must not find afterwards.
        rebases: What a rebase leaves that is not done.
    """

    root: Path
    before: GitMarks
    absent: tuple[Path, ...] = ()
    rebases: tuple[Path, ...] = ()

    def settle(self) -> str:
        """Remove the files that git must not find, and say what else is new; "" for nothing."""
        return " ".join(self._told())

    def _told(self) -> Iterator[str]:
        if removed := [place for place in self.absent if _is_removed(place)]:
            names = _names(self._inside(place) for place in removed)
            yield f"Removed, because git would take its settings from there: {names}."
        after = git_marks(self.root, check=_go_on)  # the command may have been stopped
        if new := self._new(after):
            yield (
                f"A git directory has come or changed meanwhile: {_names(new)}. It is not the "
                "sandbox's: what its settings and hooks name runs when you or an editor use git "
                "there, so look at them first, or delete it."
            )
        closed = (path for path, mark in after.items() if mark.kind == "closed")
        if unknown := [path for path in closed if self.before.get(path) != after[path]]:
            yield f"Git directories were not looked for everywhere: {_names(unknown)}."
        if lists := [self._inside(place) for place in self.rebases if place.exists()]:
            yield f"A rebase is not done; look for exec in it before it goes on: {_names(lists)}."

    def _new(self, after: GitMarks) -> list[str]:
        moved = {mark for mark in self.before.values() if mark.kind == "folder"}
        return sorted(
            path
            for path, mark in after.items()
            if mark.kind not in {"closed", "other"}
            and mark not in moved
            and self.before.get(path) != mark
        )

    def _inside(self, place: Path) -> str:
        return os.path.relpath(place, self.root)


@dataclass(frozen=True, slots=True)
class SandboxState:
    """Which program confines commands, by its path; None when none does, and why.

    As text it is for the user.
    """

    program: str | None
    why: str = ""
    is_required: bool = False

    def __str__(self) -> str:
        if self.program is not None:
            return (
                f"{Path(self.program).name}: commands write only in the project, see no keys, and "
                "have no network unless you allow it"
            )
        then = "none runs" if self.is_required else "a command that runs can do what you can do"
        return f"none for commands, because {self.why}; {then}"


@dataclass(frozen=True, slots=True)
class Confined:
    """A command as it is started in the sandbox.

    Attributes:
        argv: The program that confines it, and the command.
        variables: Its environment.
        network: Whether it has a network.
        platform: The system, as Python names it.
        git: What git found before; None where the user let git write all.
    """

    argv: tuple[str, ...]
    variables: Mapping[str, str]
    network: bool
    platform: str
    git: GitWatch | None = None

    def settle(self) -> str:
        """To be called when it has ended: what it has done to git, in words; "" for nothing."""
        return "" if self.git is None else self.git.settle()

    def failure(self, outputs: Sequence[str], exit_code: int) -> Failure | None:
        """Why it may have failed for the sandbox, told by its streams; None when nothing says."""
        return sandbox_failure(
            outputs, exit_code, network=self.network, darwin=self.platform == _DARWIN
        )


class SandboxFolder:
    """The session's folder for the temporary files of its commands; gone with this object.

    Attributes:
        untold: What stopped commands have done to git; told with the next one.
    """

    def __init__(self) -> None:
        self._kept = CacheFolder()
        self.untold: list[str] = []

    def close(self) -> None:
        """Remove the folder, once no command uses it any more."""
        self._kept.close()

    @property
    def temporary(self) -> Path:
        """The folder that commands see as that for temporary files."""
        folder = self._kept.path / "tmp"
        if not folder.is_dir():
            folder.mkdir()
            folder.chmod(0o1777)  # as programs expect it; only the user can enter the one above
            bubblewrap.empty_file(folder).touch()
        return folder

    def copy(self, settings: Path) -> Path:
        """A copy of settings without the secrets in them, where no command can write."""
        text = without_keys(settings)
        place = self.temporary.with_name(hashlib.sha256(text.encode()).hexdigest())
        if not place.exists():
            write_whole(place, [text])
        return place


@dataclass(frozen=True)
class Sandbox:
    """The sandbox for the commands of a project.

    Attributes:
        mode: "off"; "auto", where the system has one; "required" refuses commands without one.
        project: The project's folder. A program in it does not confine anything.
        folder: Keeps temporary files.
        writable: Folders that commands may write beside the one they run in.
        platform: The system, as Python names it.
    """

    mode: SandboxMode
    project: Path
    folder: SandboxFolder = field(default_factory=SandboxFolder)
    writable: tuple[Path, ...] = ()
    platform: str = sys.platform

    @property
    def state(self) -> SandboxState:
        """What confines commands; found out once."""
        if self.mode == "off":
            return SandboxState(None, 'the setting "commands.sandbox" is "off"')
        return replace(self._found(), is_required=self.mode == "required")

    def _found(self) -> SandboxState:
        if self.platform == _DARWIN:
            return _state(seatbelt.PROGRAM, tuple(seatbelt.probe_argv()))
        if self.platform != "linux":
            return SandboxState(None, f"there is none for {self.platform}")
        program = bubblewrap.find_bwrap(os.environ.get("PATH", ""), self.project)
        if program is None:
            return SandboxState(None, "bwrap is not installed (the package is called bubblewrap)")
        return _state(program, tuple(bubblewrap.probe_argv(program)))

    def confined(
        self,
        argv: Sequence[str],
        *,
        root: Path,
        cwd: Path,
        variables: Mapping[str, str],
        network: bool = False,
        git: GitWrites = "nothing",
    ) -> Confined | None:
        """A command as it is started in the sandbox; None when there is none.

        Args:
            argv: The command.
            root: The folder that it may write.
            cwd: Where it runs, in that.
            variables: Its environment.
            network: Whether it may use the network.
            git: What it may write of git directories.

        Raises:
            ToolError: "command" when one is required, and there is none.
        """
        state = self.state
        if state.program is None:
            self._check(state)
            return None
        is_git = git == "all"
        marks = {".git": git_mark(f"{root}/.git")} if is_git else git_marks(root)
        places = git_places(root, git, marks)
        watch = None if is_git else GitWatch(root, marks, places.absent, places.rebases)
        writable = real_places(map(str, (root, *self.writable, *places.writable)))
        project = real_places([str(self.project)])
        shared = tuple(place for place in project if not lies_in(place, writable))
        confinement = Confinement(
            cwd=cwd,
            writable=tuple(writable),
            protected=shared,  # a copy has links to the project's packages
            hidden=tuple(key_places(variables)),
            replaced={place: self.folder.copy(place) for place in settings_with_keys(variables)},
            temporary=self.folder.temporary,
            network=network,
            fixed=(*places.absent, *places.links),
        ).protecting(places.protected)
        own = self._variables(variables, network=network)
        if self.platform == _DARWIN:
            made = seatbelt.seatbelt_argv(state.program, argv, confinement)
        else:
            made = bubblewrap.bwrap_argv(state.program, argv, confinement, variables)
        return Confined(tuple(made), own, network, self.platform, watch)

    def _check(self, state: SandboxState) -> None:
        if self.mode == "required":
            raise ToolError(
                "command",
                f'Not run: "commands.sandbox" is "required", and there is none: {state.why}.',
                suggestion="Tell the user; only they can mend that.",
                recoverable=False,
            )

    def _variables(self, variables: Mapping[str, str], *, network: bool) -> dict[str, str]:
        """The environment, with folders for temporary files and caches that can be written."""
        place = str(self.folder.temporary) if self.platform == _DARWIN else "/tmp"  # noqa: S108 - inside
        caches = {
            name: f"{place}/{folder}"
            for name, folder in (_CACHES | (_CACHES_TO_FETCH if network else {})).items()
            if name not in variables
        }
        temporary = {name: place for name in _TEMPORARY_VARIABLES if name in variables}
        return {**variables, **caches, **temporary}


@functools.cache
def _state(program: str, probe: tuple[str, ...]) -> SandboxState:
    """Whether a program can confine anything here: it may be there and not be allowed to."""
    name = Path(program).name
    try:
        done = run(probe, cwd=Path("/"), timeout_s=_PROBE_TIMEOUT_S, env={"PATH": os.defpath})
    except ToolError as error:
        return SandboxState(None, f"{name} does not work here: {error.message.rstrip('.')}")
    if done.exit_code:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.exit_code}"
        return SandboxState(None, f"{name} does not work here: {said.splitlines()[-1]}")
    return SandboxState(program)


def _is_removed(place: Path) -> bool:
    with suppress(OSError):  # not there, or a folder, from which git takes nothing
        place.unlink()
        return True
    return False


def _names(found: Iterator[str] | list[str]) -> str:
    # a name could hold lines of text
    paths = ["the project itself" if path == "." else repr(path)[1:-1] for path in found]
    more = len(paths) - _MOST_TOLD
    return ", ".join(paths[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def _go_on() -> None:
    """Never stop."""
