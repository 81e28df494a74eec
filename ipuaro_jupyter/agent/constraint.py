"""Replies that cannot be wrong: a schema of the calls that can be made, and what is written by it.

A server that takes a schema lets the model write nothing else: a call of one of the tools, with
names that exist, or an answer. The schema keeps to what llama.cpp's grammars, Ollama and vLLM know:
https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.likely_names import LikelyNames, likely_names
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.tools.tool import Named, Tool

FORM = (
    'Reply with one JSON object and nothing else: {"name": "TOOL", "arguments": {…}} to call a '
    'tool, or {"answer": "…"} to answer.'
)
_MOST_NAMES = 200
_MOST_RESULTS = 12
_KINDS: tuple[Named, ...] = ("file", "folder", "place", "symbol")
_ANY_VALUE = [{"type": kind} for kind in ("string", "number", "boolean", "object", "array")]
_ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}

Json = Mapping[str, Any]


def call_schema(tools: Iterable[Tool], index: CodeIndex, messages: Sequence[Message]) -> Json:
    """The schema of a reply: a call of one of the tools, or an answer.

    Parameters that name files or symbols take those that the question names, those in the results
    so far, and the highest ranked of the project.

    Raises:
        StorageError: Redis has gone.
    """
    known = likely_names(index, _texts(messages), most=_MOST_NAMES)
    offered = list(tools)
    used = {kind for tool in offered for kind in tool.names.values()}
    lists = {kind: _names(known, kind) for kind in _KINDS if kind in used and _names(known, kind)}
    schema: dict[str, Any] = {"anyOf": [*(_call(tool, lists) for tool in offered), _ANSWER]}
    if lists:
        schema["$defs"] = {
            kind: {"type": "string", "enum": list(names)} for kind, names in lists.items()
        }
    return schema


def _texts(messages: Sequence[Message]) -> list[str]:
    """The question, the latest results, and the earlier questions."""
    asked = [message.content for message in messages if message.role == "user"]
    turn = max((n for n, message in enumerate(messages) if message.role == "user"), default=0)
    results = [message.content for message in messages[turn:] if message.call_id]
    return [*asked[-1:], *results[::-1][:_MOST_RESULTS], *asked[-2::-1]]


def _names(known: LikelyNames, kind: Named) -> tuple[str, ...]:
    return {
        "file": known.files,
        "folder": known.folders,
        "place": known.places,
        "symbol": known.symbols,
    }[kind]


def _call(tool: Tool, lists: Mapping[Named, Sequence[str]]) -> Json:
    parameters = tool.brief.parameters
    properties = {
        name: {"$ref": f"#/$defs/{tool.names[name]}"}
        if tool.names.get(name) in lists
        else _plain(entry)
        for name, entry in parameters.get("properties", {}).items()
    }
    return {
        "type": "object",
        "properties": {
            "name": {"const": tool.name},
            "arguments": {
                "type": "object",
                "properties": properties,
                "required": [n for n in parameters.get("required", ()) if n in properties],
                "additionalProperties": False,
            },
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _plain(entry: Any) -> Json:
    """The schema of a value without keywords that a server may not know; they are checked later."""
    match entry:
        case {"const": value}:
            plain: Json = {"const": value}
        case {"enum": [*values]} if values:
            plain = {"enum": values}
        case {"anyOf": [*options]} | {"oneOf": [*options]} if options:
            plain = {"anyOf": [_plain(option) for option in options]}
        case {"type": [*kinds]} if kinds:
            plain = {"anyOf": [_plain({**entry, "type": kind}) for kind in kinds]}
        case {"type": "array"}:
            plain = {"type": "array", "items": _plain(entry.get("items"))}
        case {"type": "object", "properties": {**inner}} if inner:
            properties = {name: _plain(value) for name, value in inner.items()}
            required = [name for name in entry.get("required", ()) if name in properties]
            plain = {"type": "object", "properties": properties, "required": required}
        case {"type": "string" | "integer" | "number" | "boolean" | "object" | "null" as kind}:
            plain = {"type": kind}
        case _:
            plain = {"anyOf": _ANY_VALUE}
    return plain


def freed(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks of a reply written by `call_schema` as those of a free one.

    The text of an answer streams, a call comes at the end. Text in another form passes unchanged:
    not every server keeps to a schema.
    """
    written = _Written()
    for chunk in chunks:
        yield chunk.model_copy(update={"text": written.feed(chunk.text)})
    yield written.finish()


_ANSWERS = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_MAY_ANSWER = re.compile(
    r'\s*(?:\{\s*(?:"(?:a(?:n(?:s(?:w(?:e(?:r(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?)?'
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPED = re.compile(r'\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<short>[^u]))|(?P<end>")|[^"\\]+')


@dataclass
class _Written:
    """Text that is written by the schema, read while it streams."""

    form: Literal["unknown", "answer", "whole", "free", "ended"] = "unknown"
    left: str = ""
    high: int = 0

    def feed(self, text: str) -> str:
        """What the user may see of the next part."""
        self.left += text
        if self.form == "unknown":
            self._recognise()
        if self.form == "answer":
            return self._answer()
        if self.form == "free":
            text, self.left = self.left, ""
            return text
        return ""

    def finish(self) -> Chunk:
        """The call, or whatever was kept back."""
        if self.form in ("answer", "ended"):
            return Chunk()
        read = _object(self.left)
        name, arguments = read.get("name"), read.get("arguments", {})
        if isinstance(name, str) and isinstance(arguments, dict):
            return Chunk(calls=(ToolCall(name=name, arguments=arguments),))
        answer = read.get("answer")
        return Chunk(text=answer if isinstance(answer, str) else self.left)

    def _recognise(self) -> None:
        if opening := _ANSWERS.match(self.left):
            self.form, self.left = "answer", self.left[opening.end() :]
        elif not _MAY_ANSWER.fullmatch(self.left):
            self.form = "whole" if self.left.lstrip().startswith("{") else "free"

    def _answer(self) -> str:
        """The text of a JSON string as far as it has come."""
        said, at = "", 0
        while piece := _ESCAPED.match(self.left, at):
            at = piece.end()
            if piece["end"]:
                self.form = "ended"
                break
            said += self._unescaped(piece)
        self.left = self.left[at:]
        return said

    def _unescaped(self, piece: re.Match[str]) -> str:
        if piece["short"]:
            return _SHORT.get(piece["short"], piece["short"])
        if not piece["code"]:
            return piece[0]
        code = int(piece["code"], 16)
        if 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - the first half of a surrogate pair
            self.high = code
            return ""
        if 0xDC00 <= code < 0xE000 and self.high:  # noqa: PLR2004 - the second
            code = 0x10000 + ((self.high - 0xD800) << 10) + code - 0xDC00
        self.high = 0
        return chr(code)


def _object(text: str) -> Mapping[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
