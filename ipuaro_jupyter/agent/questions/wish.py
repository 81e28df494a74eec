"""Whether a message may change something: only then are calls that write run."""

import re
from typing import Literal

from ipuaro_jupyter.agent.questions.message_kind import kind_of

Wish = Literal["change", "question", "unsure"]
"""What the user wants; a model decides for itself what an "unsure" one asks for."""

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
    return "change" if kind.kind == "change" else "question"
