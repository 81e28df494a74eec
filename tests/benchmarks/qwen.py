"""Conversations as Qwen 2.5 gets them, in its own tokens.

The tokenizer is ``qwen.tiktoken`` in the package dashscope, run by tiktoken: ``pip install
--no-deps dashscope tiktoken``. Nothing is fetched.
"""

import base64
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Any

from context import QWEN

_TOOLS = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>{tools}"
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments "
    "within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{{"name": <function-name>, "arguments": <args-json-object>}}\n</tool_call>'
)


@cache
def _encoding() -> Any:
    import tiktoken

    package = find_spec("dashscope")
    if package is None or not package.submodule_search_locations:
        told = "Qwen's tokens are missing: pip install --no-deps dashscope tiktoken"
        raise SystemExit(told)
    file = Path(package.submodule_search_locations[0], "resources", "qwen.tiktoken")
    lines = file.read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    return tiktoken.Encoding("qwen", pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[int, ...]:
    """Return the tokens of a text."""
    return tuple(_encoding().encode(text, disallowed_special=()))


def count(text: str) -> int:
    """Return the number of tokens of a text."""
    return len(tokens(text))


def head(request: Any) -> str:
    """Return everything before the conversation: the system prompt, with the tools' schemas."""
    first = request.messages[0]
    system = first.content if first.role == "system" else ""
    listed = "".join(
        "\n" + json.dumps({"type": "function", "function": tool.model_dump(mode="json")})
        for tool in request.tools
    )
    return _turn("system", system + (_TOOLS.format(tools=listed) if request.tools else ""))


def parts(request: Any) -> list[str]:
    """Return the request as texts that follow each other: the head, then each message."""
    later = request.messages[1:] if request.messages[0].role == "system" else request.messages
    return [head(request), *(_message(message) for message in later)]


def shared(before: Sequence[str], after: Sequence[str]) -> int:
    """Return how many tokens two requests have in common from the beginning."""
    same = _alike(before, after)
    found = sum(map(count, after[:same]))
    if same < min(len(before), len(after)):
        found += _alike(tokens(before[same]), tokens(after[same]))
    return found


def _alike(one: Sequence, other: Sequence) -> int:
    """Return how many items from the beginning are equal."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _message(message: Any) -> str:
    if message.role == "tool":
        return _turn("user", f"<tool_response>\n{message.content}\n</tool_response>")
    said = message.content
    if message.calls:
        written = message.raw if "<tool_call" in (message.raw or "") else None
        called = "".join(
            f'\n<tool_call>\n{{"name": "{call.name}", "arguments": '
            f"{json.dumps(call.arguments)}}}\n</tool_call>"
            for call in message.calls
        )
        said = written or said + called
    return _turn(message.role, said)


def _turn(role: str, said: str) -> str:
    return f"<|im_start|>{role}\n{said}<|im_end|>\n"
