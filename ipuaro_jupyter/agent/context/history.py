"""A session's messages as a model is sent them: how much is shown of what."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ipuaro_jupyter.agent.context.budget import stub, with_short_calls
from ipuaro_jupyter.agent.context.tokens import message_tokens, messages_tokens
from ipuaro_jupyter.records.chat import Message, ToolCall


@dataclass
class Marks:
    """Places in a session's messages; they only move forward, so that what is sent is stable.

    A server keeps what it has read of a prompt as long as its beginning stays the same.

    Attributes:
        began_at: When the session began, by which another one is told apart.
        start: Turns before it are left out.
        stubbed: Results of tools before it are stubs.
        skipped: Steps of the current turn before it are left out.
        failed: How many messages there were when a summary failed last.
        noticed: The message of the user whose length was remarked upon.
    """

    began_at: float = 0.0
    start: int = 0
    stubbed: int = 0
    skipped: int = 0
    failed: int = -1
    noticed: int = -1


class History:
    """The messages of a session, which are left out bit by bit.

    Args:
        messages: All of the session; those of the system are its summaries.
        marks: How much is shown; moved by what is done here.
        repeatable: Tools whose results can be had again.

    Attributes:
        turn: Where the current turn begins.
        head: What tells of the turns before ``marks.start``; set by the owner.
    """

    def __init__(
        self, messages: Sequence[Message], marks: Marks, *, repeatable: Collection[str]
    ) -> None:
        self._messages = list(messages)
        self._marks = marks
        self._repeatable = repeatable
        self._users = [n for n, message in enumerate(messages) if message.role == "user"]
        self._calls = {call.id: call for message in messages for call in message.calls}
        self.turn = self._users[-1] if self._users else 0
        self.head: Message | None = None
        marks.start = max(marks.start, self._covered())
        marks.stubbed = max(marks.stubbed, marks.start)

    @property
    def summary(self) -> str:
        """The newest summary that is stored, empty when there is none."""
        return next((m.content for m in reversed(self._messages) if m.role == "system"), "")

    @property
    def summarised(self) -> int:
        """How many messages that summary stands for; a whole number of turns."""
        return self._covered()

    def add_summary(self, summary: Message) -> None:
        """Count a summary that was stored behind the messages just now."""
        self._messages.append(summary)

    def earlier(self, end: int) -> list[Message]:
        """Return the messages before ``end``, summaries not included."""
        return [message for message in self._messages[:end] if message.role != "system"]

    def not_told(self, end: int) -> float:
        """Return how much, without long results, stands before ``end`` and in no summary."""
        return messages_tokens(self._stub(n) for n in range(self.summarised, end))

    def shown(self) -> list[Message]:
        """Return what is sent: the head, and what is left of the rest."""
        body = [message for _, message in self._body()]
        return body if self.head is None else [self.head, *body]

    def stub_results(self, excess: float, *, end: int) -> None:
        """Make stubs of results before ``end``, oldest first, until ``excess`` tokens are saved."""
        place = max(self._marks.stubbed, self._marks.start)
        while excess > 0 and place < end:
            excess -= message_tokens(self._messages[place]) - message_tokens(self._stub(place))
            place += 1
        self._marks.stubbed = max(self._marks.stubbed, place)

    def next_start(self, excess: float) -> int:
        """Return the beginning of a later turn so that leaving out all before saves ``excess``.

        At most the current turn stays.
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
        for place, following in pairwise([n for n in self._steps() if n >= self._marks.skipped]):
            if excess <= 0:
                return
            excess -= sum(sizes[n] for n in range(place, following))
            self._marks.skipped = following

    @property
    def newest_step(self) -> int:
        """Where the newest step of the current turn begins; behind its question without one."""
        return (self._steps() or [self.turn + 1])[-1]

    @property
    def newest_tokens(self) -> float:
        """How much that step takes."""
        return messages_tokens(self._messages[self.newest_step :])

    def _steps(self) -> list[int]:
        """Return where each reply of the model in the current turn stands."""
        places = range(self.turn, len(self._messages))
        return [n for n in places if self._messages[n].role == "assistant"]

    def _sizes(self) -> defaultdict[int, float]:
        """Return how much is shown of each message, by its place; 0 for what is left out."""
        sizes: defaultdict[int, float] = defaultdict(float)
        for place, message in self._body():
            sizes[place] += message_tokens(message)
        return sizes

    def _body(self) -> Iterator[tuple[int, Message]]:
        marks = self._marks
        skipped = 0
        for place in range(marks.start, len(self._messages)):
            message = self._messages[place]
            if message.role == "system":
                continue
            if self.turn < place < marks.skipped:
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
        """Return where the messages behind the newest summary begin, which is a turn's start.

        A message that was torn in writing shifts the places behind it by one, so the summary may
        seem to reach into a turn; that turn is shown then.
        """
        covers = next((m.covers for m in reversed(self._messages) if m.role == "system"), 0)
        return max((n for n in self._users if n <= covers), default=0)
