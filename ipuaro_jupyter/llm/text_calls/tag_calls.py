"""Calls as a tag with a tag for each parameter, or with JSON, between opening and closing."""

from typing import Literal, NoReturn

from ipuaro_jupyter.llm.text_calls.announced import name_at, read_announced
from ipuaro_jupyter.llm.text_calls.json_calls import (
    ARGUMENT_KEYS,
    json_calls,
    json_end,
    strays_end,
)
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tags import (
    CALL,
    CDATA_OPEN,
    Malformed,
    Tag,
    call_end,
    cdata_value,
    next_closing,
    plain_name,
    read_tag,
    tag_word,
    value_end,
)
from ipuaro_jupyter.llm.text_calls.tool_names import WRITE_IT, ToolNames, required, signature
from ipuaro_jupyter.llm.text_calls.values import VERBATIM, plain_text
from ipuaro_jupyter.records.parameter_names import likely_parameters, meant_parameters

_GENERIC = frozenset({"param", "parameter", "arg", "argument"})
"""Tags of a parameter whose name is an attribute."""
_INNER = frozenset({"function", "invoke"})
_NAMING = frozenset({"name", "tool", "tool_name", "function_name", "tool_id"})
"""Tags around a tool's name."""
_KEY, _KEY_END, _VALUE, _VALUE_END = "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"
_SEPARATOR = "<tool_sep>"
_EXCERPT = 40
_MOST_PARAMETERS = 200
_NAMELESS = f"it has no name. {WRITE_IT}"


def read_tag_call(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """What the tag at the mark, its ``<`` and name, calls; None when it is only spoken of."""
    call, name = mark.text[1:], ""
    if tag_word(reply, mark.start) != call:
        return None
    try:
        tag = read_tag(reply, mark.start)
        if tag is None:
            end = call_end(reply, mark.end, call=call)
            return ParsedForm(end, (f"The tag of a call cannot be read. {WRITE_IT}",))
        name = tag.attributes.get("name") or tag.attributes.get("tool") or ""
        is_spoken_of = reply.is_mention(mark.start, tag.end)
        if is_spoken_of or (call != CALL and not _is_foreign_call(reply, tag, tools)):
            return None
    except CutOff:
        raise CutOff.in_call(name) from None
    return _read_body(reply, tag, tools, name=name, call=call)


def read_tool_tag(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """What a tag with the name of a tool calls, as ``<TOOL><path>a.ts</path></TOOL>``.

    Its parameters are tags, attributes, or an object in JSON. None when it holds something else.
    """
    name = mark.text[1:]
    tag = read_tag(reply, mark.start)
    if tag is None or reply.is_mention(mark.start, tag.end):
        return None
    end = tag.end if tag.is_empty else _closing_end(reply, tag.end, call=name)
    if end >= 0 or tag.attributes:
        needed = {key for schema in tools.candidates(name)[:1] for key in required(schema)}
        takes = needed <= set(tag.attributes) <= set(tools.parameters(name))
        outcome = tools.call(name, tag.attributes, bare=tag.attributes)
        return ParsedForm(end, (outcome,), name) if end >= 0 and takes else None
    body = reply.after_blanks(tag.end)
    letter = reply.char(body)
    word = tag_word(reply, body) if letter == "<" else ""
    is_parameter = plain_name(word) in _GENERIC or (word != "" and tools.takes(name, {word: "1"}))
    is_call = letter == "{" or is_parameter
    return _read_body(reply, tag, tools, name=name, call=name) if is_call else None


def _is_foreign_call(reply: ReplyText, tag: Tag, tools: ToolNames) -> bool:
    """Whether a tag of another form is a call: ``<function name="x">`` may be anything."""
    name = tag.attributes.get("name", "")
    body = reply.after_blanks(tag.end)
    letter = "" if tag.is_empty else reply.char(body)
    word = tag_word(reply, body).removeprefix("/") if letter == "<" else ""
    if not name and plain_name(tag.name) not in _INNER and word in _NAMING:
        return True
    if not tag.is_assigned and not tools.candidates(name):
        return False
    if letter != "<":
        return letter in {"{", "["}
    is_parameter = plain_name(word) in _GENERIC or word in tools.parameters(name)
    return word == tag.name.lower() or is_parameter


def _read_body(
    reply: ReplyText, tag: Tag, tools: ToolNames, *, name: str, call: str
) -> ParsedForm | None:
    """What stands between the tags of a call; ``name`` is the tool that its opening tag names."""
    try:
        return _Body(reply, tools, name=name, call=call).read(tag)
    except CutOff:
        raise CutOff.in_call(name) from None
    except Malformed as problem:
        called = f"The call of {name}" if name else "A <tool_call>"
        return ParsedForm(problem.end, (f"{called} was not run: {problem}",), name)


class _Body:
    """What stands between the tags of a call."""

    def __init__(self, reply: ReplyText, tools: ToolNames, *, name: str, call: str) -> None:
        self._reply = reply
        self._tools = tools
        self._name = name
        self._call = call
        self._known = set(tools.parameters(name))
        self._values: dict[str, str] = {}
        self._bare: set[str] = set()

    def read(self, tag: Tag) -> ParsedForm | None:
        """Read on behind the opening tag."""
        reply, name = self._reply, self._name
        if tag.is_empty and not name:
            raise Malformed(_NAMELESS, tag.end)
        if tag.is_empty:
            return self.called(tag.end, name)
        at = reply.after_blanks(tag.end)
        letter = _sure_char(reply, at)
        if name and letter in {"{", "["}:
            end = json_end(reply, at)
            outcomes = json_calls(reply.text[at:end], self._tools, name=name)
            return self._closed(strays_end(reply, end), outcomes)
        if name:
            return self.called(self.read_parameters(tag.end), name)
        return self._read_nameless(tag, at)

    def _read_nameless(self, tag: Tag, at: int) -> ParsedForm | None:
        """Read a call whose opening tag does not name its tool."""
        reply, letter = self._reply, self._reply.text[at]
        word = tag_word(reply, at) if letter == "<" else ""
        if word in _INNER:
            return ParsedForm(tag.end)  # the call is inside, as Qwen coder writes it
        if word in _NAMING:
            return self._read_named_parameters(tag.end)
        if letter != "<" and (parsed := self._read_announced(at)):
            return parsed
        end = call_end(reply, tag.end) if letter == "<" else next_closing(reply, tag.end)
        if end < 0:
            return None
        raise Malformed(_NAMELESS, end)

    def called(self, end: int, name: str) -> ParsedForm:
        """The call with the parameters that were read."""
        outcome = self._tools.call(name, self._values, bare=self._bare)
        return ParsedForm(end, (outcome,), name)

    def _read_named_parameters(self, at: int) -> ParsedForm:
        """Read a call whose name has a tag of its own, its arguments too, as JSON or as tags."""
        end, values = self.read_parameters(at), self._values
        name = values.pop(next(key for key in values if key.lower() in _NAMING)).strip()
        arguments = next((key for key in values if key.lower() in ARGUMENT_KEYS), "")
        if not arguments or arguments in self._tools.parameters(name):
            return self.called(end, name)
        text = values[arguments].strip()
        if not text.startswith("<"):
            return ParsedForm(end, json_calls(text or "{}", self._tools, name=name), name)
        inner = ReplyText(f"{text}</{self._call}>", has_ended=True)
        body = _Body(inner, self._tools, name=name, call=self._call)
        try:
            body.read_parameters(0)
        except (CutOff, Malformed):
            raise Malformed(f"its <{arguments}> cannot be read. {WRITE_IT}", end) from None
        return body.called(end, name)

    def _read_announced(self, at: int) -> ParsedForm | None:
        """Read JSON, Python, or a call that begins with the tool's name; None for other text.

        GLM's ``NAME<arg_key>…``, Hunyuan's ``NAME<tool_sep>`` with an object in a fence, or a name
        alone of a tool that needs no arguments.
        """
        reply, tools = self._reply, self._tools
        name, end = name_at(reply, at)
        end = reply.after_blanks(end)
        if reply.starts(_SEPARATOR, end):
            end = reply.after_blanks(end + len(_SEPARATOR))
        if name and reply.starts(_KEY, end):
            return self._read_keys(end, name)
        if tools.candidates(name) and _closing_end(reply, end, call=self._call) >= 0:
            return self._closed(end, (tools.call(name, {}),))
        announced = read_announced(reply, Mark("", at), tools)
        is_json = reply.text[at] in "{["
        return announced and self._closed(announced.end, announced.outcomes, is_told=is_json)

    def _read_keys(self, at: int, name: str) -> ParsedForm | None:
        reply, values = self._reply, dict[str, str]()
        while reply.starts(_KEY, at):
            end = _found(reply, _KEY_END, at)
            key = reply.text[at + len(_KEY) : end].strip()
            begin = reply.after_blanks(end + len(_KEY_END))
            if not reply.starts(_VALUE, begin):
                return None
            end = begin
            while end == begin or not self._goes_on(at):
                end = _found(reply, _VALUE_END, end + 1)
                at = reply.after_blanks(end + len(_VALUE_END))
            values[key] = plain_text(key, reply.text[begin + len(_VALUE) : end])
        return self._closed(at, (self._tools.call(name, values, bare=values),))

    def _goes_on(self, at: int) -> bool:
        """Whether another argument, or the end of the call, follows a value."""
        reply = self._reply
        if reply.starts(_KEY, at) or not reply.char(at):
            return True
        return reply.text[at] == "<" and tag_word(reply, at) == f"/{self._call}"

    def _closed(self, at: int, outcomes: Outcomes, *, is_told: bool = True) -> ParsedForm | None:
        """The call if it is closed at ``at``, or the reply ends there; else it ``is_told``."""
        reply, call = self._reply, self._call
        at = reply.after_blanks(at)
        if not self._name and (not reply.char(at) or reply.starts("<|", at)):
            return ParsedForm(at, outcomes)  # all is there but the closing tag
        end = _closing_end(reply, at, call=call)
        if end < 0 and is_told:
            is_next = _sure_char(reply, at) == "<" and tag_word(reply, at) == call
            end = at if is_next else call_end(reply, at, call=call)
            raise Malformed(f"behind what it says no </{call}> follows", end)
        return None if end < 0 else ParsedForm(end, outcomes, self._name)

    def read_parameters(self, at: int) -> int:
        """Read the parameters from ``at`` on, and return the end of the call."""
        while True:
            at = self._reply.after_blanks(at)
            tag = read_tag(self._reply, at) if _sure_char(self._reply, at) == "<" else None
            is_call = tag is not None and tag.name.lower() == self._call
            if tag is None or (tag.is_closing and not is_call):
                self._refuse(at)
            if is_call and tag.is_closing:
                return tag.end
            if is_call:
                raise Malformed(f"it has no </{self._call}> before the next call begins", at)
            at = self._read_value(tag)

    def _refuse(self, at: int) -> NoReturn:
        """Tell what stands where a parameter was expected."""
        end = call_end(self._reply, at, call=self._call)
        rest = self._reply.text[at : self._reply.text.rfind("<", at, end)]
        excerpt = rest.strip(BLANKS).split("\n")[0][:_EXCERPT]
        signatures = [signature(schema) for schema in self._tools.candidates(self._name)]
        form = f"The tool is {' or '.join(signatures)}. {WRITE_IT}" if signatures else WRITE_IT
        raise Malformed(f"{excerpt!r} stands where a parameter was expected. {form}", end)

    def _read_value(self, tag: Tag) -> int:
        """Read the value of the parameter that the tag opens, and return where that ends."""
        reply, name = self._reply, self._parameter(tag)
        problem = f"the parameter {name!r} is given twice" if name in self._values else ""
        if not problem and len(self._values) == _MOST_PARAMETERS:
            problem = f"it has more than {_MOST_PARAMETERS} parameters"
        if problem:
            raise Malformed(problem, call_end(reply, tag.end, call=self._call))
        if tag.is_empty:
            self._values[name] = ""
            return tag.end
        code = name.lower() in VERBATIM

        def follows(at: int) -> Literal["yes", "maybe", "no"]:
            return self._follows(at, name, code=code)

        begin = reply.after_blanks(tag.end)
        if reply.starts(CDATA_OPEN, begin):
            self._values[name], end = cdata_value(reply, begin, tag.name, follows)
            return end
        stop, end = value_end(reply, tag.end, tag.name, call=self._call, follows=follows, code=code)
        raw = reply.text[tag.end : stop]
        if tag.is_assigned and raw.startswith("\n"):
            raw = raw.removesuffix("\n")  # these models put a line break on both sides
        self._values[name] = plain_text(name, raw)
        self._bare.add(name)
        return end

    def _follows(self, at: int, current: str, *, code: bool) -> Literal["yes", "maybe", "no"]:
        """Whether, blanks aside, another parameter or the call's end follows at ``at``.

        A parameter that the tool does not have is a mistake of the model's, unless the value is
        such a text: it counts when nothing better comes. In code it is code.
        """
        at = self._reply.after_blanks(at)
        tag = read_tag(self._reply, at) if _sure_char(self._reply, at) == "<" else None
        if tag is None:
            return "no"
        if tag.is_closing:
            return "yes" if tag.name.lower() == self._call else "no"
        name = self._parameter(tag)
        is_known = self._is_known(name, current)
        is_new = name != current and name not in self._values
        if code:
            return "yes" if is_known and is_new else "no"
        is_meant = tag.name.lower() == self._call or plain_name(tag.name) in _GENERIC
        return "yes" if is_known or is_meant or not is_new else "maybe"

    def _is_known(self, name: str, current: str) -> bool:
        """Whether a name is one of the tool's, or another usual one for what is not given yet."""
        if name in self._known or not self._known:
            return True
        meant = meant_parameters({*self._values, current}, self._known)
        likely = likely_parameters(name, self._known)
        return any(each not in meant.values() for each in likely)

    def _parameter(self, tag: Tag) -> str:
        """The name of the parameter that the tag opens, as the tool spells it."""
        name = tag.name
        if plain_name(name) in _GENERIC and name not in self._known:
            name = tag.attributes.get("name") or name
        if name in self._known:
            return name
        by_lower = {known.lower(): known for known in self._known}
        return by_lower.get(name.lower(), name)


def _sure_char(reply: ReplyText, at: int) -> str:
    """The character at ``at``; the call is cut off where the text has ended."""
    if not (letter := reply.char(at)):
        raise CutOff
    return letter


def _found(reply: ReplyText, word: str, at: int) -> int:
    found = reply.text.find(word, at)
    if found < 0:
        raise CutOff
    return found


def _closing_end(reply: ReplyText, at: int, *, call: str) -> int:
    """Where the closing tag at ``at`` ends, blanks aside; -1 when something else stands there."""
    at = reply.after_blanks(at)
    if reply.char(at) != "<" or tag_word(reply, at) != f"/{call}":
        return -1
    tag = read_tag(reply, at)
    return -1 if tag is None else tag.end
