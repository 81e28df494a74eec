"""What programs found of an answer's claims, kept with the answer."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.records.record import Record

_Line = Annotated[int, Field(ge=1, lt=10**7)]


class ReceiptMark(Record):
    """A name in an answer that is not in the code.

    Attributes:
        at: Where the mark stands, in characters from the beginning of the answer's text.
        word: The mark, such as "no such file".
        named: The name, as its normal form.
        detail: The facts.
        closest: The most similar existing names.
    """

    at: int
    word: str
    named: str
    detail: str = ""
    closest: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """A line for the user."""
        near = f"; closest: {', '.join(self.closest)}" if self.closest else ""
        return f"{self.named}: {self.detail or self.word}{near}"


class Cited(Record):
    """Lines that an answer names, and a hash of their text without the blanks around it."""

    path: str
    first: _Line
    last: _Line
    digest: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class BlockMark(Record):
    """What is wrong in a code block of an answer.

    Attributes:
        at: The 0-based line of the answer's text at which the block begins, that of its fence.
        line: The line in the block, 1-based.
        told: What is wrong.
    """

    at: int
    line: _Line
    told: str

    def __str__(self) -> str:
        """The line for the user, below the block."""
        return f"! line {self.line}: {self.told}"


class OfferedEdit(Record):
    """An edit that an answer holds as text and that can be proposed.

    Attributes:
        at: The 0-based line of the answer's text at which its code block begins; None outside of
            blocks.
        id: Tells it from others, by what it changes.
        told: The places that it changes.
    """

    at: int | None
    id: Annotated[str, Field(pattern="^[0-9a-f]{8}$")]
    told: str


class Receipt(Record):
    """What programs found of an answer's claims.

    Attributes:
        marks: The names that are not in the code, in the order of the text.
        held: The names that were, in their normal form.
        cited: The lines that it names and that were there.
        blocks: What is wrong in its code blocks, in their order.
        unseen: What the tools that it used could not see; "" when they saw everything.
        edits: The edits in it that can be proposed.
    """

    marks: tuple[ReceiptMark, ...] = ()
    held: tuple[str, ...] = ()
    cited: tuple[Cited, ...] = ()
    blocks: tuple[BlockMark, ...] = ()
    unseen: str = ""
    edits: tuple[OfferedEdit, ...] = ()

    @property
    def listed(self) -> tuple[str, ...]:
        """A line for each name that is marked, once."""
        return tuple(dict.fromkeys(mark.told for mark in self.marks))

    def __bool__(self) -> bool:
        """Whether there is anything to tell or to keep."""
        return self != Receipt()


class SavedReceipt(Record):
    """What is kept beside a drawn answer: its text, to check it again, and its receipt."""

    answer: str
    receipt: Receipt = Receipt()
