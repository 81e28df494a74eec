"""Failures on which the user has to choose how to go on, and the choice."""

from collections.abc import Callable
from typing import Literal
from uuid import uuid4

from pydantic import Field

from ipuaro_jupyter.records.record import Record

Action = Literal["retry", "skip", "abort"]


class ModelOffer(Record):
    """A model that could answer in place of one that cannot, or that one once it is there.

    ``note`` says what there is to know before one takes it, such as the size of the download.
    """

    name: str
    is_download: bool = False
    note: str = ""


class Trouble(Record):
    """A step of a turn that failed.

    ``kind`` says which: a request to the "model", a "tool" (then ``tool`` names it), reading or
    writing in the "store", or a "limit" of the turn. ``options`` are the choices that make sense:

    - "retry" does the step again; for a limit, it lets the turn go on;
    - "skip" gives a tool's error to the model, and otherwise ends the turn with the text so far;
    - "abort" ends the turn with the error.

    ``offers`` are the models that the step could be done again with.
    """

    id: str = Field(default_factory=lambda: uuid4().hex)
    kind: Literal["model", "tool", "store", "limit"]
    message: str
    tool: str = ""
    options: tuple[Action, ...] = ("retry", "skip", "abort")
    offers: tuple[ModelOffer, ...] = ()


class Remedy(Record):
    """The user's choice; by "nobody" when there was nobody to ask, which means to abort.

    ``model`` is that of the chosen offer, for which the action is "retry"; "" for none.
    """

    action: Action
    model: str = ""
    reason: str = ""
    by: Literal["user", "nobody"] = "user"


OnError = Callable[[Trouble], Remedy | Action]


def remedied(on_error: OnError | None, trouble: Trouble) -> Remedy:
    """Ask the user for a choice; without a user, or with an invalid choice, abort.

    Args:
        on_error: Asks the user; None when there is nobody.
        trouble: The failure.
    """
    if on_error is None:
        return Remedy(action="abort", by="nobody")
    said = on_error(trouble)
    for action in trouble.options:
        if said == action:
            return Remedy(action=action)
    if isinstance(said, Remedy) and said.action in trouble.options:
        return said
    return Remedy(
        action="abort", reason=f"on_error returned {said!r}, which is not a valid choice here"
    )


def short_name(name: str) -> str:
    """A model's name; of a file of weights, without its folder."""
    return name.rpartition("/")[2] if name.startswith("gguf:") else name
