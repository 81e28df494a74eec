"""What a look at stored data finds wrong with it."""

from typing import Literal

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.holdings import Part


class StoredProblem(Record):
    """Something in a project's data that is not as it was written.

    Attributes:
        part: The part of the data.
        kind: "missing", "garbled" (other bytes than those written), "format" (of another version of
            this package), or "left" by a process that was killed, which does no harm.
        what: What it is, with counts; no sentence.
        remedy: A sentence.
    """

    part: Part
    kind: Literal["missing", "garbled", "format", "left"]
    what: str
    remedy: str
