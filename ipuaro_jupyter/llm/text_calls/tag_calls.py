"""Calls as a tag with a tag for each parameter, or with JSON, between opening and closing."""

from typing import Literal, NoReturn

from ipuaro_jupyter.llm.text_calls.json_calls import json_calls, read_objects
from ipuaro_jupyter.llm.text_calls.json_text import ARGUMENT_KEYS, after_strays, json_end
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.named_calls import read_name_and_arguments
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText
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
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames, properties, signature
from ipuaro_jupyter.llm.text_calls.values import VERBATIM, plain_text
from ipuaro_jupyter.records.parameter_names import likely_parameters, meant_parameters

GENERIC = frozenset({"param", "parameter", "arg", "argument"})
"""Tags of a parameter whose name is an attribute."""
_INNER = frozenset({"function", "invoke"})
NAMING = frozenset({"name", "tool", "tool_name", "function_name", "tool_id"})
"""Tags around a tool's name."""
_EXCERPT = 40
_MOST_PARAMETERS = 200
_FORM = 'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
_NAMELESS = f"it has no name. {_FORM}"


def read_tag_call(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """What the tag at the mark, its ``<`` and name, calls; None when it is only spoken of."""
    call, name = mark.text[1:], ""
    if tag_word(reply, mark.start) != call:
        return None
    try:
        tag = read_tag(reply, mark.start)
        if tag is None:
            end = call_end(reply, mark.end, call=call)
            return ParsedForm(end, (f"The tag of a call cannot be read. {_FORM}",))
        name = tag.attributes.get("name") or tag.attributes.get("tool") or ""
        is_spoken_of = reply.is_mention(mark.start, tag.end)
        if is_spoken_of or (call != CALL and not _is_foreign_call(reply, tag, tools)):
            return None
        return read_body(reply, tag, tools, name=name, call=call)
    except CutOff:
        raise CutOff.in_call(name) from None
    except Malformed as problem:
        called = f"The call of {name}" if name else "A <tool_call>"
        return ParsedForm(problem.end, (f"{called} was not run: {problem}",), name)


def _is_foreign_call(reply: ReplyText, tag: Tag, tools: ToolNames) -> bool:
    """Whether a tag of another form is a call: ``<function name="x">`` may be anything."""
    name = tag.attributes.get("name", "")
    body = reply.after_blanks(tag.end)
    letter = "" if tag.is_empty else reply.char(body)
    word = tag_word(reply, body).removeprefix("/") if letter == "<" else ""
    if not name and plain_name(tag.name) not in _INNER and word in NAMING:
        return True
    if not tag.is_assigned and not tools.candidates(name):
        return False
    if letter != "<":
        return letter in {"{", "["}
    is_parameter = plain_name(word) in GENERIC or word in known_parameters(name, tools)
    return word == tag.name.lower() or is_parameter


def read_body(
    reply: ReplyText, tag: Tag, tools: ToolNames, *, name: str, call: str
) -> ParsedForm | None:
    """What stands between the tags of a call; ``name`` is the tool that its opening tag names."""
    if tag.is_empty and name:
        return ParsedForm(tag.end, (tools.call(name, {}),), name)
    if tag.is_empty:
        raise Malformed(_NAMELESS, tag.end)
    body = reply.after_blanks(tag.end)
    letter = reply.sure_char(body)
    if letter == "{" or (letter == "[" and (name or not call_start(reply, body, tools))):
        return _read_json(reply, body, tools, name=name, call=call)
    if name:
        return _read_parameters(reply, tag.end, tools, name=name, call=call)
    return _read_nameless(reply, tag, tools, call=call)


def _read_nameless(reply: ReplyText, tag: Tag, tools: ToolNames, *, call: str) -> ParsedForm | None:
    """Read a call whose opening tag does not name its tool."""
    body = reply.after_blanks(tag.end)
    is_tag = reply.text[body] == "<"
    word = tag_word(reply, body) if is_tag else ""
    if word in _INNER:
        return ParsedForm(tag.end)  # the call is inside, as Qwen coder writes it
    if word in NAMING:
        return _read_named_parameters(reply, tag.end, tools, call=call)
    if not is_tag and (parsed := read_name_and_arguments(reply, body, tools, call=call)):
        return parsed
    end = call_end(reply, tag.end) if is_tag else next_closing(reply, tag.end)
    if end < 0:
        return None
    raise Malformed(_NAMELESS, end)


def _read_json(reply: ReplyText, at: int, tools: ToolNames, *, name: str, call: str) -> ParsedForm:
    """Read what several models write between the tags: objects, or the arguments of the tool."""
    if name:
        end = json_end(reply, at)
        outcomes = json_calls(reply.text[at:end], tools, name=name)
        end = after_strays(reply, end)
    else:
        end, outcomes = read_objects(reply, at, tools)
    at = reply.after_blanks(end)
    if not name and (not reply.char(at) or reply.starts("<|", at)):
        return ParsedForm(at, outcomes)  # all is there but the closing tag
    word = tag_word(reply, at) if reply.sure_char(at) == "<" else ""
    end = at if word == call else call_end(reply, at, call=call)
    if word != "/" + call:
        raise Malformed(f"after its JSON no </{call}> follows", end)
    return ParsedForm(end, outcomes, name)


def _read_parameters(
    reply: ReplyText, at: int, tools: ToolNames, *, name: str, call: str
) -> ParsedForm:
    end, values, bare = _Parameters(reply, tools, name=name, call=call).read(at)
    return ParsedForm(end, (tools.call(name, values, bare=bare),), name)


def _read_named_parameters(reply: ReplyText, at: int, tools: ToolNames, *, call: str) -> ParsedForm:
    """Read a call whose name has a tag of its own, its arguments too, as JSON or as tags."""
    end, values, bare = _Parameters(reply, tools, name="", call=call).read(at)
    name = values.pop(next(key for key in values if key.lower() in NAMING)).strip()
    arguments = next((key for key in values if key.lower() in ARGUMENT_KEYS), "")
    if not arguments or arguments in known_parameters(name, tools):
        return ParsedForm(end, (tools.call(name, values, bare=bare),), name)
    text = values[arguments].strip()
    if not text.startswith("<"):
        return ParsedForm(end, json_calls(text or "{}", tools, name=name), name)
    inner = ReplyText()
    inner.append(f"{text}</{call}>")
    inner.has_ended = True
    try:
        parsed = _read_parameters(inner, 0, tools, name=name, call=call)
    except (CutOff, Malformed):
        raise Malformed(f"its <{arguments}> cannot be read. {_FORM}", end) from None
    return ParsedForm(end, parsed.outcomes, name)


def known_parameters(name: str, tools: ToolNames) -> set[str]:
    """The parameters of the tools that the name can mean."""
    return {key for schema in tools.candidates(name) for key in properties(schema)}


class _Parameters:
    """The parameters between a call's tags."""

    def __init__(self, reply: ReplyText, tools: ToolNames, *, name: str, call: str) -> None:
        self._reply = reply
        self._tools = tools
        self._name = name
        self._call = call
        self._known = known_parameters(name, tools)
        self._values: dict[str, str] = {}
        self._bare: set[str] = set()

    def read(self, at: int) -> tuple[int, dict[str, str], set[str]]:
        """Read the parameters from ``at`` on: the end of the call, the values, which are bare."""
        while True:
            at = self._reply.after_blanks(at)
            is_tag = self._reply.sure_char(at) == "<"
            tag = read_tag(self._reply, at) if is_tag else None
            is_call = tag is not None and tag.name.lower() == self._call
            if tag is None or (tag.is_closing and not is_call):
                self._refuse(at)
            if not is_call:
                at = self._read_value(tag)
            elif tag.is_closing:
                return tag.end, self._values, self._bare
            else:
                raise Malformed(f"it has no </{self._call}> before the next call begins", at)

    def _refuse(self, at: int) -> NoReturn:
        """Tell what stands where a parameter was expected."""
        end = call_end(self._reply, at, call=self._call)
        rest = self._reply.text[at : self._reply.text.rfind("<", at, end)]
        excerpt = rest.strip(BLANKS).split("\n")[0][:_EXCERPT]
        signatures = [signature(schema) for schema in self._tools.candidates(self._name)]
        form = f"The tool is {' or '.join(signatures)}. {_FORM}" if signatures else _FORM
        raise Malformed(f"{excerpt!r} stands where a parameter was expected. {form}", end)

    def _read_value(self, tag: Tag) -> int:
        """Read the value of the parameter that the tag opens, and return where that ends."""
        reply, name = self._reply, self._parameter(tag)
        if name in self._values:
            end = call_end(reply, tag.end, call=self._call)
            raise Malformed(f"the parameter {name!r} is given twice", end)
        if len(self._values) == _MOST_PARAMETERS:
            end = call_end(reply, tag.end, call=self._call)
            raise Malformed(f"it has more than {_MOST_PARAMETERS} parameters", end)
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
        tag = read_tag(self._reply, at) if self._reply.sure_char(at) == "<" else None
        if tag is None:
            return "no"
        if tag.is_closing:
            return "yes" if tag.name.lower() == self._call else "no"
        name = self._parameter(tag)
        is_known = self._isknown_parameters(name, current)
        is_new = name != current and name not in self._values
        if code:
            return "yes" if is_known and is_new else "no"
        is_meant = tag.name.lower() == self._call or plain_name(tag.name) in GENERIC
        return "yes" if is_known or is_meant or not is_new else "maybe"

    def _isknown_parameters(self, name: str, current: str) -> bool:
        """Whether a name is one of the tool's, or another usual one for what is not given yet."""
        if name in self._known or not self._known:
            return True
        meant = meant_parameters({*self._values, current}, self._known)
        likely = likely_parameters(name, self._known)
        return any(each not in meant.values() for each in likely)

    def _parameter(self, tag: Tag) -> str:
        """The name of the parameter that the tag opens, as the tool spells it."""
        name = tag.name
        if plain_name(name) in GENERIC and name not in self._known:
            name = tag.attributes.get("name") or name
        if name in self._known:
            return name
        by_lower = {known.lower(): known for known in self._known}
        return by_lower.get(name.lower(), name)
