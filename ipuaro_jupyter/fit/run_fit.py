"""`fit`: ask a model small tasks in several ways, and compare."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.demo.folder import passing_app
from ipuaro_jupyter.errors import Cancelled, ModelError, StorageError
from ipuaro_jupyter.fit.asking import asked
from ipuaro_jupyter.fit.judging import Judge
from ipuaro_jupyter.fit.task import FitTask
from ipuaro_jupyter.fit.tasks import tasks_of
from ipuaro_jupyter.llm import LlmSettings, Model
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.wishes import takes
from ipuaro_jupyter.records.fitted import CallForm, FitReport, FitRow, TriedTask, Way
from ipuaro_jupyter.settings.settings import Settings, load_settings, system_settings
from ipuaro_jupyter.settings.system_settings import check_model
from ipuaro_jupyter.store.connection import connect
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.projects import forget

TASKS = 40
FORMS: tuple[CallForm, ...] = ("native", "text", "constrained")
PROFILES = ("core", "full")
WINDOWS = (8192, 32_768)
_TIMED = 2  # tasks before the time is told: the first reads the head of the prompt, others do not
_FAILURES = 3  # in a row, after which a way is given up
_MOST_S = 300.0  # for a task; a small model may repeat itself without end
OpenModel = Callable[[LlmSettings], Model]


@dataclass(frozen=True)
class FitPlan:
    """What is tried: each form of calls with each profile of tools and each window."""

    forms: Sequence[CallForm] = FORMS
    profiles: Sequence[str] = PROFILES
    windows: Sequence[int] = WINDOWS
    tasks: int = TASKS


class FitProgress(NamedTuple):
    """How far `fit` is after a task; ``estimate`` is a sentence that comes once, early."""

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
    """Try a model on the demo, and return how often its first call was right in each way.

    Args:
        model: The model's name, as for `start`.
        plan: What is tried; None tries everything.
        settings: Settings that override those of the user's file.
        opened: Opens the model with its settings; None opens the named one.
        progress: Receives the progress after each task.
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
    """The tasks in each way, one after the other."""

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
        self._tasks: tuple[FitTask, ...] | None = None
        self._attempts: dict[Way, list[TriedTask]] = {}
        self._notices: list[str] = []
        self._done = 0
        self._first_s = 0.0

    def report(self, *, stopped: bool) -> FitReport:
        """What has been done."""
        rows = [FitRow(way=way, attempts=tuple(made)) for way, made in self._attempts.items()]
        return FitReport(
            model=self._model,
            rows=tuple(row for row in rows if row.attempts),
            notices=tuple(self._notices),
            stopped=stopped,
        )

    def run(self) -> None:
        """Try every way.

        Raises:
            Cancelled: It was stopped.
            ModelError: The model cannot be asked.
        """
        plan = self._plan
        ways, notices = all_ways(
            self._settings.llm,
            self._opened,
            forms=plan.forms,
            profiles=plan.profiles,
            windows=plan.windows,
            cancel=self._cancel,
        )
        self._notices += notices
        for way in ways:
            flags = settings_for(way, self._settings)
            model = self._opened(Settings.model_validate(flags).llm)
            with start(
                self._root, model=model, settings=flags, new=True, cancel=self._cancel
            ) as assistant:
                self._try(way, assistant, count=len(ways))

    def _try(self, way: Way, assistant: Assistant, *, count: int) -> None:
        """Do the tasks in one way."""
        if self._tasks is None:  # the project stays as it is
            self._tasks = tasks_of(assistant.project(), count=self._plan.tasks)
        tasks, judge = self._tasks, Judge(assistant)
        made = self._attempts.setdefault(way, [])
        failures = 0
        for task in tasks:
            self._cancel.check()
            reply = asked(assistant, task, judge, self._cancel)
            if reply.problem and not self._done:
                raise ModelError(reply.problem)
            failures = failures + 1 if reply.problem else 0
            made.append(reply.attempt)
            self._tell(reply.attempt, tasks=len(tasks), ways=count)
            if failures == min(_FAILURES, len(tasks)):
                del self._attempts[way]
                self._notices.append(f"Left out: {way}. {reply.problem}")
                break

    def _tell(self, latest: TriedTask, *, tasks: int, ways: int) -> None:
        self._done += 1
        if self._done == 1:
            self._first_s = latest.seconds
        if self._progress is None:
            return
        total = ways * tasks
        estimate = ""
        if self._done == min(_TIMED, tasks) < total:
            later_s = latest.seconds
            left_s = (total - self._done) * later_s + (ways - 1) * max(0, self._first_s - later_s)
            told = f"{total} requests, of which the first took {self._first_s:.1f} s"
            after = f" and the next {later_s:.1f} s" if self._done > 1 else ""
            estimate = f"This will take at least {duration(left_s)} more: {told}{after}."
        self._progress(FitProgress(self._done, total, self.report(stopped=True), estimate))


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


def all_ways(
    llm: LlmSettings,
    opened: OpenModel,
    *,
    forms: Sequence[CallForm],
    profiles: Sequence[str],
    windows: Sequence[int],
    cancel: CancelToken,
) -> tuple[list[Way], list[str]]:
    """The ways that the model can be asked in, and remarks about those that it cannot.

    Those with one window follow each other: a server loads the model anew for another one.

    Raises:
        ModelError: The model cannot be reached.
        Cancelled: ``cancel`` was set.
    """
    ways: list[Way] = []
    notices: list[str] = []
    for window in sorted(windows):
        asked = {"context_window": window, "use_native_tools": None}
        with closing(opened(llm.model_copy(update=asked))) as model:
            model.check()
            model.prepare(cancel)
            if model.context_tokens != window:
                notices.append(f"Its window has {model.context_tokens:,} tokens, not {window:,}.")
            can = {"native": model.native_tools, "constrained": takes(model, "schema")}
            if not can["native"] and "native" in forms:
                notices.append("It does not take the schemas of tools.")
            if not can["constrained"] and "constrained" in forms:
                notices.append("Its replies cannot be constrained.")
            possible = [form for form in forms if can.get(form, True)]
            ways += [
                Way(form=form, profile=profile, window=model.context_tokens)
                for profile in profiles
                for form in possible
            ]
    return list(dict.fromkeys(ways)), list(dict.fromkeys(notices))


def settings_for(way: Way, settings: Settings) -> dict[str, Any]:
    """The settings that ask in this way; nothing is ever approved, and no other server asked."""
    values = settings.model_dump(by_alias=True)
    values["llm"] |= {
        "contextWindow": way.window,
        "useNativeTools": way.form == "native",
        "constrainCalls": "always" if way.form == "constrained" else "repair",
    }
    values["tools"] |= {"enabled": None, "profile": way.profile}
    values["mcpServers"] = {name: {"disabled": True} for name in values["mcpServers"]}
    values["watchdog"] |= {"enabled": False}
    values["context"] |= {"maxRepairs": 1, "turnTimeoutS": _MOST_S}
    return values | {"approve": "never"}
