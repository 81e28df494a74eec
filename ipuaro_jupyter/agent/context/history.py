"""A session's messages in the form a model gets: how much is shown of each."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import pairwise

from ipuaro_jupyter.agent.context.budget import stub, with_short_calls, without_thinking
from ipuaro_jupyter.agent.context.tokens import message_tokens, messages_tokens
from ipuaro_jupyter.records.chat import Message, ToolCall


@dataclass
class ShownLimits:
    """Places in a session's messages; they only move forward, in a few large steps.

    A server caches a prompt as long as its beginning stays the same.

    Attributes:
        began_at: The time the session began, which identifies it.
        start: Turns before it are left out.
        stubbed: Tool results before it are stubs.
        skipped: By the place of a turn's first message: its steps before this are left out.
        replaced: The text that replaces the turns before ``start``.
        failed: The number of messages when a summary last failed.
        noticed: The user's message whose length was remarked upon.
    """

    began_at: float = 0.0
    start: int = 0
    stubbed: int = 0
    skipped: dict[int, int] = field(default_factory=dict)
    replaced: str = ""
    failed: int = -1
    noticed: int = -1

    def dump(self) -> bytes:
        """The limits in their stored form; empty when nothing is left out."""
        if not (self.start or self.stubbed or self.skipped):
            return b""
        return json.dumps({**asdict(self), "skipped": list(self.skipped.items())}).encode()

    @classmethod
    def load(cls, stored: bytes, *, began_at: float) -> "ShownLimits":
        """The stored limits of the session that began at that time; none if they are not its."""
        with suppress(ValueError, TypeError):
            values = json.loads(stored)
            if values["began_at"] == began_at:
                return cls(**{**values, "skipped": dict(values["skipped"])})
        return cls(began_at=began_at)


class History:
    """The messages of a session, with parts progressively left out.

    Args:
        messages: All of the session; the system's are its summaries.
        marks: The limits of what is shown; moved by this object.
        repeatable: Tools whose results can be had again.

    Attributes:
        turn: The index at which the current turn begins.
        head: The message that replaces the turns before ``marks.start``; set by the owner.
    """

    def __init__(
        self, messages: Sequence[Message], marks: ShownLimits, *, repeatable: Collection[str]
    ) -> None:
        self._marks = marks
        self._repeatable = repeatable
        self._users = [n for n, message in enumerate(messages) if message.role == "user"]
        self._calls = {call.id: call for message in messages for call in message.calls}
        self.turn = self._users[-1] if self._users else 0
        # Templates leave out the thinking of earlier turns too: the cached prompt is the same.
        self._messages = [
            without_thinking(message.sent) if n < self.turn else message.sent
            for n, message in enumerate(messages)
        ]
        self.head: Message | None = None
        marks.start = max(marks.start, self._covered())
        marks.stubbed = max(marks.stubbed, marks.start)

    @property
    def summary(self) -> str:
        """The newest stored summary; empty when there is none."""
        return next((m.content for m in reversed(self._messages) if m.role == "system"), "")

    @property
    def summarised(self) -> int:
        """The number of messages that summary covers; always whole turns."""
        return self._covered()

    def add_summary(self, summary: Message) -> None:
        """Add a summary that was just stored after the messages."""
        self._messages.append(summary)

    def earlier(self, end: int) -> list[Message]:
        """The messages before ``end``, without summaries."""
        return [message for message in self._messages[:end] if message.role != "system"]

    def unsummarized_tokens(self, end: int) -> float:
        """The size of the messages before ``end`` that no summary covers, without long results."""
        return messages_tokens(self._stub(n) for n in range(self.summarised, end))

    def shown(self) -> list[Message]:
        """The messages to send: the head, and what is left of the rest."""
        body = [message for _, message in self._body()]
        return body if self.head is None else [self.head, *body]

    def stub_results(self, excess: float, *, end: int) -> None:
        """Replace results before ``end`` by stubs, oldest first, to save ``excess`` tokens."""
        place = max(self._marks.stubbed, self._marks.start)
        while excess > 0 and place < end:
            excess -= message_tokens(self._messages[place]) - message_tokens(self._stub(place))
            place += 1
        self._marks.stubbed = max(self._marks.stubbed, place)

    def next_start(self, excess: float) -> int:
        """The start of a later turn such that leaving out everything before it saves ``excess``.

        The current turn always stays.
        """
        sizes = self._sizes()
        for place, following in pairwise([n for n in self._users if n >= self._marks.start]):
            excess -= sum(sizes[n] for n in range(place, following))
            if excess <= 0:
                return following
        return self.turn

    def skip_steps(self, excess: float) -> None:
        """Leave out steps of the current turn, oldest first; the newest step always stays."""
        sizes = self._sizes()
        skipped = self._marks.skipped.get(self.turn, 0)
        for place, following in pairwise([n for n in self._steps() if n >= skipped]):
            if excess <= 0:
                return
            excess -= sum(sizes[n] for n in range(place, following))
            self._marks.skipped[self.turn] = following

    @property
    def newest_step(self) -> int:
        """The index of the newest step of the current turn; without one, after the message."""
        return (self._steps() or [self.turn + 1])[-1]

    @property
    def newest_tokens(self) -> float:
        """The size of that step."""
        return messages_tokens(self._messages[self.newest_step :])

    def _steps(self) -> list[int]:
        """The indexes of the model's replies in the current turn."""
        places = range(self.turn, len(self._messages))
        return [n for n in places if self._messages[n].role == "assistant"]

    def _sizes(self) -> defaultdict[int, float]:
        """The shown size of each message, by index; 0 for those left out."""
        sizes: defaultdict[int, float] = defaultdict(float)
        for place, message in self._body():
            sizes[place] += message_tokens(message)
        return sizes

    def _body(self) -> Iterator[tuple[int, Message]]:
        marks = self._marks
        skipped = skipped_to = 0
        for place in range(marks.start, len(self._messages)):
            message = self._messages[place]
            if message.role == "system":
                continue
            if message.role == "user":
                skipped_to = marks.skipped.get(place, 0)
            elif place < skipped_to:
                skipped += message.role == "assistant"
                continue
            if skipped:
                told = f"[{skipped} earlier step(s) of this turn are left out to save room.]"
                yield place - 1, Message(role="tool", content=told)
                skipped = 0
            yield place, self._stub(place) if place < marks.stubbed else message

    def _stub(self, place: int) -> Message:
        message = self._messages[place]
        if message.role == "assistant":
            return with_short_calls(message)
        return stub(message, self._call(message), repeatable=self._repeatable)

    def _call(self, message: Message) -> ToolCall | None:
        return self._calls.get(message.call_id) if message.call_id else None

    def _covered(self) -> int:
        """The index of the first message after the newest summary, which is a turn's start.

        A message that was only partly written shifts the later indexes by one, so the summary may
        seem to end inside a turn; that turn is shown then.
        """
        covers = next((m.covers for m in reversed(self._messages) if m.role == "system"), 0)
        return max((n for n in self._users if n <= covers), default=0)
