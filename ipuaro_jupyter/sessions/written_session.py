"""A conversation in Redis.

Messages are appended one by one, so that a killed kernel loses no more than the step in flight.
Nothing is written on opening: the missing parts of an interrupted turn are made up each time.
"""

import time
from collections.abc import Iterable, Mapping, Sequence

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Change, Decision, LoggedDecision, Proposal
from ipuaro_jupyter.records.chat import Attachment, Message
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.records.receipt import Receipt
from ipuaro_jupyter.records.undoing import UndoAction
from ipuaro_jupyter.sessions.decision_log import MOST_DECISIONS, log_entry, read_log
from ipuaro_jupyter.sessions.found_files import FoundFiles
from ipuaro_jupyter.sessions.input_history import note_input
from ipuaro_jupyter.sessions.session_counts import SessionCounter
from ipuaro_jupyter.sessions.stored_head import StoredHead
from ipuaro_jupyter.sessions.stored_session import (
    SessionInfo,
    dump_message,
    plain_message,
    stored_actions,
    stored_info,
    stored_messages,
)
from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_TITLE_CHARS = 80


class Session:
    """An open session: its messages in memory, every new one written at once.

    Made by `Sessions`, which makes sure that a conversation is open only once.

    Attributes:
        notebook: The notebook that it is asked from, stored with each question; "" elsewhere.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str, *, owner: str) -> None:
        self._store = store
        self._keys = keys
        self._owner = owner.encode()
        self.id = session_id
        self.notebook = ""
        self._listed = store.zscore(keys.sessions, session_id) is not None
        self._messages = stored_messages(store, keys, session_id)
        self._found = FoundFiles(store, keys, session_id)
        self._answers: list[Decision] = []
        self._unsure: tuple[Message, Message] | None = None
        self._head = StoredHead(store, keys, session_id)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first; see `whole` for those of an interrupted turn."""
        return tuple(self._messages)

    @property
    def info(self) -> SessionInfo:
        """Title, times and counts as stored now."""
        return stored_info(self._store, self._keys, self.id)

    def append(self, message: Message, counts: Mapping[SessionCounter, int] | None = None) -> None:
        """Store a message and add ``counts`` to the session's, in one transaction.

        The result of a call gets the decisions logged for it. A message that is tried again after a
        StorageError is stored once, even if only the server's response was lost.

        Raises:
            SettingsError: It is the user's message, and another kernel has opened or deleted the
                session since.
            StorageError: Redis has gone; the message may be stored, and is not in `messages`.
        """
        if self._take_unsure() == message:
            return
        answers = self._answers
        added: dict[str, object] = {} if message.at else {"at": time.time()}
        if answers and message.role == "tool" and message.call_id:
            added["decisions"] = tuple(answers)
        stamped = message.model_copy(update=added)
        fields = {}
        if message.role == "user":
            self._check_owned()
            if self.notebook:
                fields["notebook"] = self.notebook.encode("utf-8", "replace")
        if not self._messages:
            fields["title"] = _title(message.content)
        self._unsure = message, stamped
        with self._store.batch(atomic=True) as batch:
            batch.rpush(self._keys.messages(self.id), dump_message(stamped))
            self._update(batch, [("messages", 1), *(counts or {}).items()], fields)
            if message.role == "user":
                note_input(batch, self._keys, self.id, message.content)
        self._messages.append(stamped)
        self._unsure = None
        self._answers = []

    def _take_unsure(self) -> Message | None:
        """The message whose storing failed, if it was stored all the same."""
        if self._unsure is None:
            return None
        message, stamped = self._unsure
        stored = self._store.lrange(self._keys.messages(self.id), -1, -1)
        self._unsure = None
        if stored != [dump_message(stamped)]:
            return None
        self._messages.append(stamped)
        self._answers = []
        return message

    def add_context(self, context: str, attached: Sequence[Attachment] = ()) -> None:
        """Store what the model is told beside the newest message, which is the user's.

        Args:
            context: All of it.
            attached: What mentions in the message have attached.

        Raises:
            StorageError: Redis has gone.
        """
        self._change_newest({"context": context, "attached": tuple(attached)})

    def add_receipt(self, receipt: Receipt) -> None:
        """Store the receipt of an answer with the newest message, which ends it."""
        self._change_newest({"receipt": receipt})

    def _change_newest(self, update: Mapping[str, object]) -> None:
        told = self._messages[-1].model_copy(update=update)
        with self._store.batch(atomic=True) as batch:
            batch.lset(self._keys.messages(self.id), -1, dump_message(told))
        self._messages[-1] = told

    @property
    def head(self) -> Head | None:
        """The head of its requests, which stays the same; None before the first one."""
        return self._head.head

    def keep_head(self, head: Head) -> None:
        """Keep the head of its requests from now on, and forget what earlier ones left out.

        It is stored with the first message.
        """
        self._head.keep(head, stored=self._listed)

    @property
    def left_out(self) -> bytes:
        """What requests with the present head leave out, as given to `note_left_out`."""
        return self._head.left_out

    def note_left_out(self, left_out: bytes) -> None:
        """Store what requests leave out from now on."""
        self._head.note_left_out(left_out, stored=self._listed)

    def count(self, counts: Mapping[SessionCounter, int]) -> None:
        """Add to the session's counts, which makes it listed; tool calls alone do not."""
        if self._listed or {name for name, amount in counts.items() if amount} - {"tool_calls"}:
            with self._store.batch(atomic=True) as batch:
                self._update(batch, counts.items(), {})

    def note_decision(
        self, proposal: Proposal, decision: Decision, *, within_turn: bool = False
    ) -> None:
        """Log a question, how it was shown, and the decision; survives a restart.

        A decision by a person makes the session listed; one by the policy does not.

        Args:
            proposal: The question.
            decision: The decision.
            within_turn: Whether it belongs to the call whose result comes next.

        Raises:
            StorageError: Redis has gone; the decision should then not be carried out.
        """
        key = self._keys.decisions(self.id)
        with self._store.batch(atomic=True) as batch:
            batch.rpush(key, log_entry(proposal, decision))
            batch.ltrim(key, -MOST_DECISIONS, -1)
            if decision.by != "policy" or decision.action == "reject":
                self._update(batch, [], {})
        if within_turn and decision.by != "policy":
            self._answers.append(decision)

    @property
    def decisions(self) -> tuple[LoggedDecision, ...]:
        """The decisions, oldest first; the latest thousand."""
        return read_log(self._store.lrange(self._keys.decisions(self.id), 0, -1))

    def note_change(self, change: Change, *, within_turn: bool) -> None:
        """Remember the file as it was before; see `FoundFiles.note`."""
        self._found.note(change, within_turn=within_turn)

    def note_undone(self, action: UndoAction | None, counts: Mapping[SessionCounter, int]) -> None:
        """Store an undo or redo, unless it is None, and add to the session's counts.

        Raises:
            StorageError: Redis has gone.
        """
        with self._store.batch(atomic=True) as batch:
            if action is not None and action.turns:  # before the first message, none is repeated
                batch.rpush(self._keys.actions(self.id), plain_message(action))
            self._update(batch, counts.items(), {})

    @property
    def actions(self) -> tuple[UndoAction, ...]:
        """The undos and redos between the messages, oldest first."""
        return stored_actions(self._store, self._keys, self.id)

    def clear(self) -> None:
        """Delete the messages; the undo stack, the changed files and the counts of edits stay."""
        with self._store.batch(atomic=True) as batch:
            batch.delete(*self._keys.of_messages(self.id))
            if self._listed:
                batch.hset(self._keys.session(self.id), {"messages": b"0", "title": b""})
        self._messages.clear()
        self._head.clear()

    def _check_owned(self) -> None:
        """Raise unless the session is there and ours; one without an owner counts as ours."""
        owner = self._store.get(self._keys.owner(self.id))
        if owner not in (None, self._owner):
            raise SettingsError(
                f"Session {self.id} was opened by another kernel meanwhile. Close it there and run "
                f"%ipuaro sessions load {self.id}, or begin a new one: %ipuaro start --new."
            )
        if self._listed and self._store.zscore(self._keys.sessions, self.id) is None:
            raise SettingsError(
                f"Session {self.id} was deleted meanwhile. Begin a new one: %ipuaro start --new."
            )

    def _update(
        self, batch: Batch, counts: Iterable[tuple[str, int]], fields: Mapping[str, bytes]
    ) -> None:
        now = time.time()
        meta = self._keys.session(self.id)
        new = {} if self._listed else {"created_at": repr(now).encode()}
        batch.hset(meta, {**new, **fields, "updated_at": repr(now).encode()})
        for counter, amount in counts:
            if amount:
                batch.hincrby(meta, counter, amount)
        batch.zadd(self._keys.sessions, {self.id: now})
        if not self._listed:  # from now on it is owned while the owner lives
            batch.set(self._keys.owner(self.id), self._owner)
            self._head.write(batch)
        self._listed = True


def _title(question: str) -> bytes:
    line = " ".join(question.split())
    if len(line) > _TITLE_CHARS:
        line = line[: _TITLE_CHARS - 1].rstrip() + "\u2026"
    return line.encode("utf-8", "replace")
