"""A job in a thread of its own: it reports events, may ask the user, and can be stopped."""

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import Report
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views.proposal import detail_html, question_html

T = TypeVar("T")
Asked = Proposal | Trouble
Said = Decision | Remedy


def nobody(asked: Asked, reason: str) -> Said:
    """The decision on a question that nobody sees."""
    if isinstance(asked, Trouble):
        return Remedy(action="abort", by="nobody", reason=reason)
    return Decision(action="reject", by="nobody", reason=reason)


class Question:
    """A question to the user: a proposal, or how to go on after an error; another thread waits."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._said: Said | None = None
        self._answered = threading.Event()

    def answer(self, said: Said) -> None:
        """Pass the decision to the waiting thread."""
        self._said = said
        self._answered.set()

    def wait(self, cancel: CancelToken) -> Said:
        """Wait for the decision and return it.

        Raises:
            Cancelled: Stop was asked for first.
        """
        with cancel.calling(self._answered.set):
            self._answered.wait()
        if self._said is None:
            cancel.check()
            raise AssertionError  # only a decision or stop ends the wait
        return self._said


class CellThread(Generic[T]):
    """A job in a thread; its starter takes the events and decides the questions.

    ``so_far`` is what a job may set to its result as far as it has got.

    The thread is a daemon: a kernel that is shutting down does not wait for a model. It runs in a
    copy of the starter's context, which keeps output in the cell that it belongs to.
    """

    def __init__(self, job: Callable[["CellThread[T]"], T]) -> None:
        self.cancel = CancelToken()
        self.wake: Callable[[], None] = _nothing
        self._job = job
        self._events: deque[Report] = deque()
        self._questions: deque[Question] = deque()
        self._ended = threading.Event()
        self._result: T | None = None
        self.so_far: T | None = None
        self._error: BaseException | None = None

    def start(self) -> None:
        """Start; `wake` is called, in the job's thread, whenever there is something to take."""
        context = contextvars.copy_context()
        name = "ipuaro-work"
        threading.Thread(target=context.run, args=(self._run,), name=name, daemon=True).start()

    def post(self, event: Report) -> None:
        """Report an event from inside the job."""
        self._events.append(event)
        self.wake()

    def ask(self, proposal: Proposal) -> Decision:
        """Ask the user from inside the job and wait for the decision.

        Raises:
            Cancelled: Stop was asked for while waiting.
        """
        self.cancel.check()
        # Drawn here and cached: the thread that shows it serves the whole kernel.
        question_html(proposal)
        detail_html(proposal)
        said = self._answer_to(proposal)
        assert isinstance(said, Decision)  # noqa: S101 - that is how proposals are answered
        return said

    def ask_remedy(self, trouble: Trouble) -> Remedy:
        """Ask the user from inside the job how to go on, and wait for the choice.

        Raises:
            Cancelled: Stop was asked for while waiting.
        """
        said = self._answer_to(trouble)
        assert isinstance(said, Remedy)  # noqa: S101 - that is how troubles are answered
        return said

    def take(self) -> list[Report]:
        """The events since the last call."""
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    def question(self) -> Question | None:
        """The next question, once; None when there is none."""
        return self._questions.popleft() if self._questions else None

    @property
    def ended(self) -> bool:
        """Whether the job has ended. Events may be left to take."""
        return self._ended.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the job has ended, at most ``timeout_s`` seconds; return whether it has."""
        return self._ended.wait(timeout_s)

    def result(self) -> T:
        """The return value of the job; raises its exception. Only after it has ended."""
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value] # set when there is no error

    def _answer_to(self, asked: Asked) -> Said:
        self.cancel.check()
        question = Question(asked)
        self._questions.append(question)
        self.wake()
        return question.wait(self.cancel)

    def _run(self) -> None:
        try:
            self._result = self._job(self)
        except BaseException as error:  # noqa: BLE001 - raised again in the cell
            self._error = error
        finally:
            self._ended.set()
            self.wake()


def _nothing() -> None:
    """Do nothing."""


AnyCellThread = CellThread[Any]
