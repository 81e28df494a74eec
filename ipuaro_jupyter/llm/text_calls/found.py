"""What is found in a model's text besides text."""

from dataclasses import dataclass

from ipuaro_jupyter.records.chat import ToolCall


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place of the text: calls, or what is wrong with them; ``end`` is after."""

    end: int
    calls: tuple[ToolCall, ...] = ()
    errors: tuple[str, ...] = ()
