"""Models that run in a process of ours."""

import fcntl
import importlib.util
import os
import re
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, ModelMissing, ToolsRefused, UnreadableCall
from ipuaro_jupyter.llm import Chunk, LlmSettings
from ipuaro_jupyter.llm.in_process import RUNTIME
from ipuaro_jupyter.llm.local.download import INSTALL, download
from ipuaro_jupyter.llm.local.gguf_file import WeightsHead
from ipuaro_jupyter.llm.local.keep_alive import keep_alive_s
from ipuaro_jupyter.llm.local.model_name import (
    GGUF,
    PulledName,
    pulled_names,
    split_files,
    weights_path,
)
from ipuaro_jupyter.llm.local.own_server import OwnServer, computing_lock
from ipuaro_jupyter.llm.local.saved_heads import SavedHeads
from ipuaro_jupyter.llm.local.server_folder import Running
from ipuaro_jupyter.llm.openai import ApiKey, OpenAiModel
from ipuaro_jupyter.llm.wishes import Sampling, Wishes
from ipuaro_jupyter.records.chat import Message, ToolSchema
from ipuaro_jupyter.records.events import PullProgress
from ipuaro_jupyter.store.changeable import changeable_by_others
from ipuaro_jupyter.store.locks import grab

_IDLE_S = 600.0
_ENDING_S = 2.0
_FOUND_DEAD_S = 1.0
_STEP_S = 0.05
_TAKES_TOOLS = re.compile(r"\{[%{][^}]*\btools\b")


class LocalModel:
    """A file of weights that a process of this user runs; see the room's docstring.

    Nothing is started before it is asked. After closing, it reopens when it is asked.

    Args:
        name: The model's name, with "gguf:".
        settings: How it is asked; their ``model`` and ``host`` are ignored.
        base: The folder to which a path is relative.
        idle_s: Seconds after which the process ends when its last client has gone.

    Attributes:
        remote_host: None: what it is sent stays on this machine.

    Raises:
        ModelError: The name is neither a path nor one of a file that can be pulled.
    """

    remote_host: str | None = None

    def __init__(
        self, name: str, settings: LlmSettings, base: Path, *, idle_s: float = _IDLE_S
    ) -> None:
        self.name = name
        self._settings = settings
        self._pulled = PulledName.of(name)
        self._idle_s = idle_s
        self._load(weights_path(name, base, settings.models_folder))
        self._refuses_tools = False
        self._computes = False
        self._asked: tuple[Running, OpenAiModel] | None = None
        self._shared_window: int | None = None

    def _load(self, weights: Path) -> None:
        """Ask this file from now on."""
        self._weights = weights
        self._abilities: WeightsHead | None = None
        self._server = OwnServer(
            weights,
            idle_s=self._idle_s,
            unused_s=keep_alive_s(self._settings.keep_alive),
            load_s=self._settings.load_timeout / 1000,
        )

    @property
    def _is_shared(self) -> bool:
        """Whether the file is not the user's own but in the folder that all users share."""
        return self._pulled is not None and self._weights != self._pulled.files[0].path

    @property
    def context_tokens(self) -> int:
        """The window in tokens: the setting, or what it was trained for or runs with if smaller."""
        head = self._head()
        windows = [self._settings.context_window, head and head.trained_window, self._shared_window]
        if self._asked is not None:
            windows.append(self._asked[0].window)
        return min(window for window in windows if window)

    @property
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas, by the setting or by its template."""
        setting = self._settings.use_native_tools
        if setting is not None:
            return setting
        head = None if self._refuses_tools else self._head()
        return head is not None and _TAKES_TOOLS.search(head.template) is not None

    @property
    def parameter_count(self) -> int | None:
        """The number of the model's parameters; None when its file cannot be read."""
        try:
            return sum(WeightsHead.of(file).parameter_count for file in self._files())
        except ModelError:
            return None

    def check(self) -> None:
        """Raise ModelError unless the runtime is installed and the file can be read.

        Raises:
            ModelMissing: The file was not pulled yet.
            ModelError: It is not there, cut short or no file of weights, or the runtime is not
                installed.
        """
        if importlib.util.find_spec(RUNTIME) is None:
            raise ModelError(f"The runtime for {self.name} is not installed: run {INSTALL}.")
        if not all(file.is_file() for file in self._files()):
            raise self._missing()
        for file in self._files():
            if self._is_shared:
                self._check_shared(file)
            if file.stat().st_size < WeightsHead.of(file).least_bytes:
                raise self._cut_short(file)
        self._abilities = WeightsHead.of(self._weights)

    def models(self, *, within_s: float = 10.0) -> tuple[str, ...]:
        """The names of the files that were pulled, sorted, with this one if it is there."""
        del within_s
        own = {self.name} if self._weights.is_file() else set()
        return tuple(sorted({*pulled_names(self._settings.models_folder), *own}))

    def prepare(self, cancel: CancelToken) -> None:
        """Read from the file what the model can do, and from a shared process its window.

        Raises:
            Cancelled: The token was set.
            ModelError: As `check`.
        """
        cancel.check()
        self.check()
        self._shared_window = self._server.smaller_window(self._wanted_window(), cancel)

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Download the file, yielding the progress; one that all users share is there already.

        Raises:
            Cancelled: The token was set; what has come is kept for the next time.
            ModelError: The name is a path, there is no such file, or it cannot be fetched.
        """
        if self._pulled is None:
            raise ModelError(
                f"{self.name} is a path on this machine: there is nothing to pull. A file on "
                f"Hugging Face is named {GGUF}OWNER/REPO/FILE.gguf."
            )
        if self._is_shared:
            with suppress(ModelError):
                self.check()
                yield PullProgress(status="success")
                return
            self._load(self._pulled.files[0].path)
        silence_s = self._settings.load_timeout / 1000
        for name in self._pulled.files:
            yield from download(name, cancel, silence_s=silence_s)

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSchema],
        cancel: CancelToken,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
        think: bool | None = None,
        only_read: bool = False,
        sampling: Sampling | None = None,
    ) -> Iterator[Chunk]:
        """Yield the reply; the process is started if need be. For the keywords see `Wishes`.

        Two processes that compute at once would slow each other ten times, so while another model
        of this user does, this waits and says so by a chunk.

        Raises:
            Cancelled: The token was set; closing the connection tells the process.
            UnreadableCall: The runtime cannot read a call that the model wrote.
            ModelError: It cannot be loaded, or the process ended in the middle.
        """
        self.prepare(cancel)
        wishes = Wishes(
            schema=schema, stop=stop, think=think, only_read=only_read, sampling=sampling
        )
        lock = yield from self._turn_to_compute(cancel)
        try:
            yield from self._answered(messages, tools, cancel, wishes)
        finally:
            if lock is not None:
                self._computes = False
                fcntl.flock(lock, fcntl.LOCK_UN)  # a fork of the kernel may hold it, too
                os.close(lock)

    def _turn_to_compute(self, cancel: CancelToken) -> Generator[Chunk, None, int | None]:
        """Wait until no other model of this user computes; return the lock to close afterwards.

        None: this model holds it for another reply, it cannot be locked, or it was held for too
        long; slow is better than never.

        Raises:
            Cancelled: The token was set.
        """
        if self._computes:
            return None
        deadline = time.monotonic() + self._settings.load_timeout / 1000
        waits = False
        with suppress(OSError):
            while (lock := grab(computing_lock())) is None:
                if not waits:
                    waits = True
                    yield Chunk(phase="waiting")
                cancel.check()
                if time.monotonic() > deadline:
                    return None
                time.sleep(_STEP_S)
            self._computes = True
            return lock
        return None

    def _answered(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        cancel: CancelToken,
        wishes: Wishes,
    ) -> Iterator[Chunk]:
        """Yield the reply of the process, which is started again if it was found dead."""
        if self._server.folder.running is None:
            yield Chunk(phase="loading")
        was_killed = False
        while True:
            running = self._server.running(self._wanted_window(), cancel)
            asked, said = time.monotonic(), False
            try:
                for chunk in self._replied(running, messages, tools, cancel, wishes):
                    said = said or bool(chunk.text or chunk.thinking or chunk.calls)
                    yield chunk
            except UnreadableCall:
                raise
            except ToolsRefused:
                self._refuses_tools = True
                raise
            except ModelError as error:
                broke = time.monotonic()
                if not self._has_ended(running):
                    raise
                if said or was_killed or broke - asked > _FOUND_DEAD_S:
                    raise self._server.ended() from error
                was_killed = True  # before it was asked, and noticed only now
            else:
                return

    def _replied(
        self,
        running: Running,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        cancel: CancelToken,
        wishes: Wishes,
    ) -> Iterator[Chunk]:
        """Yield the reply of the process, which goes on from a head that was kept if it is new."""
        is_new, model = self._opened(running)
        folder, heads = self._server.folder, SavedHeads(self._weights, self._server.heads)
        head = heads.name(messages, tools)
        is_kept = is_new and folder.head != head and heads.restore(head, running, cancel)
        folder.head = head
        folder.touch()
        try:
            yield from model.chat(messages, tools=tools, cancel=cancel, **wishes)
        finally:
            folder.touch()
        if wishes.get("only_read") and not is_kept:
            heads.save(head, running, cancel)

    def close(self) -> None:
        """End the connection; the process ends when nobody else uses it."""
        asked, self._asked = self._asked, None
        if asked is not None:
            asked[1].close()
        self._server.leave()

    def _files(self) -> list[Path]:
        return [self._weights.with_name(name) for name in split_files(self._weights.name)]

    def _head(self) -> WeightsHead | None:
        if self._abilities is None and self._weights.is_file():
            try:
                self._abilities = WeightsHead.of(self._weights)
            except ModelError:
                return None  # `check` says why
        return self._abilities

    def _wanted_window(self) -> int:
        head = self._head()
        trained = head.trained_window if head else None
        return min(self._settings.context_window, trained or self._settings.context_window)

    def _opened(self, running: Running) -> tuple[bool, OpenAiModel]:
        """Whether the process is another one than last time, and the model to ask it by."""
        if self._asked is not None and self._asked[0] == running:
            return False, self._asked[1]
        if self._asked is not None:
            self._asked[1].close()
        model = OpenAiModel(
            self.name,
            self._settings.model_copy(update={"use_native_tools": self.native_tools}),
            served_as=self._weights.name,
            host=running.address,
            key=ApiKey(given=SecretStr(running.key)),
            window=running.window,
            too_long=self._too_long(running.window),
        )
        self._asked = running, model
        return True, model

    def _too_long(self, window: int) -> str:
        """The remedy when a prompt does not fit the window of the process."""
        if window < self._wanted_window():
            return (
                f"Another kernel runs {self.name} with a window of {window:,} tokens: ask again, "
                "and the prompt is made to fit that, or shut that kernel down first."
            )
        wanted = self._settings.context_window
        return f"Raise llm.contextWindow (now {wanted}), or ask for less at once."

    def _has_ended(self, running: Running) -> bool:
        """Whether the process has gone; it takes a moment until all of a killed one has."""
        deadline = time.monotonic() + _ENDING_S
        while self._server.folder.running == running:
            if time.monotonic() > deadline:
                return False
            time.sleep(_STEP_S)
        return True

    def _cut_short(self, file: Path) -> ModelError:
        whole, size = WeightsHead.of(file).least_bytes, file.stat().st_size
        said = f"{str(file)!r} ends too early, after {size:,} of at least {whole:,} bytes: "
        if self._pulled is None:
            return ModelError(f"{said}copy or download it again.")
        if self._is_shared:
            return ModelError(f"{said}{self._own_copy()}")
        return ModelError(f"{said}delete it, then pull it again with `%ipuaro pull {self.name}`.")

    def _check_shared(self, file: Path) -> None:
        """Raise ModelError when others could have put something else into the file's place."""
        try:
            open_to = changeable_by_others(file)
        except OSError as error:
            said = f"{str(file)!r} cannot be read: {error.strerror}. "
            raise ModelError(f"{said}{self._own_copy()}") from error
        if open_to is not None:
            raise ModelError(
                f"{str(file)!r} is not loaded, because others than root and you can change "
                f"{str(open_to)!r} (`chmod go-w`, `chown root`): {self._own_copy()}"
            )

    def _own_copy(self) -> str:
        return (
            "tell whoever looks after the folder in llm.modelsFolder, or pull a copy of your own "
            f"with `%ipuaro pull {self.name}`."
        )

    def _missing(self) -> ModelError:
        if self._pulled is not None:
            folder = self._settings.models_folder
            shared = f", nor to be read in {folder} (llm.modelsFolder)" if folder else ""
            return ModelMissing(
                f"{self.name} is not on this machine{shared}: `%ipuaro pull {self.name}` in a "
                f"notebook downloads it. A path is written {GGUF}./PATH."
            )
        (missing, *_) = [file for file in self._files() if not file.is_file()]
        return ModelError(
            f"There is no file {str(missing)!r}: correct the path after {GGUF!r}, or name "
            f"a file on Hugging Face as {GGUF}OWNER/REPO/FILE.gguf and pull it."
        )
