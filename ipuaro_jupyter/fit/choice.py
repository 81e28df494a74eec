"""What the user chose: the plan from typed options, and the settings that keep the best way."""

from collections.abc import Collection
from typing import cast, get_args

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.fit.run_fit import FORMS, PROFILES, TASKS, WINDOWS, FitPlan
from ipuaro_jupyter.records.fitted import CallForm, FitReport
from ipuaro_jupyter.settings.user_file import save_user_settings

_LEAST_WINDOW = 1024


def plan_of(
    *,
    tasks: int | None = None,
    forms: str | None = None,
    profiles: str | None = None,
    windows: str | None = None,
) -> FitPlan:
    """The plan for options as typed, lists with commas; None stands for everything.

    Raises:
        SettingsError: A word is not one of the possible ones.
    """
    sizes = _words("windows", windows)
    for size in sizes:
        if not size.isdecimal() or int(size) < _LEAST_WINDOW:
            raise SettingsError(
                f"--windows: {size!r} is no window of at least {_LEAST_WINDOW} tokens; "
                f"for example {','.join(map(str, WINDOWS))}."
            )
    if tasks is not None and tasks < 1:
        raise SettingsError(f"--tasks: {tasks} is too few; at least 1.")
    named = _words("forms", forms, get_args(CallForm))
    return FitPlan(
        forms=tuple(cast("CallForm", form) for form in named) or FORMS,
        profiles=_words("profiles", profiles, PROFILES) or PROFILES,
        windows=tuple(map(int, sizes)) or WINDOWS,
        tasks=tasks or TASKS,
    )


def saved(report: FitReport) -> str:
    """Write the best way into the user's settings, and return a sentence about it.

    Raises:
        SettingsError: The file is wrong, or cannot be written.
    """
    path = save_user_settings(report.settings())
    return f"Wrote {report.model} and the best way to ask it into {path}."


def _words(option: str, typed: str | None, known: Collection[str] = ()) -> tuple[str, ...]:
    """The words of a list; without ``typed`` none."""
    words = tuple(dict.fromkeys(word for word in (typed or "").replace(",", " ").split() if word))
    for word in words:
        if known and word not in known:
            raise SettingsError(f"--{option}: there is no {word!r}. There are: {', '.join(known)}.")
    return words
