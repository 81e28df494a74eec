"""The log of a session's decisions: each question, how it was shown, and the decision."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from pydantic import ValidationError

from ipuaro_jupyter.records.change import Decision, LoggedDecision, Proposal
from ipuaro_jupyter.views.diffs.diff_cut import LOG
from ipuaro_jupyter.views.proposal import detail_text

MOST_DECISIONS = 1000
_NO_TEXTS = {"old_text": None, "new_text": None}
_LONGEST = 20_000  # characters of the shown text, and of a decision's text


def log_entry(proposal: Proposal, decision: Decision) -> bytes:
    """A decision in its stored form."""
    logged = LoggedDecision(
        at=time.time(),
        proposal=proposal.model_copy(
            update={
                **_NO_TEXTS,
                "changed": tuple(one.model_copy(update=_NO_TEXTS) for one in proposal.changed),
                "checked_as": proposal.checked_as and _shortened(proposal.checked_as),
            }
        ),
        shown=_ends(detail_text(proposal, limit=LOG)),
        decision=_shortened(decision),
    )
    values = logged.model_dump(exclude_defaults=True, by_alias=True)
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")


def read_log(raw: Iterable[bytes]) -> tuple[LoggedDecision, ...]:
    """The decisions of a stored log; unreadable ones are left out."""
    return tuple(_read(raw))


def _read(raw: Iterable[bytes]) -> Iterator[LoggedDecision]:
    for data in raw:
        with suppress(ValidationError):
            yield LoggedDecision.model_validate_json(data)


def _shortened(decision: Decision) -> Decision:
    text = decision.text
    return decision.model_copy(update={"text": None if text is None else _ends(text)})


def _ends(text: str) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[{left_out} characters left out]\n{text[-half:]}"
