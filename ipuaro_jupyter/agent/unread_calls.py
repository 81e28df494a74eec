"""Replies that are no answer: calls in no form that is read, results, apologies."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema

_ITEM = re.compile(r"^[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*", re.MULTILINE)
_CALL_LINE = re.compile(r"(?:\w{1,40}\.){0,3}\w{1,80}\(.*\)")
_FENCED = re.compile(r"```[\w+\-]{0,30}[ \t]*\n([^`]*)```")
_BEFORE = " \t-*\u2022$>@\u2192/[`"
_ANNOUNCED = re.compile(
    r"(?i:(?:i will|i'll|let me|now) (?:now )?(?:call|use|run)|calling|using|running"
    r"|(?:tool|function)[ _]call:)(?i: the)?(?i: tool| function)?[:\s`*]+"
)
_WRAPPED = re.compile(r"(?:(?:const |let |var )?\w{1,40}\s{0,3}=\s{0,3})?(?:await\s+)?(?:print\()?")
_COMMAND = re.compile(
    r"""(?:\w{1,40}\.){0,3}(\w{1,80})[*:=`\]]{0,3}[ \t]*"""
    r"""((?:["'\[{(]|[\w.\-]*/|[\w.\-/]+\.\w|\w+=|--?\w|with[ ]+(?:\w+[ =:]*)?["'`{]).*)"""
)
_ELEMENT = re.compile(r"<([a-z]+(?:_[a-z]+)*)>\s*<[a-z]")
_NAMED = re.compile(r"<(?:action|tool|tool_name|function|name)>\s*(\w{1,80})\s*</")
_LISTED = re.compile(r'<tools>\s*\{\s*"(?:name|tool|function)"\s*:\s*"(\w{1,80})".*', re.DOTALL)
_RESULT = re.compile(
    r"<((?:tool|function)_(?:response|result|output)s?)>.*?(?:</\1>|\Z)", re.DOTALL
)
_APOLOGY = re.compile(
    r"(?:(?:(?:i['\u2019]?m |i am )?(?:very |so )?sorry|i apologi[sz]e),? (?:but )?"
    r"|as an ai(?: \w+){0,3},? )?"
    r"i (?:can['\u2019]?t|can ?not|am (?:unable|not able) to|['\u2019]m unable to) "
    r"(?:access|answer|assist|comply|help|provide)(?: \w+){0,12}[.!]?"
    r"(?: (?:please|if you|how else|is there)[^.?!]{1,120}[.?!])?",
    re.IGNORECASE,
)
_VERBS = frozenset({"apply", "ask", "attempt", "call", "execute", "function", "invoke", "list"})
_TOOL_WORDS = frozenset({"tool", "tools", "function", "call", "invoke"})
_NAME_KEYS = frozenset(
    {"name", "tool", "tool_name", "toolname", "function", "function_name", "action", "command"}
    | {"recipient_name", "method", "call"}
)
_DESCRIBED = frozenset({"description", "version"})
_YAML_LINE = re.compile(r"(?:[ \t]*(?:- )?[\w.]{1,80}:(?:[ \t].*)?|[ \t]+.*|- .*|)")
_LONGEST_LINE = 1000
_LONGEST_DATA = 20_000
_DEEPEST = 5
_TOLD = (
    "Your reply looks like a call of {name}, but no call could be read in it: nothing was run. "
    'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>, with one of the '
    "tools that there are. If it only explains a call, say so in a sentence behind it."
)


_INVENTED = (
    "Your reply is the result of a tool, and only tools write those: call the tool, or answer in "
    "words."
)
_REFUSED = (
    "Your reply refuses without an attempt. Look into the project with the tools, then answer, or "
    "say what is missing."
)


def no_answer(text: str) -> str:
    """What to tell the model when its reply is only a tool's result or an apology; else ""."""
    whole = text.strip()
    if whole and not _RESULT.sub("", whole).strip():
        return _INVENTED
    return _REFUSED if is_apology(whole) else ""


def is_apology(reply: str) -> bool:
    """Whether a reply says that it cannot help, and nothing about the code."""
    return _APOLOGY.fullmatch(reply) is not None


def unread_call(text: str, schemas: Sequence[ToolSchema], aliases: Mapping[str, str]) -> str:
    """What to tell the model when its reply ends in a call, or is nothing but one; else "".

    A call in Python on the last line; or as the whole reply: calls in a list or a quote, a tool's
    name with what looks like arguments, data that names a tool, an element as of a tool. In
    sentences they are explained.

    Args:
        text: The text of a reply without calls.
        schemas: The tools.
        aliases: Their other names.
    """
    whole = text.strip()
    names = {schema.name for schema in schemas}
    bare = _ITEM.sub("", whole)
    listed = parse_reply(bare, schemas, aliases=aliases) if bare != whole else None
    if listed and listed.calls and not listed.text:
        return _TOLD.format(name=listed.calls[0].name)
    if name := _whole_call(whole, names, {*names, *aliases}):
        return _TOLD.format(name=name)
    line = whole[whole.rfind("\n") + 1 :]
    last = line.strip()
    is_code = whole.count("```") % 2 == 1 or line.startswith(("    ", "\t"))
    if len(last) > _LONGEST_LINE or is_code or not _CALL_LINE.fullmatch(last):
        return ""
    calls = parse_reply(last, schemas, aliases=aliases).calls
    return _TOLD.format(name=calls[0].name) if calls else ""


def _whole_call(whole: str, names: Collection[str], known: Collection[str]) -> str:
    """The tool that a reply calls which consists of that; "" for other replies."""
    if listed := _LISTED.fullmatch(whole):
        return listed[1]
    if name := _element(whole, known):
        return name
    fenced = _FENCED.fullmatch(whole)
    body = fenced[1].strip() if fenced else whole
    if body[:1] in {"{", "["} and (name := _named_in_json(body, known)):
        return name
    lines = [line for line in body.splitlines() if line.strip()]
    if name := _named_in_yaml(lines, known):
        return name
    if not lines or (len(lines) > 1 and not fenced):
        return ""
    called = [_command(line, names, known) for line in lines]
    return called[0] if all(called) else ""


def _element(whole: str, known: Collection[str]) -> str:
    """The tool whose element the reply is, or that its elements name."""
    if not (whole.startswith("<") and whole.endswith(">")):
        return ""
    named = _NAMED.match(whole)
    if named and named[1] in known:
        return named[1]
    element = _ELEMENT.match(whole)
    if not element or not whole.endswith(f"</{element[1]}>"):
        return ""
    words = element[1].split("_")
    verbs = _VERBS.union(name.split("_")[0] for name in known if "_" in name)
    is_tool = element[1] in known or (len(words) > 1 and words[0] in verbs)
    return element[1] if is_tool or _TOOL_WORDS.intersection(words) else ""


def _command(line: str, names: Collection[str], known: Collection[str]) -> str:
    """The tool whose name the line holds with something like arguments, and nothing else."""
    bare = line.strip().strip("`*").lstrip(_BEFORE)
    bare = _ANNOUNCED.sub("", bare, count=1) if _ANNOUNCED.match(bare) else bare
    bare = bare[_WRAPPED.match(bare).end() :].lstrip(_BEFORE)  # type: ignore[union-attr] # may be empty
    command = _COMMAND.fullmatch(bare)
    if command is None:
        return ""
    name, given = command[1], command[2].rstrip(" ;.`")
    if given.startswith("(") and not given.endswith(")"):
        return ""
    is_called = bare[command.end(1) :].lstrip()[:1] == "{" or bare[command.end(1)] == "("
    return name if ("_" in name and name in known) or (is_called and name in names) else ""


def _named_in_json(body: str, known: Collection[str]) -> str:
    if len(body) > _LONGEST_DATA:
        return ""
    try:
        return next(_names(json.loads(body), known, 0), "")
    except (ValueError, RecursionError):
        return ""


def _names(value: object, known: Collection[str], depth: int) -> Iterator[str]:
    """The tools that data names as a tool, or as the one key of an object."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for inner in value:
            yield from _names(inner, known, depth + 1)
    if not isinstance(value, dict) or _DESCRIBED.intersection(value):
        return
    if len(value) == 1 and (key := next(iter(value))) in known:
        yield key
    for key, inner in value.items():
        last = inner.rsplit(".", 1)[-1] if isinstance(inner, str) else ""
        if key.lower() in _NAME_KEYS and last in known:
            yield last
        yield from _names(inner, known, depth + 1)


def _named_in_yaml(lines: Sequence[str], known: Collection[str]) -> str:
    """The tool that the first of several lines of YAML names."""
    if len(lines) < 2 or not all(_YAML_LINE.fullmatch(line) for line in lines):  # noqa: PLR2004
        return ""
    key, _, value = lines[0].removeprefix("- ").partition(":")
    name = value.strip().strip("\"'")
    if key.strip().lower() in _NAME_KEYS and name in known:
        return name
    return key if key in known and not name and lines[1].startswith(" ") else ""
