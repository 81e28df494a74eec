"""The settings of a conversation: its limits, and how much of it a model is sent."""

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class AgentSettings(Record):
    """Limits of one turn. ``auto_compress_at`` is a part (0-1) of the model's window."""

    max_rounds: int = Field(default=30, ge=1)
    max_repairs: int = Field(default=3, ge=0)
    max_repeats: int = Field(default=3, ge=1)
    max_refusals: int = Field(default=2, ge=0)
    turn_timeout_s: float = Field(default=3600.0, gt=0)
    auto_compress_at: float = Field(default=0.8, gt=0, le=1)
    reply_tokens: int = Field(default=2048, ge=256)
