"""The settings of a conversation: its limits, and how much of it a model is sent."""

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class AgentSettings(Record):
    """Limits of one turn. ``auto_compress_at`` is a part (0-1) of the model's window.

    ``max_rounds`` counts requests to the model, ``max_repairs`` replies that could not be used,
    ``max_repeats`` how often a call may give the same result, ``max_refusals`` calls of what is
    never allowed, ``max_retries`` how often the user may have something tried again.
    ``turn_timeout_s`` is without the time that the user takes to decide. ``parallel_calls`` is how
    many calls that only read run side by side.
    """

    max_rounds: int = Field(default=30, ge=1)
    max_repairs: int = Field(default=3, ge=0)
    max_repeats: int = Field(default=3, ge=1)
    max_refusals: int = Field(default=2, ge=0)
    max_retries: int = Field(default=20, ge=0)
    turn_timeout_s: float = Field(default=3600.0, gt=0)
    parallel_calls: int = Field(default=4, ge=1, le=32)
    auto_compress_at: float = Field(default=0.8, gt=0, le=1)
    reply_tokens: int = Field(default=2048, ge=256)
