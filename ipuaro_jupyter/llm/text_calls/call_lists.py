"""Calls as JSON behind a mark: ``[TOOL_CALLS]`` (Mistral), ``<|python_tag|>`` (Llama)."""

from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.llm.text_calls.json_calls import read_arguments, read_bare, read_body
from ipuaro_jupyter.llm.text_calls.json_text import json_end, likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.names import Names
from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source
from ipuaro_jupyter.records.chat import ToolCall

_ARGUMENTS, _ID = "[ARGS]", "[CALL_ID]"
_CLOSING = ("[/TOOL_CALLS]", "<|/tool_call|>", "<|eom_id|>", "<|eot_id|>")
_PYTHON = "<|python_tag|>"
_NO_PYTHON = (
    f"What stands behind {_PYTHON} was not run: Python is not there. Call a tool, as "
    '<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
)
_LONGEST_NAME = 100


class ListReader:
    """Reads JSON calls that a mark announces.

    Args:
        source: The model's text.
        names: The tools that may be called.
        unknown_calls: Return the call of a tool that does not exist, instead of an error.
    """

    def __init__(self, source: Source, names: Names, *, unknown_calls: bool) -> None:
        self._source = source
        self._names = names
        self._unknown_calls = unknown_calls

    def read(self, mark: Mark) -> Reading[Found | None]:
        """Return what follows the mark; None when that is no call.

        Raises:
            CutOff: The text ends inside a call.
        """
        at = yield from self._source.after_blanks(mark.end)
        first = yield from self._source.char(at)
        if first != "" and first in "{[":
            return (yield from self._read_objects(at))
        if mark.text == _PYTHON:
            return Found(mark.end, errors=(_NO_PYTHON,))
        return (yield from self._read_named(at)) if first else None

    def read_wrapped(self, at: int) -> Reading[Found | None]:
        """Return what the JSON at ``at``, between tags of no certain meaning, calls.

        Raises:
            CutOff: The text ends inside of what begins like a call.
        """
        try:
            like = yield from likeness(self._source, at, self._names)
        except CutOff:
            return None
        if not like:
            return None
        end = yield from json_end(self._source, at)
        read = read_bare(self._source.text[at:end], self._names, named=like == "call")
        if read is None:
            return None
        calls, errors = read
        return Found(end, calls=tuple(calls), errors=tuple(errors))

    def read_addressed(self, name: str, at: int) -> Reading[Found]:
        """Return the call of the tool ``name`` whose arguments stand at ``at``.

        Raises:
            CutOff: The text ends inside of them.
        """
        at = yield from self._source.after_blanks(at)
        if (yield from self._source.sure_char(at)) != "{":
            error = f"The call of {name} was not run: its arguments are no JSON object."
            return Found(at, errors=(error,))
        end = yield from json_end(self._source, at)
        calls, errors = read_arguments(
            self._source.text[at:end], self._names, name=name, unknown_calls=self._unknown_calls
        )
        return Found(end, calls=tuple(calls), errors=tuple(errors))

    def _read_objects(self, at: int) -> Reading[Found]:
        """Read objects or lists, one after the other."""
        source = self._source
        calls: list[ToolCall] = []
        errors: list[str] = []
        end = at
        while at >= 0:
            end = yield from json_end(source, at)
            found, wrong = read_body(
                source.text[at:end], self._names, name="", unknown_calls=self._unknown_calls
            )
            calls += found
            errors += wrong
            at = yield from self._next_object(end)
        return Found((yield from self._closed(end)), calls=tuple(calls), errors=tuple(errors))

    def _next_object(self, end: int) -> Reading[int]:
        """Return where the object begins that follows, blanks and a separator aside; -1: none."""
        at = yield from self._source.after_blanks(end)
        if (yield from self._source.char(at)) in {",", ";"}:
            at = yield from self._source.after_blanks(at + 1)
        return at if (yield from self._source.char(at)) == "{" else -1

    def _read_named(self, start: int) -> Reading[Found | None]:
        """Read ``name[ARGS]{…}``, also with an id between the two, or without the mark."""
        source = self._source
        at = start
        while (letter := (yield from source.char(at))).isalnum() or letter in {"_", "-", "."}:
            if at - start > _LONGEST_NAME:
                return None
            at += 1
        name = source.text[start:at]
        if (yield from source.starts(_ID, at)):
            bracket = yield from source.find("[", at + 1)
            at = bracket if bracket >= 0 else at
        marked = yield from source.starts(_ARGUMENTS, at)
        at += len(_ARGUMENTS) * marked
        following = yield from source.after_blanks(at)
        is_call = marked or bool(self._names.candidates(name))
        if not name or not is_call or (yield from source.char(following)) != "{":
            return None
        found = yield from self.read_addressed(name, following)
        return Found((yield from self._closed(found.end)), found.calls, found.errors)

    def _closed(self, end: int) -> Reading[int]:
        """Return the end, after the mark that closes the calls if there is one."""
        at = yield from self._source.after_blanks(end)
        for mark in _CLOSING:
            if (yield from self._source.starts(mark, at)):
                return at + len(mark)
        return end
