"""``%ipuaro fit``."""

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.events import Noticed, PhaseChanged

if TYPE_CHECKING:
    from ipuaro_jupyter.fit import FitProgress
    from ipuaro_jupyter.records.fitted import FitReport


@command(
    argument("name", nargs="?", completes="model", help="Another model than the current one."),
    argument("--tasks", type=int, metavar="N", help="Questions, and tasks, in each way: 12."),
    argument("--forms", metavar="LIST", help="Forms of calls: native,text,constrained."),
    argument("--sizes", metavar="LIST", help="Sizes of the evidence in tokens: 800,1500."),
    argument("--save", action="store_true", help="Write the best way into your settings unasked."),
)
def fit(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "FitReport":
    """Try a model on questions about the demo, and find out in which way it is right most often.

    Each question is asked by evidence of two sizes, and by the loop, whose calls are first
    tried on small tasks: by schema, as text and constrained. What is right is known; nothing of
    yours is read or changed. It says first how long that takes; the stop button ends it with the
    table so far. At the end you are asked whether to write the best way into your settings.
    """
    from ipuaro_jupyter.fit import fit as run  # noqa: PLC0415 - loads every room
    from ipuaro_jupyter.fit.choice import plan_of, saved  # noqa: PLC0415 - the same

    plan = plan_of(tasks=arguments.tasks, forms=arguments.forms, sizes=arguments.sizes)
    name, settings = _model_and_settings(project, arguments.name)
    told = partial(_told, thread)
    report = run(name, plan, settings=settings, progress=told, cancel=thread.cancel)
    thread.so_far = report
    if report.best is not None and not report.stopped:
        is_wanted = arguments.save or thread.ask(_question(report)).action == "apply"
        if is_wanted:
            thread.post(Noticed(text=saved(report)))
    return report


def _model_and_settings(project: OpenProject, name: str | None) -> tuple[str, dict[str, Any]]:
    """The model to try, and the settings of the open project that decide how it is reached."""
    from ipuaro_jupyter.llm import LlmSettings  # noqa: PLC0415 - loads pydantic's models

    if not project.is_open:
        return name or LlmSettings().model, {}
    settings = project.assistant.settings
    flags = {
        "llm": settings.llm.model_dump(by_alias=True),
        "redis": settings.redis.model_dump(by_alias=True),
    }
    return name or project.assistant.model.name, flags


def _told(thread: AnyCellThread, progress: "FitProgress") -> None:
    """Show the progress in the cell, and keep the report for the stop button."""
    thread.so_far = progress.so_far
    if progress.estimate:
        thread.post(Noticed(text=progress.estimate))
    done = f"question {progress.done} of {progress.total}"
    thread.post(PhaseChanged(phase="running", detail=done))


def _question(report: "FitReport") -> Proposal:
    """The question whether the best way is to be kept."""
    from ipuaro_jupyter.settings.settings import user_file  # noqa: PLC0415 - loads every room

    return Proposal(
        id=uuid4().hex,
        kind="settings",
        tool="fit",
        title=f"Keep the best way to ask {report.model}",
        path=str(user_file()),
        message=json.dumps(report.settings(), indent=2, ensure_ascii=False),
        reason=f"{report.advice} Your other settings stay as they are; a project's own "
        ".ipuaro.json counts over them.",
    )
