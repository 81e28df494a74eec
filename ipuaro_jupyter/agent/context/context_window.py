"""The messages for a model: the system prompt, and as much of the history as fits its window."""

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.calibration import Calibration
from ipuaro_jupyter.agent.context.history import History, ShownLimits
from ipuaro_jupyter.agent.context.prompt import PromptRoom
from ipuaro_jupyter.agent.context.summary import head, summarised
from ipuaro_jupyter.agent.context.tokens import (
    RESULT_TOKENS,
    count_once,
    count_tokens,
    messages_tokens,
    schemas_tokens,
)
from ipuaro_jupyter.agent.context.truncation import truncate_turn
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import Message, ToolSchema, Usage
from ipuaro_jupyter.records.events import Event, Noticed, PhaseChanged
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.records.result_room import ResultRoom

_SYSTEM_SHARE = 0.5
_SHORT_PROMPT, _SHORT_WINDOW, _SHORT_GROWTH = 2150, 8192, 0.035  # tokens; more per token above
_BESIDE_SCHEMAS = 300  # tokens that a template adds to schemas, and not to a description
_GUIDE_SHARE = 0.05
_MOST_ERROR, _ERROR_SHARE, _MOST_VALUES, _VALUES_SHARE = 1000, 0.1, 600, 0.05
_FIRST_FACTOR = 1.1  # within it, the sizes of the prompt do not depend on what was counted
_MOST_ATTACHED, _ATTACHED_SHARE = 8000, 0.2
_HEAD_SHARE, _STEP_SHARE = 0.25, 0.4
_SKIPS_FROM = 0.9
_STUBS_TO, _TURNS_TO = 0.55, 0.45  # what remains after cutting, so that it lasts for a while
_SUMMARY_SHARE = 0.12
_ASKED_SHARE, _LEAST_RESULT = 0.3, 400
_AMOUNTS = frozenset({"limit", "end", "depth"})
"""Parameters by which a model says how much of a result it wants."""
_WORTH_TOKENS, _WORTH_SHARE = 200, 0.3
_REPLY_SHARE = 0.25
_LEAST_TOKENS, _LEAST_SHARE = 320, 0.125


@dataclass(frozen=True)
class _Room:
    """The room of the conversation beside the system prompt, in estimated tokens.

    It is reduced above ``soft``, and never exceeds ``hard``.
    """

    soft: float
    hard: float


class ContextWindow:
    """The window of one model during a conversation.

    Sizes are estimated, and corrected by the model's own counts.

    Args:
        model: The model.
        settings: How much of the window is used, and how messages are made to fit.
        calibration: The correction for the model's counts.
        remember: Stores a summary in the session.
        left_out: Returns what was stored of the parts of the session that are left out.
        note_left_out: Stores that.
        spend: Gets the usage of each summary, estimated where the model told none.
    """

    def __init__(
        self,
        model: Model,
        settings: AgentSettings,
        *,
        calibration: Calibration | None = None,
        remember: Callable[[Message], None] = lambda _message: None,
        left_out: Callable[[], bytes] = bytes,
        note_left_out: Callable[[bytes], None] = lambda _left_out: None,
        spend: Callable[[Usage], object] = lambda _usage: None,
    ) -> None:
        self._model = model
        self._tools: tuple[ToolSchema, ...] = ()
        self._settings = settings
        self._calibration = calibration or Calibration()
        self._repeatable: frozenset[str] = frozenset()
        self._remember = remember
        self._left_out = left_out
        self._note_left_out = note_left_out
        self._spend = spend
        self._marks = ShownLimits()
        self._least = 0.0  # the minimum size of the latest request

    def offer(self, tools: Iterable[ToolSchema], *, repeatable: Iterable[str]) -> None:
        """Set the model's tools.

        Args:
            tools: Those passed beside the messages.
            repeatable: Names of those whose results can be had again by calling them again.
        """
        self._tools = tuple(tools)
        self._repeatable = frozenset(repeatable)

    @property
    def model(self) -> Model:
        """The model whose window it is."""
        return self._model

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """The tools passed beside the messages; none when the prompt describes them."""
        return self._tools

    def prompt_room(self, *, is_short: bool) -> PromptRoom:
        """The room for the system prompt, by `count_tokens`.

        The same for all sessions with a model, unless its tokens are far smaller than is guessed.

        Args:
            is_short: Whether the model is shown few tools.
        """
        settings, window = self._settings, self._model.context_tokens
        wanted, most = settings.system_prompt_tokens, _SYSTEM_SHARE * self._hard_tokens
        if is_short:
            short = _SHORT_PROMPT + _SHORT_GROWTH * max(0, window - _SHORT_WINDOW)
            most = min(most, short - (0 if self._model.native_tools else _BESIDE_SCHEMAS))
        factor = max(1.0, self._factor / _FIRST_FACTOR)
        return PromptRoom(
            tokens=(most if wanted is None else min(wanted, self._hard_tokens)) / factor,
            guide_tokens=settings.guide_tokens / factor,
            map_tokens=settings.map_share * window / factor,
            is_short=is_short,
        )

    @property
    def guide_tokens(self) -> float:
        """The room beside a question for guides."""
        factor = max(1.0, self._factor / _FIRST_FACTOR)
        most = min(self._settings.guide_tokens, _GUIDE_SHARE * self._model.context_tokens)
        return most / factor

    @property
    def notebook_tokens(self) -> tuple[float, float]:
        """The room beside a question: for the notebook's last error, and for its values."""
        window = self._model.context_tokens
        factor = max(1.0, self._factor / _FIRST_FACTOR)
        return min(_MOST_ERROR, _ERROR_SHARE * window) / factor, min(
            _MOST_VALUES, _VALUES_SHARE * window
        ) / factor

    @property
    def attachment_tokens(self) -> float:
        """The room of all that mentions in a question attach to it."""
        factor = max(1.0, self._factor / _FIRST_FACTOR)
        return min(_MOST_ATTACHED, _ATTACHED_SHARE * self._model.context_tokens) / factor

    def has_room(self, head: Head) -> bool:
        """Whether a short conversation fits beside a head."""
        system = Message(role="system", content=head.system)
        return self._has_room(messages_tokens([system]) + schemas_tokens(head.tools))

    def _has_room(self, fixed: float) -> bool:
        return self._hard_tokens - self._factor * fixed >= self._least_room

    def result_room(self, arguments: Collection[str] = ()) -> ResultRoom:
        """The room of the result of a call with these arguments."""
        window, share = self._model.context_tokens, self._settings.result_share
        if not _AMOUNTS.isdisjoint(arguments):
            share = max(share, _ASKED_SHARE)
        least = min(_LEAST_RESULT, _ASKED_SHARE * window)
        tokens = max(share * window, least) / max(1.0, self._factor)
        return ResultRoom(max(tokens - RESULT_TOKENS, 1), count_once)

    def fitted(
        self, system: Message, messages: Sequence[Message], cancel: CancelToken
    ) -> Generator[Event, None, list[Message]]:
        """Fit the history into the window: yield events; return the messages, ``system`` first.

        Above the soft limit, results of earlier turns become stubs, and if these do not free
        enough, the oldest turns a summary; above the hard limit, the current turn's older steps
        are dropped too, and the middle of long messages in the newest step. A call never loses its
        result. So much is freed at once that the request then only grows for a while.

        Raises:
            SettingsError: The window is too small for the rules and the tools.
            Cancelled: Stop was asked for during a summary.
        """
        room = self._room(system)
        self._recall(messages)
        start = self._marks.start
        history = History(messages, self._marks, repeatable=self._repeatable)
        if self._marks.start != start:
            self._marks.replaced = ""
        self._set_head(history, room)
        if self._excess(history, room.soft) > 0:
            history.stub_results(self._excess(history, _STUBS_TO * room.soft), end=history.turn)
            is_enough = self._excess(history, _STUBS_TO * room.soft) <= 0
            if not is_enough and self._marks.start < history.turn:
                yield from self._leave_out_turns(history, room, cancel)
        if self._excess(history, room.hard) > 0:
            excess = self._excess(history, _STUBS_TO * room.hard)
            history.stub_results(excess, end=history.newest_step)
            if self._excess(history, _SKIPS_FROM * room.hard) > 0:
                history.skip_steps(self._excess(history, _STUBS_TO * room.hard))
        self._note_left_out(self._marks.dump())
        shown = history.shown()
        if messages_tokens(shown) > room.hard:
            shown, question = truncate_turn(shown, room.hard, has_head=history.head is not None)
            if question and self._marks.noticed != history.turn:
                self._marks.noticed = history.turn
                yield Noticed(text=self._too_long(question), level="warning")
            if messages_tokens(shown) > room.hard:
                raise SettingsError(self._too_small(round(self._factor * messages_tokens(shown))))
        return [system, *shown]

    def start(self, messages: Sequence[Message]) -> int:
        """The index of the first of a session's messages that is still shown."""
        self._recall(messages)
        return max([self._marks.start, *(message.covers for message in messages)])

    def _recall(self, messages: Sequence[Message]) -> None:
        """Know what is left out of a session with these messages."""
        began_at = messages[0].at if messages else 0.0
        if self._marks.began_at != began_at:
            self._marks = ShownLimits.load(self._left_out(), began_at=began_at)

    def estimated(self, messages: Sequence[Message], reply: str) -> Usage:
        """The estimated usage of a request, for a model that does not report it."""
        return self._guessed(self._request_tokens(messages), reply)

    def _guessed(self, prompt_tokens: float, reply: str) -> Usage:
        return Usage(
            prompt_tokens=round(self._factor * prompt_tokens),
            completion_tokens=round(self._factor * count_tokens(reply)),
            estimated=True,
        )

    def learn(self, messages: Sequence[Message], usage: Usage) -> None:
        """Correct the estimate by the model's count for a request."""
        guessed = self._request_tokens(messages)
        believed = self._learn(guessed, usage)
        self._least = 0.0 if believed else self._factor * guessed

    def _learn(self, guessed: float, usage: Usage) -> bool:
        """Correct the estimate; return whether the count is for the whole prompt."""
        if usage.estimated or not usage.prompt_tokens:
            return usage.estimated
        window = self._model.context_tokens
        return self._calibration.learn(guessed, usage.prompt_tokens, window=window)

    def percent(self, usage: Usage) -> float:
        """How full (0-100) the window was at the latest request."""
        tokens = max(usage.prompt_tokens, self._least)
        return min(100.0, 100.0 * tokens / self._model.context_tokens)

    @property
    def _factor(self) -> float:
        return self._calibration.factor

    @property
    def _hard_tokens(self) -> float:
        """The maximum size of a request."""
        window = self._model.context_tokens
        reply = min(self._settings.reply_tokens, _REPLY_SHARE * window)
        return min(self._settings.max_context_usage * window, window - reply)

    def _room(self, system: Message) -> _Room:
        window = self._model.context_tokens
        hard = self._hard_tokens
        soft = min(hard, self._settings.auto_compress_at * window)
        fixed = self._request_tokens([system])
        if not self._has_room(fixed):
            least = self._least_room
            raise SettingsError(self._too_small(round(self._factor * fixed + least)))
        return _Room(soft=soft / self._factor - fixed, hard=hard / self._factor - fixed)

    @property
    def _least_room(self) -> float:
        """The smallest room for the conversation."""
        return max(_LEAST_TOKENS, _LEAST_SHARE * self._model.context_tokens)

    def _too_small(self, needed: int) -> str:
        window = self._model.context_tokens
        reply = min(self._settings.reply_tokens, round(_REPLY_SHARE * window))
        return (
            f"The window of {self._model.name} is too small: {window} tokens, {reply} of them for "
            f"the reply, but the rules, the tools and a short conversation take about {needed}. "
            "Raise llm.contextWindow if the model can have more, use a model that "
            "can, or choose fewer tools: tools.profile core, or names in tools.enabled."
        )

    def _too_long(self, tokens: float) -> str:
        return (
            f"Your message takes about {round(self._factor * tokens)} tokens, more than the "
            f"window of {self._model.context_tokens} has room for, so its middle was left out. "
            "Put long text into a file and name the file, or raise llm.contextWindow."
        )

    def _request_tokens(self, messages: Sequence[Message]) -> float:
        return messages_tokens(messages) + schemas_tokens(self.tools)

    def _excess(self, history: History, limit: float) -> float:
        """The tokens by which the history is too large once its newest step has been shortened."""
        spare = max(0.0, history.newest_tokens - _STEP_SHARE * limit)
        return messages_tokens(history.shown()) - spare - limit

    def _set_head(self, history: History, room: _Room) -> None:
        """Set the message that replaces the turns left out."""
        marks = self._marks
        if marks.start and not marks.replaced:
            earlier = history.earlier(marks.start)
            marks.replaced = head(earlier, history.summary, _HEAD_SHARE * room.soft).content
        if marks.start:
            history.head = Message(role="user", content=marks.replaced)

    def _leave_out_turns(
        self, history: History, room: _Room, cancel: CancelToken
    ) -> Generator[Event, None, None]:
        """Leave out the oldest turns, and have the model summarize them if it can."""
        start = history.next_start(self._excess(history, _TURNS_TO * room.soft))
        wants = self._settings.compression_method == "llm-summary"
        worth = max(_WORTH_TOKENS, _WORTH_SHARE * room.soft)  # else it waits for more
        if (
            wants
            and self._marks.failed != history.turn
            and history.unsummarized_tokens(start) >= worth
        ):
            yield from self._sum_up(history, start, room, cancel)
        self._marks.start, self._marks.replaced = start, ""
        self._set_head(history, room)

    def _sum_up(
        self, history: History, start: int, room: _Room, cancel: CancelToken
    ) -> Generator[Event, None, None]:
        """Have the model summarize the turns before ``start``, and store the summary."""
        earlier = history.earlier(start)[len(history.earlier(history.summarised)) :]
        yield PhaseChanged(phase="summarising")
        summary = summarised(
            self._model,
            earlier,
            history.summary,
            request_tokens=self._hard_tokens / self._factor,
            reply_tokens=_SUMMARY_SHARE * room.soft,
            timeout_s=self._settings.summary_timeout_s,
            cancel=cancel,
            spend=self._summary_spent,
        )
        if summary.usage is not None:
            self._learn(messages_tokens(summary.asked), summary.usage)
        if summary.problem:
            self._marks.failed = history.turn
            yield Noticed(
                text=f"{len(earlier)} earlier messages are left out to save room; they could "
                f"not be summed up: {summary.problem}",
                level="warning",
            )
        else:
            covering = Message(
                role="system", content=summary.text, usage=summary.usage, covers=start
            )
            self._remember(covering)
            yield Noticed(text=f"{len(earlier)} earlier messages were summed up to save room.")
            history.add_summary(covering)
        yield PhaseChanged(phase="thinking", detail=self._model.name)

    def _summary_spent(self, asked: Sequence[Message], reply: str, usage: Usage | None) -> None:
        self._spend(usage or self._guessed(messages_tokens(asked), reply))
