"""The settings of a conversation: its limits, and how much of it a model is sent."""

from typing import Literal

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class AgentSettings(Record):
    """Limits of one turn, and how much of the conversation the model is sent.

    Parts (0 to 1) are of the model's window; what is sent never takes the room for the reply.
    """

    max_rounds: int = Field(30, ge=1, description="Requests to the model in one turn.")
    max_repairs: int = Field(3, ge=0, description="Replies in one turn that could not be used.")
    max_repeats: int = Field(3, ge=1, description="How often a call may give the same result.")
    max_refusals: int = Field(2, ge=0, description="Calls in one turn of what is never allowed.")
    max_retries: int = Field(20, ge=0, description="How often the user may press Retry in a turn.")
    turn_timeout_s: float = Field(
        3600.0, gt=0, description="Seconds that a turn may take, without those of your decisions."
    )
    parallel_calls: int = Field(
        4, ge=1, le=32, description="Calls that only read and run side by side."
    )
    auto_compress_at: float = Field(
        0.8, gt=0, le=1, description="The part of the window above which what is sent gets smaller."
    )
    max_context_usage: float = Field(
        0.9, gt=0, le=1, description="The part of the window that is never passed."
    )
    compression_method: Literal["llm-summary", "truncate"] = Field(
        "llm-summary", description="Whether the model sums up what is left out."
    )
    summary_timeout_s: float = Field(120.0, gt=0, description="Seconds that a summary may take.")
    reply_tokens: int = Field(2048, ge=256, description="Tokens that are kept free for the reply.")
    system_prompt_tokens: int | None = Field(
        None,
        ge=512,
        description="Tokens that rules, tools, guides and map take together at most; null is half "
        "of what a request may take.",
    )
    map_share: float = Field(
        0.08, ge=0, le=0.5, description="The project map's part of the window; 0 for no map."
    )
    guide_tokens: int = Field(
        1500, ge=0, description="Tokens that AGENTS.md and its like take at most; 0 for none."
    )
    redact: bool = Field(
        default=True, description="Hide what looks like a key or a password from the model."
    )
