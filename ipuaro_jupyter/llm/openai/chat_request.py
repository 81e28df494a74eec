"""A request for a reply, and the parts of it that a server may not take."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.openai.openai_connection import Refusal
from ipuaro_jupyter.llm.openai.openai_messages import to_openai
from ipuaro_jupyter.llm.wire_messages import wire_tool
from ipuaro_jupyter.llm.wishes import Wishes, sampling_options
from ipuaro_jupyter.records.chat import Message, ToolSchema

_BAD_REQUESTS = (400, 404, 405, 415, 422, 500, 501)
_OPTIONAL = (
    *("stream_options", "return_progress", "stop", "response_format", "tool_choice"),
    *("temperature", "top_p", "top_k", "min_p", "repeat_penalty"),
    *("chat_template_kwargs", "reasoning_effort", "max_tokens", "max_completion_tokens"),
)
_ALSO_CALLED = {"response_format": ("json_schema", "json schema", "structured output", "grammar")}
_TOOLS = re.compile(
    r"tool[ _-]?(choice|call|use|param)|\btools?\b|function[ -]?call|--jinja", re.IGNORECASE
)
_UNREADABLE = re.compile(
    r"failed to parse (input|tool|function)|pars(e|ing) (the )?tool|tool[ _]call.{0,40}pars|"
    r"failed to call a function|tool_use_failed",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"exceed\w* .{0,40}context|context.{0,20}(length|size|window)|too many tokens"
    r"|prompt is too long|maximum.{0,20}tokens",
    re.IGNORECASE,
)


def request_body(
    model: str,
    messages: Sequence[Message],
    *,
    tools: Sequence[ToolSchema],
    native_tools: bool,
    thinking_key: str,
    settings: LlmSettings,
    wishes: Wishes,
) -> dict[str, Any]:
    """The body of a request for a streamed reply; see `to_openai` and `Wishes`."""
    body: dict[str, Any] = {
        "model": model,
        "messages": to_openai(messages, native_tools=native_tools, thinking_key=thinking_key),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    body |= sampling_options(settings, wishes.get("sampling"))
    if tools:
        body["tools"] = [wire_tool(tool) for tool in tools]
    schema = wishes.get("schema")
    if schema is not None:
        reply = {"name": "reply", "schema": dict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": reply}
        if tools:
            body["tool_choice"] = "none"
    if wishes.get("stop"):
        body["stop"] = list(wishes["stop"])
    wished = wishes.get("think")
    body |= _thinking(wish=settings.think if wished is None else wished)
    if wishes.get("only_read"):
        body["max_tokens"] = 1
    return body


def _thinking(*, wish: bool | Literal["low", "medium", "high"] | None) -> dict[str, Any]:
    """How servers are told whether to think: through the template, or as an effort."""
    if wish is None:
        return {}
    if isinstance(wish, bool):
        return {"chat_template_kwargs": {"enable_thinking": wish, "thinking": wish}}
    return {"reasoning_effort": wish}


def without(body: Mapping[str, Any], refused: Collection[str]) -> dict[str, Any]:
    """The request without what the server has refused."""
    left = {key: value for key, value in body.items() if key not in refused}
    if "max_tokens" in body and "max_tokens" in refused and "max_completion_tokens" not in refused:
        left["max_completion_tokens"] = body["max_tokens"]
    return left


def refused_parts(refused: Refusal, body: Mapping[str, Any]) -> set[str]:
    """The optional parts of the request that the server says it does not take."""
    if refused.status not in _BAD_REQUESTS:
        return set()
    return {part for part in _OPTIONAL if part in body and _names(refused, part)}


def refuses_tools(refused: Refusal, body: Mapping[str, Any]) -> bool:
    """Whether the server says that it takes no tools."""
    if "tools" not in body or refused.status not in _BAD_REQUESTS or is_unreadable(refused):
        return False
    return _TOOLS.search(_words(refused)) is not None


def is_unreadable(refused: Refusal) -> bool:
    """Whether the server could not read the call that the model wrote."""
    return _UNREADABLE.search(_words(refused)) is not None


def is_too_long(refused: Refusal) -> bool:
    """Whether the prompt was longer than the server's window."""
    if refused.body.get("type") == "exceed_context_size_error":
        return True
    coded = refused.body.get("code") == "context_length_exceeded"
    return coded or _TOO_LONG.search(refused.said) is not None


def _names(refused: Refusal, part: str) -> bool:
    if refused.body.get("param") == part or part in _places(refused.body):
        return True
    names = (part, *_ALSO_CALLED.get(part, ()))
    mark = r"\b{}\b" if "_" in part else r"['\"`]{}['\"`]|(?:parameter|argument|field):? {}\b"
    said = refused.said.lower()
    found = (re.search(mark.replace("{}", re.escape(name)), said) for name in names)
    return any(found)


def _places(body: Mapping[str, Any]) -> set[str]:
    """The places in the request that an error of pydantic's form names."""
    details = body.get("detail")
    listed = details if isinstance(details, list) else []
    places = [entry.get("loc") for entry in listed if isinstance(entry, dict)]
    return {str(part) for place in places if isinstance(place, list) for part in place}


def _words(refused: Refusal) -> str:
    return f"{refused.said} {json.dumps(refused.body.get('code'))} {refused.body.get('type')}"
