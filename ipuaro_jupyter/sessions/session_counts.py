"""What a session counts."""

from typing import Literal

from ipuaro_jupyter.records.chat import Usage

SessionCounter = Literal[
    "prompt_tokens",
    "completion_tokens",
    "duration_ms",
    "tool_calls",
    "edits_applied",
    "edits_rejected",
    "edits_undone",
]


def usage_counts(usage: Usage) -> dict[SessionCounter, int]:
    """The tokens and the time of requests, as a session adds them up."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "duration_ms": usage.duration_ms,
    }
