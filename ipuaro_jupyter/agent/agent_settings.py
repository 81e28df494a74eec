"""The settings of a conversation: its limits, and how much of it a model is sent."""

from typing import Literal

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class AgentSettings(Record):
    """Limits of one turn, and what a model is sent of the conversation.

    ``max_rounds`` counts requests to the model, ``max_repairs`` replies that could not be used,
    ``max_repeats`` how often a call may give the same result, ``max_refusals`` calls of what is
    never allowed, ``max_retries`` how often the user may have something tried again.
    ``turn_timeout_s`` is without the time that the user takes to decide. ``parallel_calls`` is how
    many calls that only read run side by side.

    Parts (0-1) are of the model's window. What is sent is made smaller when it takes more than
    ``auto_compress_at``, and never takes more than ``max_context_usage``, or than the window less
    ``reply_tokens``, the room for the reply. ``compression_method``: "llm-summary" has the model
    sum up what is left out, "truncate" only leaves it out; a summary may take
    ``summary_timeout_s``. ``system_prompt_tokens`` is the most that rules, tools, guides and map
    take together; None is half of what a request may take. ``map_share`` is the map's part, 0 for
    none, ``guide_tokens`` the most that AGENTS.md and its like take, 0 for none. ``redact`` hides
    what looks like a key or a password from the model.
    """

    max_rounds: int = Field(default=30, ge=1)
    max_repairs: int = Field(default=3, ge=0)
    max_repeats: int = Field(default=3, ge=1)
    max_refusals: int = Field(default=2, ge=0)
    max_retries: int = Field(default=20, ge=0)
    turn_timeout_s: float = Field(default=3600.0, gt=0)
    parallel_calls: int = Field(default=4, ge=1, le=32)
    auto_compress_at: float = Field(default=0.8, gt=0, le=1)
    max_context_usage: float = Field(default=0.9, gt=0, le=1)
    compression_method: Literal["llm-summary", "truncate"] = "llm-summary"
    summary_timeout_s: float = Field(default=120.0, gt=0)
    reply_tokens: int = Field(default=2048, ge=256)
    system_prompt_tokens: int | None = Field(default=None, ge=512)
    map_share: float = Field(default=0.08, ge=0, le=0.5)
    guide_tokens: int = Field(default=1500, ge=0)
    redact: bool = True
