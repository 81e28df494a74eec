"""The channels of gpt-oss, where a server hands its reply on as it is.

``<|start|>assistant<|channel|>NAME to=RECIPIENT<|message|>`` begins a message; the recipient may
also stand before the channel. See https://cookbook.openai.com/articles/openai-harmony.
"""

from dataclasses import dataclass
from itertools import pairwise

from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source

START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
ENDS = ("<|end|>", "<|return|>", "<|call|>")
"""What ends a message."""

BEGINS = (START, CHANNEL)
"""What begins the next one, should the last one have no end."""

_LONGEST_HEADER = 300
_TO = "to="
_NAMESPACE = "functions."


@dataclass(frozen=True, slots=True)
class Header:
    """What a message is, and where it begins. ``recipient`` is a tool's name, or ""."""

    channel: str
    recipient: str
    end: int

    @property
    def is_thinking(self) -> bool:
        """Whether the message is for nobody to see."""
        return self.channel == "analysis"


def read_header(source: Source, start: int) -> Reading[Header | None]:
    """Return the header that begins at ``start``; None when there is none.

    Raises:
        CutOff: The text ends inside of it.
    """
    end = start
    while not (yield from source.starts(MESSAGE, end)):
        if not (yield from source.char(end)):
            raise CutOff
        if end - start > _LONGEST_HEADER:
            return None
        end += 1
    words = source.text[start:end].replace("<|", " <|").replace("|>", "|> ").split()
    recipient = next((word.removeprefix(_TO) for word in words if word.startswith(_TO)), "")
    channel = next((after for mark, after in pairwise(words) if mark == CHANNEL), "")
    return Header(channel, recipient.removeprefix(_NAMESPACE), end + len(MESSAGE))
