"""A conversation for display."""

from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible


class Transcript(Drawn, Record):
    """The latest turns of a session, oldest first; ``earlier`` ones before them are left out."""

    title: str
    turns: tuple[Answer, ...] = ()
    earlier: int = 0

    def __str__(self) -> str:
        told = [f"{turn.question}\n\n{turn}" for turn in self.turns]
        return visible("\n\n".join([self.title, *told]))
