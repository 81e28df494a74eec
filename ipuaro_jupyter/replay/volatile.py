"""Remove the parts of a result that vary from run to run, before it is compared.

- The project's folder, then or now: ``<project>``.
- The digits in redacted secrets, which every machine chooses itself.
- Of ``run_command``, ``run_tests`` and ``job``: ``duration``. Of ``git_commit``: ``hash``,
  ``author`` and ``timestamp``. Of MCP tools nothing: their results are compared as they are.
- Of ``grep``: the number of candidate files, which depends on other files in the project.
- In the output of programs, and in commits: durations, clock times and dates, addresses (``0x…``),
  hashes of commits, and files in temporary folders.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ipuaro_jupyter.agent.redaction import PLACEHOLDER

_FIELDS = {
    "run_command": {"duration"},
    "run_tests": {"duration"},
    "job": {"duration"},
    "git_commit": {"hash", "author", "timestamp"},
}
_PRINTING = frozenset({"run_command", "bash", "run_tests", "job", "git_commit"})
_PRINTED = (
    (r"(?<![\w.])\d+(?:[.,]\d+)?\s?(?:ms|s|sec|secs|seconds?|m|min|minutes?)\b", "<duration>"),
    (r"\b\d{4}-\d\d-\d\d\b", "<date>"),
    (r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b", "<time>"),
    (r"\b0x[0-9a-fA-F]{4,}\b", "<address>"),
    (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", "<hash>"),
    (r"(?:/private)?/(?:tmp|var/folders/\w+/\w+/T|var/tmp)/[^\s'\":;,)\]]+", "<temporary>"),
)
_REPLACED = tuple((re.compile(pattern), word) for pattern, word in _PRINTED)
_CANDIDATES = re.compile(r"(?m)^(Strategy: \w+ \| Candidates: )\d+ files")
_REPLACED_OF = {"grep": ((_CANDIDATES, r"\1<count> files"),)}


def without_volatile(tool: str, result: Mapping[str, Any] | None, *, roots: Sequence[str]) -> Any:
    """A result, as `ToolResult.to_dict` gives it, without its volatile parts.

    Args:
        tool: The tool's name.
        result: The result; None when it is not known.
        roots: The absolute paths of the project, then and now.
    """
    longest_first = sorted({root for root in roots if len(root) > 1}, key=len, reverse=True)
    places = [re.compile(re.escape(root) + r"(?![\w-])") for root in longest_first]
    taken = dict(result or {})
    if isinstance(taken.get("output"), Mapping):
        left_out = _FIELDS.get(tool, set())
        taken["output"] = {k: v for k, v in taken["output"].items() if k not in left_out}
    replaced = _REPLACED if tool in _PRINTING else _REPLACED_OF.get(tool, ())
    return _mapped(taken, places, replaced)


def _mapped(
    value: Any, places: Sequence[re.Pattern[str]], replaced: Sequence[tuple[re.Pattern[str], str]]
) -> Any:
    match value:
        case str():
            for place in places:
                value = place.sub("<project>", value)
            value = PLACEHOLDER.sub(lambda hidden: hidden[0].rpartition(":")[0] + "]", value)
            for pattern, word in replaced:
                value = pattern.sub(word, value)
            return value
        case Mapping():
            return {k: _mapped(inner, places, replaced) for k, inner in value.items()}
        case list() | tuple():
            return [_mapped(inner, places, replaced) for inner in value]
        case _:
            return value
