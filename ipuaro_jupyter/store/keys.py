"""The names of everything that is kept in Redis.

All keys of one project share one hash tag, so that on a cluster they live in one slot and a
transaction may touch them all. They sit under a schema version, so that two versions of this
package share a server without reading or wiping each other's data.
"""

import hashlib
import os
import re
from pathlib import Path

SCHEMA = "ipuaro:v1"
PROJECTS = f"{SCHEMA}:projects"
SHARED = tuple(f"{SCHEMA}:{{facts}}:{name}" for name in ("values", "used", "info"))
"""What earlier versions kept of all projects together; deleted when an index is made."""
COUNT = re.compile(rb"0|-?[1-9]\d{0,17}")
"""A number to which the server can add."""
_NAME_LENGTH = 40
_HASH_LENGTH = 12


def project_id(root: Path) -> str:
    """A name for the project in ``root``: readable, and unique by the real path.

    Two paths to the same folder (symlinks, ``..``) give one id; two folders of the same name give
    two. The folder need not exist.
    """
    real = os.path.realpath(root)
    name = re.sub(r"[^\w.-]+", "-", Path(real).name).strip("-")[:_NAME_LENGTH] or "root"
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:_HASH_LENGTH]
    return f"{name}-{digest}"


def tokens_key(user: str, day: str) -> str:
    """The key of the tokens that a user's questions took on a day, such as 2026-01-31; a hash."""
    return f"{SCHEMA}:tokens:{{{user}}}:{day}"


class Keys:
    """The keys of one project, ``ipuaro:v1:project:{<id>}:<name>``, with literal braces."""

    def __init__(self, project_id: str) -> None:
        self.project_id = project_id
        self.prefix = f"{SCHEMA}:project:{{{project_id}}}:"
        self.info = self._key("info")
        self.files = self._key("files")
        self.ast = self._key("ast")
        self.meta = self._key("meta")
        self.symbols = self._key("symbols")
        self.dependencies = self._key("dependencies")
        self.dependents = self._key("dependents")
        self.postings = self._key("postings")
        self.tokens = self._key("tokens")
        self.file_ids = self._key("file_ids")
        self.index_info = self._key("index_info")
        self.known = self._key("known")
        self.known_before = self._key("known_before")
        self.answers = self._key("answers")
        """Kept by earlier versions; deleted when the index is made."""
        self.lock = self._key("lock")
        self.history = self._key("history")
        self.sessions = self._key("sessions")
        self.opened = self._key("opened")

    def session(self, session_id: str) -> str:
        """The key of a session's own data: times, model, counters."""
        return self._key(f"session:{session_id}:meta")

    def messages(self, session_id: str) -> str:
        """The key of a session's messages, a list, oldest first."""
        return self._key(f"session:{session_id}:messages")

    def head(self, session_id: str) -> str:
        """The key of the head of a session's requests, and of what they leave out; a hash."""
        return self._key(f"session:{session_id}:head")

    def undo(self, session_id: str) -> str:
        """The key of a session's undo stack, a list."""
        return self._key(f"session:{session_id}:undo")

    def redo(self, session_id: str) -> str:
        """The key of what was undone in a session and can be redone, a list."""
        return self._key(f"session:{session_id}:redo")

    def actions(self, session_id: str) -> str:
        """The key of a session's undos and redos between its messages, a list, oldest first."""
        return self._key(f"session:{session_id}:actions")

    def shown(self, session_id: str) -> str:
        """The key of the file versions that a session's model has seen, a hash by path."""
        return self._key(f"session:{session_id}:shown")

    def decisions(self, session_id: str) -> str:
        """The key of a session's decisions, a list, oldest first."""
        return self._key(f"session:{session_id}:decisions")

    def found(self, session_id: str) -> str:
        """The key of the files as they were before a session changed them, a hash."""
        return self._key(f"session:{session_id}:found")

    def owner(self, session_id: str) -> str:
        """The key that names the process which has the session open."""
        return self._key(f"session:{session_id}:owner")

    def of_messages(self, session_id: str) -> tuple[str, ...]:
        """The keys that go when a session's messages are deleted."""
        return (
            self.messages(session_id),
            self.head(session_id),
            self.found(session_id),
            self.actions(session_id),
        )

    def session_keys(self, session_id: str) -> tuple[str, ...]:
        """Every key of a session, to be deleted with it."""
        return (
            self.session(session_id),
            self.messages(session_id),
            self.head(session_id),
            self.undo(session_id),
            self.redo(session_id),
            self.actions(session_id),
            self.shown(session_id),
            self.decisions(session_id),
            self.found(session_id),
            self.owner(session_id),
        )

    def staging(self, key: str) -> str:
        """The key where a new value of ``key`` is built before `Batch.move` puts it in place.

        Raises:
            ValueError: ``key`` is not one of this project's keys.
        """
        if not key.startswith(self.prefix):
            raise ValueError(f"not a key of project {self.project_id!r}: {key!r}")
        return f"{key}:new"

    @property
    def pattern(self) -> str:
        """The pattern with which `Store.scan` finds every key of the project."""
        return f"{self.prefix}*"

    def _key(self, name: str) -> str:
        return self.prefix + name
