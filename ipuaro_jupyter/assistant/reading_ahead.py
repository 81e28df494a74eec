"""The steady head of the prompt, sent to the model before there is a question.

A local server keeps what it has read, so that the first question waits about as long as the second.
"""

import contextvars
import logging
import threading
import time
from collections.abc import Callable, Iterator

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, IpuaroError, ModelError
from ipuaro_jupyter.llm import Chunk, Model
from ipuaro_jupyter.llm.hosts import remote_host
from ipuaro_jupyter.llm.wishes import asked
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.records.trouble import short_name

_log = logging.getLogger(__name__)
_ENDING_S = 5.0
_NO_QUESTION = "."  # templates want a message of the user


class ReadingAhead:
    """A request in the background whose reply nobody reads.

    Args:
        model: The model.
        head: Makes the head of the prompt; called in the thread, once the model can be asked.

    Attributes:
        tokens: The tokens that the server has read; 0 before it has ended, and where it does not
            say.
    """

    def __init__(self, model: Model, head: Callable[[CancelToken], Head]) -> None:
        self.tokens = 0
        self._model = model
        self._head = head
        self._cancel = CancelToken()
        self._ended = threading.Event()
        self._was_stopped = False
        self._seconds = 0.0
        self._problem = ""
        self._when_ended: Callable[[], None] = _nothing
        self._thread: threading.Thread | None = None

    def start(self, ended: Callable[[], None] | None = None) -> None:
        """Begin; ``ended`` is called in the thread at the end, in a copy of this context."""
        self._when_ended = ended or _nothing
        run = contextvars.copy_context().run
        self._thread = threading.Thread(
            target=run, args=(self._run,), name="ipuaro-ahead", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop it and wait until it has ended; what the server has read so far it may keep."""
        self._cancel.cancel()
        if self._thread not in {None, threading.current_thread()}:
            self._thread.join(_ENDING_S)

    def __str__(self) -> str:
        """How far it is, as a sentence."""
        if not self._ended.is_set():
            return f"{short_name(self._model.name)} is reading the start of the prompt ahead."
        if self._was_stopped:
            return "Reading ahead was stopped."
        if self._problem:
            return f"Nothing was read ahead: {self._problem}"
        much = f"{self.tokens:,} tokens" if self.tokens else "the start of the prompt"
        return f"{short_name(self._model.name)} has read {much} ahead in {self._seconds:.1f} s."

    def _reply(self) -> Iterator[Chunk]:
        head = self._head(self._cancel)
        if host := remote_host(self._model):  # known only once the server was asked
            raise ModelError(f"{self._model.name} is at {host}, not on this machine.")
        messages = [
            Message(role="system", content=head.system),
            Message(role="user", content=_NO_QUESTION),
        ]
        return asked(self._model, messages, tools=head.tools, cancel=self._cancel, only_read=True)

    def _run(self) -> None:
        started = time.monotonic()
        try:
            for chunk in self._reply():
                if chunk.usage is not None and not chunk.usage.estimated:
                    self.tokens = chunk.usage.prompt_tokens
        except Cancelled:
            self._was_stopped = True
        except IpuaroError as error:
            self._problem = str(error)
        except Exception as error:  # noqa: BLE001 - nobody waits for it; the first question tells
            _log.exception("Reading ahead failed")
            self._problem = f"{type(error).__name__}: {error}"
        finally:
            self._seconds = time.monotonic() - started
            self._ended.set()
            self._when_ended()


def _nothing() -> None:
    """Do nothing."""
