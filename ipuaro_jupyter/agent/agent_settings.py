"""The settings of a conversation: its limits, and how much of it the model gets."""

from typing import Literal

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class AgentSettings(Record):
    """Limits of one turn, and how much of the conversation the model is sent.

    Shares (0 to 1) are of the model's window; what is sent always leaves room for the reply.
    """

    max_rounds: int = Field(30, ge=1, description="Requests to the model in one turn.")
    max_repairs: int = Field(3, ge=0, description="Unusable replies tolerated in one turn.")
    max_repeats: int = Field(3, ge=1, description="How often a call may give the same result.")
    max_refusals: int = Field(2, ge=0, description="Denied calls tolerated in one turn.")
    max_retries: int = Field(20, ge=0, description="How often the user may press Retry in a turn.")
    turn_timeout_s: float = Field(
        3600.0,
        gt=0,
        description="Seconds a turn may take, not counting the time you take to decide.",
    )
    parallel_calls: int = Field(4, ge=1, le=32, description="Read-only calls that run in parallel.")
    auto_compress_at: float = Field(
        0.8, gt=0, le=1, description="Fill of the window above which the conversation is shortened."
    )
    max_context_usage: float = Field(
        0.9, gt=0, le=1, description="Fill of the window that is never exceeded."
    )
    compression_method: Literal["llm-summary", "truncate"] = Field(
        "llm-summary",
        description="What becomes of old turns: the model summarises them, or they are dropped.",
    )
    summary_timeout_s: float = Field(120.0, gt=0, description="Seconds a summary may take.")
    reply_tokens: int = Field(2048, ge=256, description="Tokens kept free for the reply.")
    system_prompt_tokens: int | None = Field(
        None,
        ge=512,
        description="The most tokens that rules, tools, guides and map may take together; null is "
        "about 3000 in a window of 32k tokens and 1800 in one of 8k, and with the profile full, "
        "half of what a request may take.",
    )
    map_share: float = Field(
        0.02,
        ge=0,
        le=0.5,
        description="The share of the window for the project's map; 0 for none.",
    )
    result_share: float = Field(
        0.12,
        gt=0,
        le=0.5,
        description="The most of the window that one result of a tool takes, unless the model asks "
        "for more with limit, end or depth.",
    )
    guide_tokens: int = Field(
        1500, ge=0, description="The most tokens for AGENTS.md and the like; 0 for none."
    )
    notebook: Literal["ask", "always", "never"] = Field(
        "ask",
        description="Whether the model may see the errors, values and outputs of the notebook that "
        "you ask from: you are asked once in a session, or it always or never may. A project's "
        "file cannot set it.",
    )
    redact: bool = Field(
        default=True, description="Hide what looks like a key or a password from the model."
    )
