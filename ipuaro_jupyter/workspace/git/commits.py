"""New commits: asked about, made with the hooks, and without a trace when they fail."""

import hashlib
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.git.git_index import IndexFile
from ipuaro_jupyter.workspace.git.git_program import BUSY_ADVICE, Git, output_text


class Committer:
    """Makes commits.

    Args:
        git: The repository.
        changed_below: Returns the changed files at or below some paths, all relative to the
            project.
        limit_s: How long git may take with its hooks.
    """

    def __init__(
        self, git: Git, changed_below: Callable[[Sequence[str]], list[str]], *, limit_s: float
    ) -> None:
        self._limit_s = limit_s
        self._git = git
        self._changed_below = changed_below
        self._sure = git.uninterrupted()  # stopping is no longer possible
        self._tree = ""

    def commit(
        self,
        message: str,
        files: Sequence[str],
        *,
        decide: Callable[[Proposal], Decision],
        tool: str,
    ) -> str:
        """Commit after asking and return the hash; see `Repository.commit`."""
        _check_message(message)
        shown = self._shown(files)
        changed = shown.paths
        proposal = Proposal(
            id=uuid4().hex,
            kind="commit",
            tool=tool,
            title=f"Commit {len(changed)} file{'' if len(changed) == 1 else 's'}",
            message=message.strip("\n"),
            files=tuple(changed),
            states=shown.states,
            editable=True,
            rests_on=hashlib.sha256(repr(shown).encode()).hexdigest(),
        )
        decision = decide(proposal)
        if decision.action == "reject":
            raise refusal(proposal, decision, typed=decision.text)
        message = message if decision.text is None else decision.text
        _check_message(message)
        index = IndexFile(self._git.folder / "index")

        def check() -> None:
            if self._shown(files) != shown:
                raise _changed_meanwhile()

        if files:
            with index.locked():
                self._commit_files(message, [path or "." for path in files], index, check)
        else:
            index.check_free()
            with index.kept():
                check()
                self._tree = self._git.line("write-tree")
                self._run_commit(message)
        return self._git.head()

    def by_hooks(self) -> str:
        """The diff from what was to be committed to the commit; "" where no hook changed it."""
        form = ("diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv")
        compared = self._sure.run(*form, self._tree, self._sure.head(), "--")
        return compared.stdout.decode("utf-8", "replace")

    def _shown(self, files: Sequence[str]) -> "_AskedCommit":
        """What the user is asked about."""
        changed = self._to_commit(files)
        branch = read_small(self._git.folder / "HEAD")
        if files:
            content = tuple(_content(self._git.root / path) for path in changed)
        else:
            staged = self._git.run("diff-index", "--cached", "--raw", "-z", self._git.base(), "--")
            content = (hashlib.sha256(staged.stdout).hexdigest(),)
        return _AskedCommit(
            branch, self._git.head(), tuple(changed), self._states(changed, files), content
        )

    def _to_commit(self, files: Sequence[str]) -> list[str]:
        """The paths that a commit would contain.

        Raises:
            ToolError: There are none, or something is in the way.
        """
        base = self._git.base()
        for path in files:
            self._git.check_known(path)
        unmerged = self._git.unmerged()
        if unmerged:
            raise ToolError(
                "command",
                f"These files have conflicts: {', '.join(unmerged)}.",
                suggestion="Resolve them and stage them with git add first.",
            )
        merging = (self._git.folder / "MERGE_HEAD").exists()
        picking = (self._git.folder / "CHERRY_PICK_HEAD").exists()
        if files and (merging or picking):
            what = "merge" if merging else "cherry-pick"
            raise ToolError(
                "command",
                f"A {what} is under way, so that a part of the files cannot be committed.",
                suggestion="Commit without files once everything is staged.",
            )
        options = ("diff", "--cached", "--name-only", "--no-renames", "-z")
        changed = self._changed_below(files) if files else self._git.names(*options, base, "--")
        if not changed and not merging:
            raise _nothing_to_commit(files)
        return changed

    def _states(self, changed: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
        """For each changed path, whether the commit would add, modify or delete it."""
        options = ("--name-status", "--no-renames", "-z", *(() if files else ("--cached",)))
        below = [path or "." for path in files]
        compared = self._git.run("diff-index", *options, self._git.base(), "--", *below)
        words = iter(compared.stdout.split(b"\0"))
        said = {self._git.name(name): word[:1] for word, name in zip(words, words, strict=False)}
        known = {b"A": "added", b"D": "deleted"}
        # git does not compare untracked files
        return tuple(known.get(said.get(path, b"A"), "modified") for path in changed)

    def _commit_files(
        self, message: str, files: Sequence[str], index: IndexFile, check: Callable[[], None]
    ) -> None:
        """Commit by means of a second index, then update the real one for these files.

        ``check`` is called once the files are in it, and raises when they are not what was shown.
        """
        with tempfile.TemporaryDirectory(prefix="ipuaro-index-") as folder:
            second = index.copy(Path(folder) / "second")
            env = {"GIT_INDEX_FILE": str(second)}
            before = self._git.head()
            tree = ("--reset", before) if before else ("--empty",)
            self._git.run("read-tree", *tree, env=env)
            self._git.run("add", "--all", "--", *files, env=env)
            check()
            old = self._git.line("rev-parse", f"{self._git.base()}^{{tree}}")
            self._tree = self._git.line("write-tree", env=env)
            if self._tree == old:
                raise _nothing_to_commit(files)
            try:
                self._run_commit(message, env=env)
            finally:  # it may have been stopped after it was done
                if self._sure.head() != before:
                    self._follow(index, index.copy(Path(folder) / "third"))

    def _follow(self, index: IndexFile, third: Path) -> None:
        """Update the index so that the committed files are as in the new commit.

        Args:
            index: The real one.
            third: A copy of it to work on.

        Raises:
            ToolError: "command" when that fails; the commit stays.
        """
        names = ("diff-tree", "-r", "--root", "-m", "-z", "--name-only", "--no-commit-id")
        head = self._sure.head()
        try:
            committed = self._sure.run(*names, head, "--")
            self._sure.run(
                *("reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", head),
                env={"GIT_INDEX_FILE": str(third)},
                input_=committed.stdout,
                cwd=self._git.top,
            )
            index.replace(third)
        except (ToolError, OSError) as error:
            raise ToolError(
                "command",
                f"Committed as {head}, but the index could not follow: {error}",
                suggestion="Do not commit again. The user may mend it with git reset.",
            ) from error

    def _run_commit(self, message: str, env: Mapping[str, str] | None = None) -> None:
        """Run `git commit` with its hooks.

        Raises:
            ToolError: "command" with the output of the hook or git; "timeout".
        """
        try:
            finished = self._git.run(
                *("commit", "--quiet", "--file=-", "--cleanup=whitespace"),
                env=env,
                input_=message.encode("utf-8", "replace"),
                timeout_s=self._limit_s,
                check=False,
                supervised=True,
            )
        except ToolError as error:
            if error.type != "timeout":
                raise
            hint = "Hooks may run tests; the user can allow more with commands.commitS."
            raise ToolError("timeout", error.message, suggestion=hint) from error
        if finished.exit_code == 0:
            return
        said = output_text(finished)
        raise ToolError(
            "command",
            f"Not committed; git and its hooks said:\n{said or f'exit {finished.exit_code}'}",
            suggestion=_commit_advice(said),
        )


class _AskedCommit(NamedTuple):
    """The branch and its last commit; the paths, what becomes of them, and their content."""

    branch: bytes
    head: str
    paths: tuple[str, ...]
    states: tuple[str, ...]
    content: tuple[str, ...]


def _content(path: Path) -> str:
    """The hash of a file with its mode, or where a link leads; "" when there is none."""
    try:
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            return f"link {path.readlink()}"
        if not stat.S_ISREG(state.st_mode):
            return f"{state.st_mode:o}"
        with path.open("rb") as file:
            return f"{state.st_mode:o} {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError as error:
        return "" if isinstance(error, FileNotFoundError) else f"error {error.errno}"


def _changed_meanwhile() -> ToolError:
    return ToolError(
        "conflict",
        "Not committed: what the commit would contain has changed since the user was asked.",
        suggestion="Look at git_status, then commit again; the user is asked about what is there.",
    )


def _check_message(message: str) -> None:
    if not message.strip():
        raise ToolError("validation", "The commit message is empty.")
    if "\0" in message:
        raise ToolError("validation", "The commit message holds a NUL character.")


def _nothing_to_commit(files: Sequence[str]) -> ToolError:
    if files:
        return ToolError("command", f"Nothing to commit: {', '.join(files)} has not changed.")
    return ToolError(
        "command",
        "Nothing to commit: no file is staged.",
        suggestion="Name the files to commit; git_status shows which have changed.",
    )


def _commit_advice(said: str) -> str:
    lower = said.lower()
    signs = ("gpg", "sign the data", "signing", "failed to write commit object", "load key")
    if any(each in lower for each in signs):
        return (
            "git is set up to sign commits, and cannot do so here, where nobody can enter a "
            "passphrase. Ask the user to unlock the key, or to switch off commit.gpgSign."
        )
    if "user.email" in lower or "tell me who you are" in lower:
        return "Ask the user to set user.name and user.email with git config."
    if "index.lock" in lower:
        return BUSY_ADVICE
    return "Mend what the hook reports, then commit again."
