"""What counts of a project's own settings, and the question whether all of it does."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.settings.costs import costs, loads_otherwise, too_costly, without
from ipuaro_jupyter.settings.shown_settings import without_secrets
from ipuaro_jupyter.settings.tightening import tightened, without_looser_sandbox
from ipuaro_jupyter.settings.trust import is_trusted, trust
from ipuaro_jupyter.workspace.approval import Confirm, decided

PROJECT_FILE = ".ipuaro.json"

_NOTICE = (
    "{} came with the project and you have not approved it, so these keys of it do not count: {}. "
    "To use them, approve them when a notebook opens the project, or put them into {}."
)


class Asking(NamedTuple):
    """What the question about a project's settings needs.

    Attributes:
        root: The project's folder.
        content: The bytes of its settings file.
        own: The user's settings and the defaults, as flat keys.
        user: The user's settings file.
        confirm: Asks the user; None when there is nobody to ask, which means no.
    """

    root: Path
    content: bytes
    own: Mapping[str, Any]
    user: Path
    confirm: Confirm | None


def what_counts(
    values: dict[str, Any], own: Mapping[str, Any], asking: Asking
) -> tuple[dict[str, Any], list[str]]:
    """The project's settings that count over the user's ``own``, and remarks for the user.

    What loosens permissions, sends the code elsewhere or costs far more than the user's own needs
    their approval; what costs a little more, and another model, is told.
    """
    values, looser = without_looser_sandbox(values, own)
    tight, ignored = tightened(values, own)
    costly = too_costly(flat(tight), asking.own)
    tight, ignored = without(tight, costly), sorted([*ignored, *costly])
    notices = [looser.format(file=PROJECT_FILE)] if looser else []
    if not values or is_trusted(asking.root, asking.content):
        return values, notices
    if ignored:
        question = _question(values, ignored, costs(flat(values), asking.own))
        if decided(asking.confirm, question).action == "apply":
            trust(asking.root, asking.content)
            approved = f"You have approved these keys of {PROJECT_FILE}: {', '.join(ignored)}."
            return values, [*notices, approved]
    told = []
    if ignored:
        told.append(_NOTICE.format(PROJECT_FILE, ", ".join(ignored), asking.user))
    more = costs(flat(tight), asking.own)
    if loads_otherwise(flat(tight), asking.own):
        tight = {**tight, "llm": {**tight["llm"], "warm": False}}  # not before it is told
    if more:
        told.append(f"{PROJECT_FILE} sets: {'; '.join(more)}.")
    return tight, [*notices, *([" ".join(told)] if told else [])]


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as flat keys such as "llm.model", in their order."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        inner = isinstance(value, Mapping) and value
        found.update(flat(value, f"{prefix}{key}.") if inner else {f"{prefix}{key}": value})
    return found


def _question(values: Mapping[str, Any], ignored: Sequence[str], more: Sequence[str]) -> Proposal:
    """The question whether keys of the project's own settings may take effect.

    ``more`` says what they cost more than the user's own.
    """
    shown = without_secrets(values, to_judge=True)
    return Proposal(
        id=uuid4().hex,
        kind="settings",
        tool="start",
        title=f"Trust {PROJECT_FILE}: {', '.join(ignored)}",
        path=PROJECT_FILE,
        message=json.dumps({key: _at(shown, key) for key in ignored}, indent=2),
        reason="These settings came with the project. They decide what happens without a question, "
        "where your code goes and what it costs. You are asked again when the file changes."
        + (f" Other than yours: {'; '.join(more)}." if more else ""),
    )


def _at(values: Mapping[str, Any], key: str) -> object:
    found: Any = values
    for part in key.split("."):
        found = found[part]
    return found
