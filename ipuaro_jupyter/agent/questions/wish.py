"""Whether a message may change something: only then are calls that write run."""

import re
from typing import Literal

from ipuaro_jupyter.agent.questions.message_kind import kind_of
from ipuaro_jupyter.workspace.changes.undo_stack import Refuses

Wish = Literal["change", "run", "question", "talk", "unsure"]
"""What the user wants; a model decides for itself what an "unsure" one asks for."""

REFUSED: dict[Wish, Refuses] = {
    "change": "nothing",
    "run": "edits",
    "question": "edits and commands",
    "talk": "edits and commands",
    "unsure": "nothing",
}
"""What a model may not do beside a message."""

_EDIT = re.compile(r"\s*/edit\s+\S")
_OFFER = re.compile(r"[?\uff1f]")


def wish_of(message: str, answer: str) -> Wish:
    """What a message wants: "change" for one that begins with ``/edit``, whatever it says.

    Args:
        message: As typed.
        answer: The answer before it; where its last paragraph asks something, "yes" is a change.
    """
    if _EDIT.match(message):
        return "change"
    is_offer = _OFFER.search(answer.rstrip().rpartition("\n\n")[2]) is not None
    kind = kind_of(message, after_offer=is_offer)
    if not kind.is_sure:
        return "unsure"
    return kind.kind if kind.kind in ("change", "run", "talk") else "question"
