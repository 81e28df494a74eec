"""Calls in tags, with a tag for each parameter or with JSON: our prompt's form, and others'."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from ipuaro_jupyter.llm import reply_marks as words
from ipuaro_jupyter.llm.text_calls.announced import name_at, read_announced
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import (
    begins_call,
    json_calls,
    json_end,
    read_objects,
    strays_end,
)
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import read_python
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block, result_at
from ipuaro_jupyter.llm.text_calls.tool_names import (
    WRITE_IT,
    ToolNames,
    plain_text,
    signature,
)
from ipuaro_jupyter.records.parameter_names import likely_parameters, meant_parameters

CALL = "tool_call"
_OPENING, _CLOSING = f"<{CALL}", f"</{CALL}>"
CDATA_OPEN, CDATA_CLOSE = "<![CDATA[", "]]>"
_SEPARATOR = "<tool_sep>"
_EXCERPT = 40
_MOST_PARAMETERS = 200
_NAMELESS = f"it has no name. {WRITE_IT}"

_LONGEST_TAG = 2000
_BLANK = f"[{BLANKS}]"
_NAME = r"[\w\-.:$\uff5c]+"
_NAMESPACE = re.compile(r"^(?:[\w.\-]+:|\uff5c\w+\uff5c)")
_VALUE = rf"""(?:"[^"<]*"|'[^'<]*'|(?!["'])(?:(?!/>)[^{BLANKS}<>])+)"""
_WORD = re.compile(rf"/?(?:{_NAME})?")
_ATTRIBUTE = re.compile(rf"{_BLANK}+({_NAME})(?:{_BLANK}*={_BLANK}*({_VALUE}))?")
_TAG = re.compile(
    rf"<(/?)({_NAME})(?:=({_VALUE}))?((?>{_BLANK}+{_NAME}(?:{_BLANK}*={_BLANK}*{_VALUE})?)*)"
    rf"{_BLANK}*(/?)>"
)
_UP_TO_END = re.compile(
    rf"""(?>[^<>=]+|={_BLANK}*(?:"[^"<]*(?:"|(?=<)|\Z)|'[^'<]*(?:'|(?=<)|\Z))?)*"""
)
"""A tag up to its ``>``, to a ``<`` in it, or to the text's end; quotes hold a ``>``."""


class _Malformed(Exception):  # noqa: N818 - becomes a sentence for the model
    """The call cannot be read; the message says why. ``end`` is where reading may go on."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end


@dataclass(frozen=True, slots=True)
class _Tag:
    """``<name key="value">``; ``end`` is after its ``>``.

    The value of ``<name=value>`` is that of the attribute "name", and makes it ``is_assigned``.
    """

    name: str
    end: int
    attributes: dict[str, str]
    is_closing: bool
    is_empty: bool
    is_assigned: bool


def _read_tag(reply: ReplyText, at: int) -> _Tag | None:
    """The tag at ``at`` (a ``<``); None when there is none, or it is too long for one.

    Quoted attribute values hold no ``<``, so that a forgotten quote stays in its tag.
    """
    end = reply.run(_UP_TO_END, at + 1)
    reply.sure_char(end)
    match = _TAG.fullmatch(reply.text, at, end + 1)
    if match is None or end - at > _LONGEST_TAG:
        return None
    closing, name, assigned, written, empty = match.groups()
    attributes = {} if assigned is None else {"name": _unquoted(assigned)}
    for key, value in _ATTRIBUTE.findall(written):
        attributes.setdefault(key.lower(), _unquoted(value))
    return _Tag(name, end + 1, attributes, bool(closing), bool(empty), assigned is not None)


def _plain_name(name: str) -> str:
    """The name of a tag in lower case, without a namespace."""
    return _NAMESPACE.sub("", name).lower()


def _tag_word(reply: ReplyText, at: int) -> str:
    """The name in the tag that opens at ``at``, in lower case, with the slash of a closing tag.

    "" when no tag opens there, or what follows cannot follow a tag's name.
    """
    if reply.char(at) != "<":
        return ""
    end = reply.run(_WORD, at + 1)
    word, following = reply.text[at + 1 : end].lower(), reply.char(end)
    ends = BLANKS + ">/" if word.startswith("/") else BLANKS + ">/="
    return word if following != "" and following in ends else ""


def _parse_ours(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if _OPENING.startswith(reply.text[mark.start : mark.start + len(_OPENING) + 1].lower()):
        reply.calling = ""
        raise CutOff  # the text ends in the name or after it
    if mark.text == _CLOSING:
        return ParsedForm(mark.end)  # it closes nothing
    return _parse_call(reply, mark, tools) if mark.text == _OPENING else None


def _parse_call(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse the call whose tag is at the mark; None when it is only spoken of."""
    call = mark.text[1:]
    if _tag_word(reply, mark.start) != call:
        return None
    reply.calling = ""
    tag = _read_tag(reply, mark.start)
    if tag is None:
        end = _call_end(reply, mark.end, call)
        return ParsedForm(end, (f"The tag of a call cannot be read. {WRITE_IT}",))
    reply.calling = name = tag.attributes.get("name") or tag.attributes.get("tool") or ""
    if reply.is_mention(mark.start, tag.end):
        return None
    is_call = call == CALL or _is_foreign_call(reply, tag, tools)
    return _Body(reply, tools, name=name, call=call).parse(tag) if is_call else None


def _parse_wrapper(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse the tag with the first call in it; None when it stands around something else."""
    is_tag = _tag_word(reply, mark.start) == mark.text[1:]
    tag = _read_tag(reply, mark.start) if is_tag else None
    if tag is None:
        return None
    if tools.candidates(tag.attributes.get("name", "")):
        return _parse_call(reply, mark, tools)
    body = reply.after_blanks(tag.end)
    letter = reply.char(body)
    if letter in {"{", "["} and begins_call(reply, body, tools):
        parsed = read_objects(reply, body, lambda text: json_calls(text, tools, is_marked=False))
        return parsed if parsed.outcomes else None
    if letter != "<":
        read = read_python(reply, body, tools)
        return read if read is not None and ends_block(reply, read.end) else None
    word = _tag_word(reply, body)
    is_call = _plain_name(word) in words.CALLS
    return _parse_call(reply, Mark(f"<{word}", body), tools) if is_call else None


def _parse_tool(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse a tag for all tools, or one per tool, as ``<TOOL><path>a.ts</path></TOOL>``.

    The parameters are tags, attributes, or an object in JSON. None when it holds something else.
    """
    name = mark.text[1:]
    if _tag_word(reply, mark.start) != name:
        return None
    try:
        if name in words.TOOLS:
            return _parse_call(reply, mark, tools)
        tag = _read_tag(reply, mark.start)
        if tag is None or reply.is_mention(mark.start, tag.end):
            return None
        end = tag.end if tag.is_empty else _closing_end(reply, tag.end, name)
        if end >= 0 or tag.attributes:
            needed = {key for schema in tools.candidates(name)[:1] for key in schema.required}
            takes = needed <= set(tag.attributes) <= set(tools.parameters(name))
            outcome = tools.call(name, tag.attributes, bare=tag.attributes)
            return ParsedForm(end, (outcome,)) if end >= 0 and takes else None
        body = reply.after_blanks(tag.end)
        is_call = reply.char(body) == "{" or _is_parameter(_tag_word(reply, body), name, tools)
        return _Body(reply, tools, name=name, call=name).parse(tag) if is_call else None
    except CutOff:
        reply.calling = reply.calling or None
        raise


def _is_foreign_call(reply: ReplyText, tag: _Tag, tools: ToolNames) -> bool:
    """Whether a tag of another form is a call: ``<function name="x">`` may be anything."""
    name = tag.attributes.get("name", "")
    body = reply.after_blanks(tag.end)
    letter = "" if tag.is_empty else reply.char(body)
    word = _tag_word(reply, body).removeprefix("/") if letter == "<" else ""
    if not name and _plain_name(tag.name) not in words.INNER and word in words.NAMING:
        return True
    if not tag.is_assigned and not tools.candidates(name):
        return False
    is_inside = word == tag.name.lower() or _is_parameter(word, name, tools)
    return is_inside if letter == "<" else letter in {"{", "["}


def _is_parameter(word: str, name: str, tools: ToolNames) -> bool:
    return _plain_name(word) in words.GENERIC or (word != "" and tools.takes(name, {word: "1"}))


class _Body:
    """What stands between the tags of a call."""

    def __init__(self, reply: ReplyText, tools: ToolNames, *, name: str, call: str) -> None:
        self._reply = reply
        self._tools = tools
        self._call = call
        self._values: dict[str, str] = {}
        self._bare: set[str] = set()
        self._key = ""
        self._called(name)

    def parse(self, tag: _Tag) -> ParsedForm | None:
        """Parse what stands behind the opening tag; None when that is only spoken of."""
        try:
            return self._read(tag)
        except _Malformed as problem:
            called = f"The call of {self._name}" if self._name else "A <tool_call>"
            return ParsedForm(problem.end, (f"{called} was not run: {problem}",))

    def _called(self, name: str) -> None:
        self._name = self._reply.calling = name
        self._known = set(self._tools.parameters(name))

    def _read(self, tag: _Tag) -> ParsedForm | None:
        reply, name = self._reply, self._name
        if tag.is_empty and not name:
            raise _Malformed(_NAMELESS, tag.end)
        if tag.is_empty:
            return ParsedForm(tag.end, (self._tools.call(name, {}),))
        at = reply.after_blanks(tag.end)
        letter = reply.sure_char(at)
        if name and letter in {"{", "["}:
            end = json_end(reply, at)
            outcomes = json_calls(reply.text[at:end], self._tools, name=name)
            return self._closed(strays_end(reply, end), outcomes)
        return self._read_parameters(tag.end) if name else self._read_nameless(tag, at)

    def _read_nameless(self, tag: _Tag, at: int) -> ParsedForm | None:
        """Read a call whose opening tag does not name its tool.

        Behind it stand a tag with the name, JSON, Python, or the tool's name and then GLM's
        parameters, Hunyuan's object in a fence, or nothing. None for other text.
        """
        reply, tools, word = self._reply, self._tools, _tag_word(self._reply, at)
        if word in words.INNER:
            return ParsedForm(tag.end)  # the call is inside, as Qwen coder writes it
        if word in words.NAMING:
            return self._read_parameters(tag.end)
        if reply.text[at] == "<":
            raise _Malformed(_NAMELESS, _call_end(reply, tag.end, CALL))
        name, end = name_at(reply, at)
        end = reply.after_blanks(end)
        if reply.starts(_SEPARATOR, end):
            end = reply.after_blanks(end + len(_SEPARATOR))
        is_empty = tools.candidates(name) and _tag_word(reply, end) == f"/{self._call}"
        if name and (is_empty or reply.starts(f"<{words.KEY}>", end)):
            self._called(name)
            return self._read_parameters(end)
        if announced := read_announced(reply, Mark("", at), tools):
            return self._closed(announced.end, announced.outcomes)
        following = _finder(CALL).search(reply.text, tag.end)
        if following is None and not reply.has_ended:
            raise CutOff
        if following is None or following["opening"]:
            return None
        raise _Malformed(_NAMELESS, following.end())

    def _closed(self, at: int, outcomes: Outcomes) -> ParsedForm:
        """The call, which has to be closed at ``at``; without a name the reply may end there."""
        reply, call = self._reply, self._call
        at = reply.after_blanks(at)
        is_end = not reply.char(at) or reply.starts("<|", at) or result_at(reply, at) >= 0
        if not self._name and is_end:
            return ParsedForm(at, outcomes)  # all is there but the closing tag
        end = _closing_end(reply, at, call)
        if end < 0:
            reply.sure_char(at)
            end = at if _tag_word(reply, at) == call else _call_end(reply, at, call)
            raise _Malformed(f"behind what it says no </{call}> follows", end)
        return ParsedForm(end, outcomes)

    def _read_parameters(self, at: int) -> ParsedForm:
        """Read the parameters from ``at`` on, up to the end of the call."""
        while True:
            at, tag = self._next_tag(at)
            is_call = tag is not None and tag.name.lower() == self._call
            if tag is None or (tag.is_closing and not is_call):
                self._refuse(at)
            if is_call and tag.is_closing:
                return ParsedForm(tag.end, self._outcomes())
            if is_call:
                raise _Malformed(f"it has no </{self._call}> before the next call begins", at)
            at = self._read_value(tag)

    def _outcomes(self) -> Outcomes:
        """What is called with the parameters that were read.

        The name may have a tag of its own; then the arguments may, too, as JSON.
        """
        name, tools, values = self._name, self._tools, self._values
        if not name:
            name = values.pop(next(key for key in values if key.lower() in words.NAMING)).strip()
            arguments = next((key for key in values if key.lower() in words.ARGUMENT_KEYS), "")
            if arguments and arguments not in tools.parameters(name):
                return json_calls(values[arguments].strip() or "{}", tools, name=name)
        return (tools.call(name, values, bare=self._bare),)

    def _next_tag(self, at: int) -> tuple[int, _Tag | None]:
        """The place behind the blanks at ``at``, and the tag that stands there, if one does."""
        at = self._reply.after_blanks(at)
        return at, _read_tag(self._reply, at) if self._reply.sure_char(at) == "<" else None

    def _refuse(self, at: int) -> NoReturn:
        end = _call_end(self._reply, at, self._call)
        rest = self._reply.text[at : self._reply.text.rfind("<", at, end)]
        excerpt = rest.strip(BLANKS).split("\n")[0][:_EXCERPT]
        signatures = [signature(schema) for schema in self._tools.candidates(self._name)]
        form = f"The tool is {' or '.join(signatures)}. {WRITE_IT}" if signatures else WRITE_IT
        raise _Malformed(f"{excerpt!r} stands where a parameter was expected. {form}", end)

    def _read_value(self, tag: _Tag) -> int:
        """Read the value of the parameter that the tag opens, and return where that ends."""
        reply, name = self._reply, self._parameter(tag)
        problem = f"the parameter {name!r} is given twice" if name in self._values else ""
        if not problem and len(self._values) == _MOST_PARAMETERS:
            problem = f"it has more than {_MOST_PARAMETERS} parameters"
        if problem:
            raise _Malformed(problem, _call_end(reply, tag.end, self._call))
        if tag.is_empty:
            self._values[name] = ""
            return tag.end
        begin = reply.after_blanks(tag.end)
        if reply.starts(CDATA_OPEN, begin):
            self._values[name], end = self._cdata(begin, tag.name, name)
            return end
        stop, end = self._value_end(tag, name)
        raw = reply.text[tag.end : stop]
        if tag.name == words.KEY:
            self._key = raw.strip()
            return end
        if tag.is_assigned and raw.startswith("\n"):
            raw = raw.removesuffix("\n")  # these models put a line break on both sides
        self._values[name] = plain_text(name, raw)
        self._bare.add(name)
        return end

    def _value_end(self, tag: _Tag, name: str) -> tuple[int, int]:
        """Where the value of a parameter ends, and where its closing tag does.

        A closing tag after which only "maybe" something of the call follows counts when no other
        does. Code may hold a ``</tool_call>`` that closes nothing.
        """
        call, code = self._call, name.lower() in words.VERBATIM
        depth, likely = 0, None
        for found in _finder(call, tag.name).finditer(self._reply.text, tag.end):
            is_call = (found["opening"] or found["closing"]).lower() == call
            if is_call and found["opening"]:
                depth += _opens_call(self._reply, found.start())
            elif is_call and depth == 0 and not code:
                if likely is not None:
                    return likely
                raise _Malformed(f"the parameter {tag.name!r} has no closing tag", found.end())
            elif is_call:
                depth = max(0, depth - 1)
            elif depth == 0 and found["closing"]:
                verdict = self._follows(found.end(), name)
                if verdict == "yes":
                    return found.span()
                likely = likely or (found.span() if verdict == "maybe" else None)
        raise CutOff

    def _cdata(self, start: int, tag: str, name: str) -> tuple[str, int]:
        """The value of CDATA sections from ``start`` on, and where the closing tag ends.

        A section ends at a ``]]>`` after which another section or the parameter's closing tag
        stands: ``a[b[0]]>1`` is code.
        """
        value, at = "", start + len(CDATA_OPEN)
        for found in _cdata_ends(tag).finditer(self._reply.text, at):
            part = self._reply.text[at : found.start()]
            if found[1]:
                value, at = value + part, found.end()
                continue
            if self._follows(found.end(), name) != "no":
                return value + part, found.end()
        raise CutOff

    def _follows(self, at: int, current: str) -> str:
        """Whether, blanks aside, another parameter or the call's end follows at ``at``.

        "yes", "no", or "maybe": a parameter that the tool does not have is a mistake of the
        model's, unless the value is such a text. In code it is code.
        """
        _, tag = self._next_tag(at)
        if tag is None:
            return "no"
        is_call = tag.name.lower() == self._call
        if tag.is_closing:
            return "yes" if is_call else "no"
        name = self._parameter(tag)
        is_known = self._is_known(name, current)
        is_new = name != current and name not in self._values
        if current.lower() in words.VERBATIM:
            return "yes" if is_known and is_new else "no"
        is_meant = is_call or _plain_name(tag.name) in words.GENERIC
        return "yes" if is_known or is_meant or not is_new else "maybe"

    def _is_known(self, name: str, current: str) -> bool:
        """Whether a name is one of the tool's, or another usual one for what is not given yet."""
        if name in {*self._known, words.KEY} or not self._known:
            return True
        meant = meant_parameters({*self._values, current}, self._known)
        likely = likely_parameters(name, self._known)
        return any(each not in meant.values() for each in likely)

    def _parameter(self, tag: _Tag) -> str:
        """The name of the parameter that the tag opens, as the tool spells it."""
        name = self._key if tag.name == words.VALUE_OF_KEY else tag.name
        if _plain_name(name) in words.GENERIC and name not in self._known:
            name = tag.attributes.get("name") or name
        if name in self._known:
            return name
        by_lower = {known.lower(): known for known in self._known}
        return by_lower.get(name.lower(), name)


def _call_end(reply: ReplyText, at: int, call: str) -> int:
    """Where the call that is open at ``at`` ends, calls inside it skipped."""
    depth = 0
    for tag in _finder(call).finditer(reply.text, at):
        if tag["opening"]:
            depth += _opens_call(reply, tag.start())
        elif depth == 0:
            return tag.end()
        else:
            depth -= 1
    raise CutOff


def _closing_end(reply: ReplyText, at: int, call: str) -> int:
    """Where the closing tag at ``at`` ends, blanks aside; -1 when something else stands there."""
    at = reply.after_blanks(at)
    tag = _read_tag(reply, at) if _tag_word(reply, at) == f"/{call}" else None
    return -1 if tag is None else tag.end


@lru_cache(maxsize=100)
def _finder(*names: str) -> re.Pattern[str]:
    """Finds the beginnings of opening tags of these names, and whole closing ones."""
    name = f"(?ai:{'|'.join(map(re.escape, names))})"
    return re.compile(rf"<(?:/(?P<closing>{name}){_BLANK}*>|(?P<opening>{name})(?=[{BLANKS}>/=]))")


@lru_cache(maxsize=100)
def _cdata_ends(tag: str) -> re.Pattern[str]:
    """Finds where CDATA may end: before another section, which is the group, or a closing tag."""
    return re.compile(rf"\]\]>(?:(<!\[CDATA\[)|{_BLANK}*</(?ai:{re.escape(tag)}){_BLANK}*>)")


def _opens_call(reply: ReplyText, at: int) -> bool:
    tag = _read_tag(reply, at)
    return tag is not None and not tag.is_empty and not reply.is_mention(at, tag.end)


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in {'"', "'"} else value


FORMS = (
    Form(marks=("<tool_", _OPENING, _CLOSING), closings=(_CLOSING,), parse=_parse_ours),
    Form(  # Qwen coder, Llama; Claude, MiniMax, DeepSeek
        marks=tuple(f"<{name}" for name in words.INVOKES),
        closings=tuple(f"</{name}>" for name in words.INVOKES),
        parse=_parse_call,
    ),
    Form(
        marks=tuple(f"<{name}" for name in words.WRAPPERS),
        closings=tuple(f"</{name}>" for name in (*words.WRAPPERS, *words.CALLS)),
        parse=_parse_wrapper,
    ),
    Form(  # Cline
        marks=(*(f"<{name}" for name in words.TOOLS), "<{tool}"),
        closings=tuple(f"</{name}>" for name in words.TOOLS),
        parse=_parse_tool,
        is_marked=False,
        needs_end=True,
    ),
)
