"""Real project folders, and one real Redis for all tests of the room."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from git_repository import Answer, Git

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.git.repository import Repository
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


@dataclass
class User:
    """Answers every question with ``decision`` and remembers what was asked."""

    decision: Decision = field(default_factory=lambda: Decision(action="apply"))
    asked: list[Proposal] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def __call__(self, proposal: Proposal) -> Decision:
        self.asked.append(proposal)
        self.meanwhile()
        return self.decision


@dataclass
class Opened:
    """A workspace, its user, and the changes that it told of."""

    workspace: Workspace
    user: User
    changes: list[Change]

    @property
    def root(self) -> Path:
        return self.workspace.root

    def write(self, path: str, data: bytes | str) -> Path:
        """Put a file on the disk, past the workspace."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        return place

    def apply(self, path: str, before: bytes | None, after: bytes | None) -> Change:
        change = Change(path=path, before=before, after=after)
        return self.workspace.apply(change, tool="a_tool", title=f"Change {path}")


@pytest.fixture(scope="session")
def room_store(ipuaro_home: Path) -> Iterator[Store]:
    """Give a store on the run's embedded server."""
    del ipuaro_home
    store = connect(StoreSettings())
    yield store
    store.close()


@pytest.fixture
def open_workspace(room_store: Store) -> Callable[..., Opened]:
    """Give a function that opens a workspace on a folder, in a new session unless one is named.

    A process of its own needs a ``store`` of its own.
    """

    def open_now(
        root: Path, *, session: str | None = None, store: Store = room_store, **settings: object
    ) -> Opened:
        keys, session_id = Keys(project_id(root)), session or uuid4().hex
        options = WorkspaceSettings.model_validate(settings)
        user, changes = User(), []
        workspace = Workspace(
            root,
            options,
            confirm=user,
            undo=UndoStack(store, keys, session_id, depth=options.undo_depth),
            shown=ShownFiles(store, keys, session_id),
            changed=changes.append,
        )
        return Opened(workspace, user, changes)

    return open_now


@pytest.fixture
def opened(open_workspace: Callable[..., Opened], tmp_path: Path) -> Opened:
    """Give an open workspace on an empty folder that has a sibling ``outside``."""
    root = tmp_path / "project"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("TOPSECRET\n")
    return open_workspace(root)


@pytest.fixture
def empty(tmp_path):
    """Give a repository without a commit."""
    git = Git(tmp_path / "project")
    git.root.mkdir()
    git.begin()
    return git


@pytest.fixture
def git(empty):
    """Give a repository with three files of one line in one commit."""
    for name in ("a.ts", "b.ts", "c.ts"):
        empty.write(name, "1\n")
    empty("add", "-A")
    empty("commit", "-qm", "base")
    return empty


@pytest.fixture
def answer():
    """Give somebody who answers the questions about commits."""
    return Answer()


@pytest.fixture
def commit(git, answer):
    """Give a function that commits in ``git``."""

    def commit_now(message="x", files=()):
        repository = Repository(git.root)
        return repository.commit(message, files, decide=answer, tool="git_commit")

    return commit_now
