"""What the user chose: the plan from typed options, and the settings that keep the best way."""

from collections.abc import Collection
from typing import cast, get_args

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.fit.run_fit import FORMS, SIZES, TASKS, FitPlan
from ipuaro_jupyter.records.fitted import CallForm, FitReport
from ipuaro_jupyter.settings.user_file import save_user_settings

_LEAST_SIZE = 200


def plan_of(
    *,
    tasks: int | None = None,
    forms: str | None = None,
    sizes: str | None = None,
) -> FitPlan:
    """The plan for options as typed, lists with commas; None stands for everything.

    Raises:
        SettingsError: A word is not one of the possible ones.
    """
    tokens = _words("sizes", sizes)
    for size in tokens:
        if not size.isdecimal() or int(size) < _LEAST_SIZE:
            raise SettingsError(
                f"--sizes: {size!r} is no size of evidence of at least {_LEAST_SIZE} tokens; "
                f"for example {','.join(map(str, SIZES))}."
            )
    if tasks is not None and not 1 <= tasks <= TASKS:
        raise SettingsError(f"--tasks: {tasks} is not a number from 1 to {TASKS}.")
    named = _words("forms", forms, get_args(CallForm))
    return FitPlan(
        forms=tuple(cast("CallForm", form) for form in named) or FORMS,
        sizes=tuple(map(int, tokens)) or SIZES,
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
