"""`replay`: run a recorded session again."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.index.storage.indexing_progress import OnProgress
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.events import CallStarted
from ipuaro_jupyter.records.replayed import ReplayReport
from ipuaro_jupyter.replay.comparison import attachments, compared, ending
from ipuaro_jupyter.replay.recorded import RecordedAnswers, RecordedKernel, RecordedReplies
from ipuaro_jupyter.replay.repeated_undo import repeated
from ipuaro_jupyter.replay.trusted import check_trusted, is_remote
from ipuaro_jupyter.sessions.found_files import FoundFiles
from ipuaro_jupyter.sessions.ipynb import is_export, read_notebook
from ipuaro_jupyter.sessions.recording import RecordedSession, stored_recording
from ipuaro_jupyter.settings.opened_folder import opened_folder
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.store.connection import Store, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.projects import forget
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.workspace.scratch.scratch import Scratch, scratch_copy

Told = Callable[[int, int], object]


def replay(
    notebook: str | Path,
    root: str | Path = ".",
    *,
    in_place: bool = False,
    trust: bool = False,
    settings: Mapping[str, Any] | None = None,
    on_message: Told | None = None,
    progress: OnProgress | None = None,
    cancel: CancelToken | None = None,
) -> ReplayReport:
    """Run a recorded session again and report the differences.

    Args:
        notebook: An exported session.
        root: The project's folder.
        in_place: Run in the project itself, in a new session of it, instead of in a copy.
        trust: Run it even if it changes something or runs commands and was not recorded on this
            machine, or was edited since: everything approved then is approved now.
        settings: Settings that override those of the files, with the keys of ``.ipuaro.json``.
        on_message: Called before each message with its number, from 1, and the number of messages.
        progress: Receives the progress of indexing now and then.
        cancel: Cancels the replay.

    Raises:
        SettingsError: The notebook is not a recording or not to be trusted, or a setting is wrong.
        ProjectError: ``root`` is not a folder, or cannot be copied, or the session has changed
            installed packages, which a copy shares.
        StorageError: Redis cannot be reached.
        Cancelled: ``cancel`` was set.
    """
    began_s = time.monotonic()
    path, (folder, opened) = Path(notebook).expanduser(), opened_folder(root, settings or {})
    recorded, loaded = read_notebook(path), opened.settings
    player = _Player(recorded, loaded, on_message=on_message, progress=progress, cancel=cancel)
    with _opened(loaded) as store:
        if not trust:
            check_trusted(recorded, path=path, store=store, keys=Keys(project_id(folder)))
        exports = _Exports(folder, path, recorded)
        with _place(folder, exports, in_place=in_place, cancel=player.cancel) as (where, scratch):
            restored = () if scratch is None else tuple(_restored(store, folder, recorded, scratch))
            try:
                turns = player.play(where, store, watched=in_place)
            finally:
                if scratch is not None:
                    forget(store, project_id(where))
    roots = (recorded.root, str(folder), str(where))
    pairs = list(enumerate(zip(recorded.turns(), turns, strict=True), 1))
    endings = [ending(number, then, now) for number, (then, now) in pairs]
    attached = [told for n, (then, now) in pairs for told in attachments(n, then, now, roots=roots)]
    return ReplayReport(
        notebook=path.name,
        project=folder.name,
        in_place=in_place,
        messages=len(turns),
        calls=tuple(
            call for n, (then, now) in pairs for call in compared(n, then, now, roots=roots)
        ),
        endings=(
            *attached,
            *(one for one in endings if one is not None),
            *player.differences,
        ),
        restored=restored,
        seconds=time.monotonic() - began_s,
    )


class _Player:
    """Sends the messages of a recording to an assistant."""

    def __init__(
        self,
        recorded: RecordedSession,
        settings: Settings,
        *,
        on_message: Told | None,
        progress: OnProgress | None,
        cancel: CancelToken | None,
    ) -> None:
        self.cancel = cancel or CancelToken()
        self._recorded = recorded
        self._settings = settings
        self._on_message = on_message
        self._progress = progress
        self.differences: list[str] = []

    def play(self, where: Path, store: Store, *, watched: bool) -> list[Sequence[Message]]:
        """The messages of the turn that each recorded message starts in the folder ``where``."""
        replies, answers = RecordedReplies(load_tools()), RecordedAnswers()
        kernel = RecordedKernel()
        turns = list(self._recorded.turns())
        ends = [0]
        with start(
            where,
            model=replies,
            confirm=answers,
            new=True,
            settings=self._flags(watched=watched),
            progress=self._progress,
            cancel=self.cancel,
        ) as assistant:
            assistant.tools.replace("recorded", kernel.tools())
            for number, turn in enumerate(turns, 1):
                if self._on_message is not None:
                    self._on_message(number, len(turns))
                replies.begin(turn)
                answers.begin(turn)
                kernel.begin(turn)
                self._send(turn[0].content, assistant, answers)
                ends.append(assistant.session.messages)
                for action in self._recorded.actions:
                    if action.turns == number:
                        self.differences += repeated(action, assistant)
            again = stored_recording(store, where, assistant.session.id) if ends[-1] else None
        messages = () if again is None else again.messages
        return [messages[begin:end] for begin, end in pairwise(ends)]

    def _send(self, message: str, assistant: Assistant, answers: RecordedAnswers) -> None:
        """Send a message; stop at a call that was interrupted in the recording."""
        if message.startswith("/"):  # a leading blank keeps it from being run as a command
            message = f" {message}"
        stop = CancelToken()
        with self.cancel.calling(stop.cancel):
            for event in assistant.stream(message, stop):
                if isinstance(event, CallStarted):
                    if not answers.call_started():
                        stop.cancel()
                    _count_as_decided(assistant, answers)
        self.cancel.check()

    def _flags(self, *, watched: bool) -> dict[str, Any]:
        """The settings under which the recording can be replayed, without needless work."""
        given = self._settings
        calls = [call for message in self._recorded.messages for call in message.calls]
        servers = given.mcp_servers
        if not any(is_remote(call) for call in calls):
            servers = {n: s.model_copy(update={"disabled": True}) for n, s in servers.items()}
        changed = {
            "approve": "ask",
            "llm": given.llm.model_copy(update={"max_tokens_per_day": None}),
            "sessions": given.sessions.model_copy(update={"max_kept": None}),
            "mcp_servers": servers,
            "context": given.context.model_copy(update={"map_share": 0.0, "guide_tokens": 0}),
            "checks": given.checks.model_copy(update={"before": "never"}),
            "watchdog": given.watchdog.model_copy(update={"enabled": watched}),
        }
        return given.model_copy(update=changed).model_dump(by_alias=True)


def _count_as_decided(assistant: Assistant, answers: RecordedAnswers) -> None:
    """Take a call that led to a decision as a person's: it was proposed, whatever had been read.

    One that was turned away without a decision is the model's, and is turned away again, also
    because a change was not asked for.
    """
    turn = assistant.project().workspace.turn
    if turn is not None:
        turn.by_user = answers.is_decided
        turn.is_unseen = not answers.is_decided
        turn.refuses = "edits and commands" if answers.is_unasked else "nothing"


@contextmanager
def _opened(settings: Settings) -> Iterator[Store]:
    store = connect(settings.redis)
    try:
        yield store
    finally:
        store.close()


class _Exports:
    """Files exported after a session, which its own tools never saw."""

    def __init__(self, folder: Path, notebook: Path, recorded: RecordedSession) -> None:
        self._folder = folder
        self._notebook = notebook.resolve()
        self._ended_s = max([recorded.created_at, *(message.at for message in recorded.messages)])

    def __contains__(self, path: str) -> bool:
        file = self._folder / path
        if file.suffix != ".ipynb":
            return False
        if file.resolve() == self._notebook:
            return True
        try:
            return file.stat().st_mtime > self._ended_s and is_export(file)
        except OSError:
            return False


@contextmanager
def _place(
    folder: Path, exports: _Exports, *, in_place: bool, cancel: CancelToken
) -> Iterator[tuple[Path, Scratch | None]]:
    """Yield the folder to run in, and the copy when it is one."""
    if in_place:
        yield folder, None
        return
    is_left_out = exports.__contains__
    with scratch_copy(folder, cancel=cancel, is_left_out=is_left_out) as scratch:
        yield scratch.root, scratch


def _restored(
    store: Store, folder: Path, recorded: RecordedSession, scratch: Scratch
) -> Iterator[str]:
    """Restore the copy to its state before the session; yield the restored files, or HEAD."""
    taken_back = scratch.undo_commits(set(_commits(recorded.messages)))
    if taken_back:
        yield f"HEAD, without {taken_back} commit{'s' * (taken_back > 1)} of the session"
    found = FoundFiles(store, Keys(project_id(folder)), recorded.session)
    for file in found.untouched(scratch.read):
        scratch.put(file.path, file.content, mode=file.mode)
        yield file.path


def _commits(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the hashes of the commits that were made."""
    for message in messages:
        output = (message.result or {}).get("output")
        if message.tool == "git_commit" and isinstance(output, dict):
            yield str(output.get("hash"))
