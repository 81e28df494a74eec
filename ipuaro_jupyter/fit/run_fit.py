"""`fit`: ask a model questions and small tasks in several ways, and compare."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.answering.reading_speed import HEAD_TOKENS, LEAST_TOKENS, USUAL_TOKENS
from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.demo.folder import passing_app
from ipuaro_jupyter.errors import Cancelled, ModelError, StorageError
from ipuaro_jupyter.fit.asking import Asked, answered, asked
from ipuaro_jupyter.fit.demo_questions import questions
from ipuaro_jupyter.fit.judging import Judge
from ipuaro_jupyter.fit.tasks import tasks_of
from ipuaro_jupyter.llm import LlmSettings, Model
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.wishes import takes
from ipuaro_jupyter.records.fitted import CallForm, FitReport, FitRow, Way
from ipuaro_jupyter.settings.settings import Settings, load_settings, system_settings
from ipuaro_jupyter.settings.system_settings import check_model
from ipuaro_jupyter.store.connection import connect
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.projects import forget

TASKS = 12
FORMS: tuple[CallForm, ...] = ("native", "text", "constrained")
SIZES = (LEAST_TOKENS, USUAL_TOKENS)
_TIMED = 2  # questions before the time is told: the first reads the rules, others do not
_CALL_TOKENS, _LOOP_TOKENS = 1000, 4000  # about what is read for a task, and by the loop
_FAILURES = 3  # in a row, after which a way is given up
_MOST_S = 120.0  # for a question; a small model may repeat itself without end
OpenModel = Callable[[LlmSettings], Model]


@dataclass(frozen=True)
class FitPlan:
    """What is tried: questions by evidence of each size and by the loop, tasks in each form.

    ``tasks`` is the number of questions, and that of tasks. The loop calls in the best form, and is
    left out where no first call was right. ``sizes`` are of the evidence, in tokens.
    """

    forms: Sequence[CallForm] = FORMS
    sizes: Sequence[int] = SIZES
    tasks: int = TASKS


class FitProgress(NamedTuple):
    """How far `fit` is after a question or task; ``estimate`` comes once, early: a sentence."""

    done: int
    total: int
    so_far: FitReport
    estimate: str = ""


OnFitProgress = Callable[[FitProgress], object]


def fit(
    model: str,
    plan: FitPlan | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    opened: OpenModel | None = None,
    progress: OnFitProgress | None = None,
    cancel: CancelToken | None = None,
) -> FitReport:
    """Try a model on the demo, and return how often it was right in each way.

    Args:
        model: The model's name, as for `start`.
        plan: What is tried; None tries everything.
        settings: Settings that override those of the user's file.
        opened: Opens the model with its settings; None opens the named one.
        progress: Receives the progress after each question or task.
        cancel: Stops it; the report then holds what has been done.

    Raises:
        ModelError: The model cannot be asked at all.
        ProjectError: The demo cannot be written, or git is missing.
        SettingsError: A setting is wrong.
        StorageError: Redis cannot be reached.
    """
    plan, cancel = plan or FitPlan(), cancel or CancelToken()
    with passing_app() as root:
        base = load_settings(root, settings or {}).settings
        opener = opened or partial(_opened, model)
        trial = _Trial(model, root, base, opener, plan, progress=progress, cancel=cancel)
        with _forgotten(root, base), suppress(Cancelled):
            trial.run()
        return trial.report(stopped=cancel.cancelled)


class _Trial:
    """The ways, one after the other."""

    def __init__(
        self,
        model: str,
        root: Path,
        settings: Settings,
        opened: OpenModel,
        plan: FitPlan,
        *,
        progress: OnFitProgress | None,
        cancel: CancelToken,
    ) -> None:
        self._model = model
        self._root = root
        self._settings = settings
        self._opened = opened
        self._plan = plan
        self._progress = progress
        self._cancel = cancel
        self._rows: dict[Way, FitRow] = {}
        self._notices: list[str] = []
        self._left: list[Way] = []
        self._done = 0

    def report(self, *, stopped: bool) -> FitReport:
        """What has been done."""
        rows, notices = tuple(self._rows.values()), tuple(self._notices)
        return FitReport(model=self._model, rows=rows, notices=notices, stopped=stopped)

    def run(self) -> None:
        """Try every way.

        Raises:
            Cancelled: It was stopped.
            ModelError: The model cannot be asked.
        """
        plan = self._plan
        forms, self._notices = possible_forms(
            self._settings.llm, self._opened, forms=plan.forms, cancel=self._cancel
        )
        self._left = [Way(by="evidence", tokens=size) for size in sorted(plan.sizes)]
        self._left += [Way(by="call", form=form) for form in forms]
        self._left += [Way(by="loop", form=form) for form in forms[:1]]
        while self._left:
            way = self._left.pop(0)
            if way.by == "loop":
                best = self.report(stopped=False).best_calls
                if best is None:
                    self._notices.append("The loop is left out: no first call was right.")
                    break
                way = best.way.model_copy(update={"by": "loop"})
            flags = settings_for(way, self._settings)
            model = self._opened(Settings.model_validate(flags).llm)
            with start(
                self._root, model=model, settings=flags, new=True, cancel=self._cancel
            ) as assistant:
                self._try(way, assistant)

    def _try(self, way: Way, assistant: Assistant) -> None:
        """Ask everything in one way."""
        count, tries = self._plan.tasks, list[Callable[[CancelToken], Asked]]()
        if way.by == "call":
            tasks, judge = tasks_of(assistant.project(), count=count), Judge(assistant)
            tries += [partial(asked, assistant, task, judge) for task in tasks]
        else:
            tries += [partial(answered, assistant, one) for one in questions()[:count]]
        assistant.speed.fixed = way.tokens or None
        failures = 0
        for tried in tries:
            self._cancel.check()
            began_s = time.monotonic()
            reply = tried(self._cancel)
            if reply.problem and not self._done:
                raise ModelError(reply.problem)
            failures = failures + 1 if reply.problem else 0
            made = self._rows[way].attempts if way in self._rows else ()
            reading_s = assistant.speed.seconds_for(_tokens(way)) or 0.0
            self._rows[way] = FitRow(way=way, attempts=(*made, reply.attempt), reading_s=reading_s)
            self._tell(way, time.monotonic() - began_s)
            if failures == min(_FAILURES, len(tries)):
                del self._rows[way]
                self._notices.append(f"Left out: {way}. {reply.problem}")
                break

    def _tell(self, way: Way, latest_s: float) -> None:
        self._done += 1
        if self._progress is None:
            return
        count, made = self._plan.tasks, len(self._rows[way].attempts)
        left = count - made + count * len(self._left)
        estimate = ""
        if self._done == min(_TIMED, count) and left:
            read = _tokens(way) * (count - made) + count * sum(map(_tokens, self._left))
            told = f"{self._done + left} questions and tasks, of which the latest took"
            left_s = read * latest_s / _tokens(way)
            estimate = f"This will take about {duration(left_s)} more: {told} {latest_s:.1f} s."
        progress = FitProgress(self._done, self._done + left, self.report(stopped=True), estimate)
        self._progress(progress)


def _tokens(way: Way) -> int:
    """About what is read for one question or task."""
    if way.by == "evidence":
        return way.tokens + HEAD_TOKENS
    return _CALL_TOKENS if way.by == "call" else _LOOP_TOKENS


def _opened(model: str, llm: LlmSettings) -> Model:
    check_model(model, system_settings())
    return open_model(model, llm, Path.cwd())


@contextmanager
def _forgotten(root: Path, settings: Settings) -> Iterator[None]:
    """Delete what the store has learnt of the project, after the block."""
    try:
        yield
    finally:
        with suppress(StorageError):
            store = connect(settings.redis)
            try:
                forget(store, project_id(root))
            finally:
                store.close()


def duration(seconds: float) -> str:
    """Seconds in words: "40 seconds", "12 minutes"."""
    count, unit = (
        (max(1, round(seconds)), "second") if seconds < 90 else (round(seconds / 60), "minute")  # noqa: PLR2004
    )
    return f"{count} {unit}{'' if count == 1 else 's'}"


def possible_forms(
    llm: LlmSettings, opened: OpenModel, *, forms: Sequence[CallForm], cancel: CancelToken
) -> tuple[list[CallForm], list[str]]:
    """The forms of calls that the model can be asked in, and remarks about those that it cannot.

    Raises:
        ModelError: The model cannot be reached.
        Cancelled: ``cancel`` was set.
    """
    with closing(opened(llm.model_copy(update={"use_native_tools": None}))) as model:
        model.check()
        model.prepare(cancel)
        can = {"native": model.native_tools, "constrained": takes(model, "schema")}
    told = {
        "native": "It does not take the schemas of tools.",
        "constrained": "Its replies cannot be constrained.",
    }
    possible = [form for form in forms if can.get(form, True)]
    return possible, [told[form] for form in forms if form not in possible]


def settings_for(way: Way, settings: Settings) -> dict[str, Any]:
    """The settings that ask in this way; nothing is ever approved, and no other server asked."""
    values = settings.model_dump(by_alias=True)
    values["llm"] |= {
        "way": "auto" if way.by == "call" else way.by,  # for a model that is an object: no index
        "useNativeTools": way.form == "native",
        "constrainCalls": "always" if way.form == "constrained" else "repair",
    }
    values["tools"] |= {"enabled": None}
    values["mcpServers"] = {name: {"disabled": True} for name in values["mcpServers"]}
    values["watchdog"] |= {"enabled": False}
    values["context"] |= {"maxRepairs": 1, "turnTimeoutS": _MOST_S}
    return values | {"approve": "never"}
