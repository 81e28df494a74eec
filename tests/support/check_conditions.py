"""The conditions of a check for whose programs the user has been asked."""

from dataclasses import replace

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.project.checks.baselines import Baselines
from ipuaro_jupyter.project.checks.check_run import CheckConditions
from ipuaro_jupyter.records.change import Decision


def agreed(workspace):
    """Return conditions with time for real programs, and with agreement to all that is asked."""
    context = replace(workspace.execution_context, decide=lambda _: Decision(action="apply"))
    return CheckConditions(
        context=context, timeout_s=200, cancel=CancelToken(), baselines=Baselines()
    )
