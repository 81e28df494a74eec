"""Calls as ``<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>``.

The forms of other models are read by the same rules: ``<function=TOOL><parameter=NAME>value
</parameter></function>`` (Qwen coder, Llama) and ``<invoke name="TOOL">`` with named parameters.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.llm.text_calls.json_calls import read_body
from ipuaro_jupyter.llm.text_calls.json_text import json_end
from ipuaro_jupyter.llm.text_calls.names import Names, properties, required, signature
from ipuaro_jupyter.llm.text_calls.source import Reading, Source
from ipuaro_jupyter.llm.text_calls.tags import (
    CALL,
    Malformed,
    Tag,
    call_end,
    cdata_value,
    is_mention,
    read_tag,
    tag_word,
    value_end,
)
from ipuaro_jupyter.llm.text_calls.values import (
    BLANKS,
    CDATA_OPEN,
    OMITTED,
    VERBATIM,
    plain_text,
    typed,
)
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema

_GENERIC = frozenset({"param", "parameter", "arg", "argument"})
_INNER = frozenset({"function", "invoke"})
_EXCERPT = 40
_FORM = 'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    literal: bool


class XmlReader:
    """Reads the calls in tags of a source.

    Args:
        source: The model's text.
        names: The tools that may be called.
        unknown_calls: Return the call of a tool that does not exist, its arguments as text,
            instead of an error.
        begun: Called with the name of the tool as soon as its tag has been read.
    """

    def __init__(
        self,
        source: Source,
        names: Names,
        *,
        unknown_calls: bool,
        begun: Callable[[str], None],
    ) -> None:
        self._source = source
        self._names = names
        self._unknown_calls = unknown_calls
        self._begun = begun

    def read(self, start: int, call: str = CALL) -> Reading[Found | None]:
        """Return what the tag at ``start`` calls; None when it is only spoken of.

        Args:
            start: The position of the ``<``.
            call: The tag's name.

        Raises:
            CutOff: The text ends inside the call.
        """
        tag = yield from read_tag(self._source, start)
        if tag is not None and (yield from is_mention(self._source, start, tag.end)):
            return None
        if tag is None:
            end = yield from call_end(self._source, start + 1, call=call)
            return Found(end, errors=(f"The tag of a call cannot be read. {_FORM}",))
        name = tag.attributes.get("name") or tag.attributes.get("tool") or ""
        if call != CALL and not (yield from self._is_foreign_call(tag, name)):
            return None
        if name:
            self._begun(name)
        try:
            return (yield from self._read_body(tag, name, call))
        except Malformed as problem:
            called = f"The call of {name}" if name else "A <tool_call>"
            return Found(problem.end, errors=(f"{called} was not run: {problem}",))

    def is_call(self, start: int, call: str) -> Reading[bool]:
        """Whether the tag at ``start`` would be read as a call."""
        tag = yield from read_tag(self._source, start)
        if tag is None:
            return False
        return call == CALL or (
            yield from self._is_foreign_call(tag, tag.attributes.get("name", ""))
        )

    def _is_foreign_call(self, tag: Tag, name: str) -> Reading[bool]:
        """Whether a tag of another form is a call: ``<function name="x">`` may be anything."""
        if not _is_own_syntax(self._source, tag) and not self._names.candidates(name):
            return False
        body = yield from self._source.after_blanks(tag.end)
        letter = yield from self._source.sure_char(body)
        if letter != "<":
            return letter in "{["
        word = yield from tag_word(self._source, body)
        return word.removeprefix("/") in {tag.name.lower(), *_GENERIC}

    def _read_body(self, tag: Tag, name: str, call: str) -> Reading[Found]:
        source = self._source
        if not tag.empty:
            body = yield from source.after_blanks(tag.end)
            if (yield from source.sure_char(body)) in "{[":
                return (yield from self._read_json(body, name, call))
            if not name and (yield from tag_word(source, body)) in _INNER:
                return Found(tag.end)  # the call is inside, as Qwen coder writes it
        reader = _Body(source, name, self._names, call)
        end = tag.end if tag.empty and name else (yield from reader.read(tag.end))
        return reader.found(end, unknown_calls=self._unknown_calls)

    def _read_json(self, at: int, name: str, call: str) -> Reading[Found]:
        """Read one or more objects between the tags, as several models write it."""
        source = self._source
        calls: list[ToolCall] = []
        errors: list[str] = []
        while (yield from source.sure_char(at)) in "{[":
            end = yield from json_end(source, at)
            found, wrong = read_body(
                source.text[at:end], self._names, name=name, unknown_calls=self._unknown_calls
            )
            calls += found
            errors += wrong
            at = yield from source.after_blanks(end)
        word = (yield from tag_word(source, at)) if source.text[at] == "<" else ""
        if word == call:
            raise Malformed(f"after its JSON no </{call}> follows", at)
        end = yield from call_end(source, at, call=call)
        if word != "/" + call:
            raise Malformed(f"after its JSON no </{call}> follows", end)
        return Found(end, calls=tuple(calls), errors=tuple(errors))


class _Body:
    """The parameters between a call's tags."""

    def __init__(self, source: Source, name: str, names: Names, call: str) -> None:
        self._source = source
        self._name = name
        self._names = names
        self._call = call
        self._known = {key for schema in names.candidates(name) for key in properties(schema)}
        self._values: dict[str, _Value] = {}

    def read(self, at: int) -> Reading[int]:
        """Read the parameters from ``at`` on and return where the call ends."""
        source, call = self._source, self._call
        if not self._name:
            raise Malformed(f"it has no name. {_FORM}", (yield from call_end(source, at)))
        while True:
            at = yield from source.after_blanks(at)
            is_tag = (yield from source.sure_char(at)) == "<"
            tag = (yield from read_tag(source, at)) if is_tag else None
            if tag is None or (tag.closing and tag.name.lower() != call):
                raise (yield from self._misplaced(at))
            if tag.name.lower() == call:
                if tag.closing:
                    return tag.end
                raise Malformed(f"it has no </{call}> before the next call begins", at)
            at = yield from self._read_value(tag)

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

    def _misplaced(self, at: int) -> Reading[Malformed]:
        end = yield from call_end(self._source, at, call=self._call)
        text = self._source.text
        rest = text[at : text.rfind("<", at, end)]
        excerpt = rest.strip(BLANKS).split("\n")[0][:_EXCERPT]
        return Malformed(f"{excerpt!r} stands where a parameter was expected. {self._form()}", end)

    def _read_value(self, tag: Tag) -> Reading[int]:
        source = self._source
        name = self._parameter(tag)
        if name in self._values:
            end = yield from call_end(source, tag.end, call=self._call)
            raise Malformed(f"the parameter {name!r} is given twice", end)
        if tag.empty:
            self._values[name] = _Value("", literal=True)
            return tag.end
        code = name.lower() in VERBATIM

        def follows(at: int) -> Reading[Literal["yes", "maybe", "no"]]:
            return self._follows(at, name, code=code)

        begin = yield from source.after_blanks(tag.end)
        if (yield from source.starts(CDATA_OPEN, begin)):
            value, end = yield from cdata_value(source, begin, tag.name, follows)
            self._values[name] = _Value(value, literal=True)
            return end
        stop, end = yield from value_end(
            source, tag.end, tag.name, call=self._call, follows=follows, code=code
        )
        raw = source.text[tag.end : stop]
        if _is_own_syntax(source, tag) and raw.startswith("\n"):
            raw = raw.removesuffix("\n")  # these models put a line break on both sides
        self._values[name] = _Value(plain_text(name, raw), literal=False)
        return end

    def _follows(
        self, at: int, current: str, *, code: bool
    ) -> Reading[Literal["yes", "maybe", "no"]]:
        """Return whether, blanks aside, another parameter or the call's end follows at ``at``.

        A parameter that the tool does not have is a mistake of the model's, unless the value is
        such a text: it counts when nothing better comes. In code it is code.
        """
        source = self._source
        at = yield from source.after_blanks(at)
        is_tag = (yield from source.sure_char(at)) == "<"
        tag = (yield from read_tag(source, at)) if is_tag else None
        if tag is None:
            return "no"
        if tag.closing:
            return "yes" if tag.name.lower() == self._call else "no"
        name = self._parameter(tag)
        is_known = name in self._known or not self._known
        is_new = name != current and name not in self._values
        if code:
            return "yes" if is_known and is_new else "no"
        is_meant = tag.name.lower() in {self._call, *_GENERIC}
        return "yes" if is_known or is_meant or not is_new else "maybe"

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


def _is_own_syntax(source: Source, tag: Tag) -> bool:
    """Whether the tag is written as ``<name=value>``."""
    return source.text.startswith("=", tag.start + 1 + len(tag.name))


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
