"""Calls as ``<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ipuaro_jupyter.llm.json_calls import json_end, read_body
from ipuaro_jupyter.llm.names import Names, properties, required, signature
from ipuaro_jupyter.llm.tags import (
    CALL,
    Found,
    Malformed,
    Tag,
    Unfinished,
    call_end,
    cdata_value,
    is_mention,
    is_tag,
    read_tag,
    skip_blanks,
    value_end,
)
from ipuaro_jupyter.llm.values import BLANKS, CDATA_OPEN, OMITTED, VERBATIM, plain_text, typed
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema

_GENERIC = frozenset({"param", "parameter", "arg", "argument"})
_EXCERPT = 40
_FORM = 'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    literal: bool


def read_xml(text: str, start: int, names: Names, *, unknown_calls: bool = False) -> Found | None:
    """Return what the ``<tool_call`` at ``start`` holds; None when it is only spoken of.

    Args:
        text: The model's text.
        start: The position of the ``<``.
        names: The tools that may be called.
        unknown_calls: Return the call of a tool that does not exist, its arguments as text,
            instead of an error.

    Raises:
        Unfinished: The call does not end, as far as the text goes.
    """
    tag = read_tag(text, start)
    if tag is not None and is_mention(text, start, tag.end):
        return None
    if tag is None:
        return Found(
            call_end(text, start + 1), errors=(f"The tag of a call cannot be read. {_FORM}",)
        )
    name = tag.attributes.get("name") or tag.attributes.get("tool") or ""
    body = skip_blanks(text, tag.end)
    try:
        if not tag.empty and text[body : body + 1] in {"{", "["}:
            return _read_json_body(text, body, name, names)
        reader = _Body(text, name, names)
        end = tag.end if tag.empty and name else reader.read(tag.end)
    except Malformed as problem:
        called = f"The call of {name}" if name else "A <tool_call>"
        return Found(problem.end, errors=(f"{called} was not run: {problem}",))
    return reader.found(end, unknown_calls=unknown_calls)


def _read_json_body(text: str, at: int, name: str, names: Names) -> Found:
    """Read ``<tool_call>{"name": …, "arguments": {…}}</tool_call>``, as several models write it."""
    body_end = json_end(text, at)
    end = skip_blanks(text, body_end)
    if end >= len(text):
        raise Unfinished
    if not is_tag(text, end, "/" + CALL):
        raise Malformed("after its JSON no </tool_call> follows", call_end(text, end))
    calls, errors = read_body(text[at:body_end], names, name=name)
    return Found(call_end(text, end), calls=calls, errors=errors)


class _Body:
    """The parameters between a call's tags."""

    def __init__(self, text: str, name: str, names: Names) -> None:
        self._text = text
        self._name = name
        self._names = names
        self._known = {key for schema in names.candidates(name) for key in properties(schema)}
        self._values: dict[str, _Value] = {}

    def read(self, at: int) -> int:
        """Read the parameters from ``at`` on and return where the call ends."""
        if not self._name:
            raise Malformed(f"it has no name. {_FORM}", call_end(self._text, at))
        while True:
            at = skip_blanks(self._text, at)
            if at >= len(self._text):
                raise Unfinished
            tag = read_tag(self._text, at) if self._text[at] == "<" else None
            if tag is None or (tag.closing and tag.name.lower() != CALL):
                raise self._misplaced(at)
            if tag.name.lower() == CALL:
                if tag.closing:
                    return tag.end
                raise Malformed("it has no </tool_call> before the next call begins", at)
            at = self._read_value(tag)

    def _misplaced(self, at: int) -> Malformed:
        end = call_end(self._text, at)
        rest = self._text[at : self._text.rfind("<", at, end)]
        excerpt = rest.strip(BLANKS).split("\n")[0][:_EXCERPT]
        return Malformed(f"{excerpt!r} stands where a parameter was expected. {self._form()}", end)

    def found(self, end: int, *, unknown_calls: bool) -> Found:
        """Return the call, typed by the schema of the tool that is meant."""
        schema = self._names.choose(self._name, self._values)
        if schema is not None:
            call = ToolCall(name=schema.name, arguments=_typed(schema, self._values))
            return Found(end, calls=(call,))
        if unknown_calls:
            raw = {key: value.text for key, value in self._values.items()}
            return Found(end, calls=(ToolCall(name=self._name, arguments=raw),))
        return Found(end, errors=(self._names.unknown(self._name),))

    def _read_value(self, tag: Tag) -> int:
        name = self._parameter(tag)
        if name in self._values:
            raise Malformed(f"the parameter {name!r} is given twice", call_end(self._text, tag.end))
        if tag.empty:
            self._values[name] = _Value("", literal=True)
            return tag.end
        code = name.lower() in VERBATIM
        begin = skip_blanks(self._text, tag.end)
        if CDATA_OPEN.startswith(self._text[begin : begin + len(CDATA_OPEN)]):
            if not self._text.startswith(CDATA_OPEN, begin):
                raise Unfinished
            value, end = cdata_value(
                self._text, begin, tag.name, lambda at: self._goes_on(at, name, code=code)
            )
            self._values[name] = _Value(value, literal=True)
            return end
        stop, end = value_end(
            self._text,
            tag.end,
            tag.name,
            follows=lambda at: self._goes_on(at, name, code=code),
            code=code,
        )
        self._values[name] = _Value(plain_text(name, self._text[tag.end : stop]), literal=False)
        return end

    def _goes_on(self, at: int, current: str, *, code: bool) -> bool:
        """Whether, blanks aside, another parameter or the call's end follows at ``at``."""
        at = skip_blanks(self._text, at)
        if at >= len(self._text):
            raise Unfinished
        tag = read_tag(self._text, at) if self._text[at] == "<" else None
        if tag is None:
            return False
        if tag.closing:
            return tag.name.lower() == CALL
        if not code:
            return True
        name = self._parameter(tag)
        is_new = name != current and name not in self._values
        return is_new and (name in self._known or not self._known)

    def _parameter(self, tag: Tag) -> str:
        """Return the name of the parameter that the tag opens, as the tool spells it."""
        name = tag.name
        if name.lower() in _GENERIC and name not in self._known:
            name = tag.attributes.get("name") or name
        if name in self._known:
            return name
        by_lower = {known.lower(): known for known in self._known}
        return by_lower.get(name.lower(), name)

    def _form(self) -> str:
        signatures = [signature(schema) for schema in self._names.candidates(self._name)]
        return f"The tool is {' or '.join(signatures)}. {_FORM}" if signatures else _FORM


def _typed(schema: ToolSchema, values: Mapping[str, _Value]) -> dict[str, Any]:
    entries, needed = properties(schema), required(schema)
    arguments = {
        name: typed(
            value.text,
            entries.get(name, {}),
            optional=name in entries and name not in needed,
            literal=value.literal,
        )
        for name, value in values.items()
    }
    return {name: value for name, value in arguments.items() if value is not OMITTED}
