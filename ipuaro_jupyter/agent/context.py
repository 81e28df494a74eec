"""What a model is sent: the system prompt, and as much of the history as its window takes."""

import json
from collections.abc import Generator, Sequence

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.budget import CHARS_PER_TOKEN, estimate, fit
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import Message, ToolSchema, Usage
from ipuaro_jupyter.records.events import Event


class Context:
    """The window of one model during a conversation.

    Sizes are estimated, and corrected by what the model itself has counted.
    """

    def __init__(
        self, model: Model, schemas: Sequence[ToolSchema], settings: AgentSettings
    ) -> None:
        self._model = model
        self._schemas = tuple(schemas)
        self._settings = settings
        self._factor = 1.0

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """What a model with tool calling is given beside the messages; nothing for others."""
        return self._schemas if self._model.native_tools else ()

    def fitted(
        self, system: Message, messages: Sequence[Message], cancel: CancelToken
    ) -> Generator[Event, None, list[Message]]:
        """Yield what happens on the way; return the messages to send, ``system`` first."""
        del cancel
        yield from ()
        window = self._model.context_tokens
        room = window * self._settings.auto_compress_at
        room = min(room, window - self._settings.reply_tokens)
        fixed = self._factor * (estimate([system]) + self._schema_tokens())
        history = [m for m in messages if m.role != "system"]
        return [system, *fit(history, round(room - fixed), factor=self._factor)]

    def estimated(self, messages: Sequence[Message], reply: str) -> Usage:
        """Return about what a request took, for a model that does not say."""
        return Usage(
            prompt_tokens=round(estimate(messages) + self._schema_tokens()),
            completion_tokens=round(len(reply) / CHARS_PER_TOKEN),
            estimated=True,
        )

    def learn(self, messages: Sequence[Message], usage: Usage) -> None:
        """Correct the estimate by what the model counted; never below half of it."""
        guess = estimate(messages) + self._schema_tokens()
        if not usage.estimated and usage.prompt_tokens and guess:
            self._factor = max(0.5, usage.prompt_tokens / guess)

    def percent(self, usage: Usage) -> float:
        """Return how full (0-100) the window was with a request."""
        return min(100.0, 100.0 * usage.prompt_tokens / self._model.context_tokens)

    def _schema_tokens(self) -> float:
        """Return about how many tokens the tools take beside the messages."""
        if not self._model.native_tools:
            return 0
        return len(json.dumps([s.to_dict() for s in self._schemas])) / CHARS_PER_TOKEN
