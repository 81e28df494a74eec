"""Which tool a model means by a name, and what its arguments mean."""

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ipuaro_jupyter.llm.reply_marks import NOTHING, VERBATIM
from ipuaro_jupyter.llm.text_calls.lenient_json import load_json
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema, chosen
from ipuaro_jupyter.records.given_arguments import is_of_type
from ipuaro_jupyter.text_distance import closest

WRITE_IT = 'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
"""What to tell the model behind a call that cannot be read."""
_LONGEST_NAME = 200
_MARKS_AROUND = "`\"'*<> "
_MARKS_BEHIND = re.compile(r"(?:<\||\[|\(|:\d).*", re.DOTALL)
_ANY_NAMESPACE = re.compile(r".*(?:[./]|::?|__)(?=\w)", re.DOTALL)
_OUR_NAMESPACE = re.compile(
    r"(?:(?:functions?|tools?|default_api|api|assistant|mcp|ipuaro)(?:[./]|::?|__))*", re.IGNORECASE
)
_NO_LETTER = re.compile(r"[\W_]")

_ENTITY = re.compile(
    r"&(?:lt|gt|amp|quot|apos|#0*[1-9][0-9]{0,5}|#[xX]0*[1-9A-Fa-f][0-9A-Fa-f]{0,4});"
)


class ToolNames:
    """The tools that a reply may call, by name and by alias, case ignored.

    Args:
        schemas: The tools.
        aliases: Lower-case misnaming -> tool name. One that names a tool of its own applies only
            to calls whose parameters that tool does not have.
        unknown_calls: Whether calls of other tools are calls, too, instead of errors.

    Attributes:
        unknown_calls: The same.
    """

    def __init__(
        self,
        schemas: Sequence[ToolSchema],
        aliases: Mapping[str, str],
        *,
        unknown_calls: bool = False,
    ) -> None:
        self._schemas = {schema.name.lower(): schema for schema in schemas}
        self._aliases = aliases
        self._plain = {_plain(name): name for name in (*aliases, *self._schemas)}
        self.unknown_calls = unknown_calls

    @cached_property
    def names(self) -> frozenset[str]:
        """The names by which the tools are called, as models spell them."""
        own = [schema.name for schema in self._schemas.values()]
        dashed = [name.replace("_", "-") for name in own]
        camel = [re.sub("_(.)", lambda found: found[1].upper(), name) for name in own]
        return frozenset({*own, *self._aliases, *dashed, *camel})

    def candidates(self, name: str) -> list[ToolSchema]:
        """The tools that the name can mean, the likeliest first.

        A name that no tool has may carry marks that a model, or its server, has put around it.
        Behind a namespace that is none of these only a tool's own name counts.
        """
        if found := self._named(name.strip().lower()):
            return found
        bare = _bare(name)
        last = _ANY_NAMESPACE.sub("", bare)
        known = self._plain.get(_plain(last), "")
        if last == _OUR_NAMESPACE.sub("", bare):
            return self._named(known)
        return [self._schemas[known]] if known in self._schemas else []

    def _named(self, lower: str) -> list[ToolSchema]:
        names = [lower, self._aliases.get(lower, "").lower()]
        return [self._schemas[n] for n in dict.fromkeys(names) if n in self._schemas]

    def choose(self, name: str, given: Mapping[str, Any]) -> ToolSchema | None:
        """The tool that is meant when ``given`` are the call's arguments; None if there is none.

        An alias counts only for a call whose parameters the tool has or understands.
        """
        candidates = self.candidates(name)
        if (schema := chosen(candidates, given)) is not None:
            return schema
        plain = _plain(_ANY_NAMESPACE.sub("", _bare(name)))
        return next((schema for schema in candidates if _plain(schema.name) == plain), None)

    def parameters(self, name: str) -> list[str]:
        """The parameters of the tools that the name can mean, in the order of their schemas."""
        return [key for schema in self.candidates(name) for key in schema.properties]

    def takes(self, name: str, given: Mapping[str, Any]) -> bool:
        """Whether a tool that the name can mean understands these arguments."""
        return any(schema.understands(given) for schema in self.candidates(name))

    def only_argument(self, name: str, text: str) -> dict[str, str] | None:
        """The arguments of a call for which the model gave a text without a name; None for none.

        It is the parameter that the tool needs, and the only one; a sentence names nothing that a
        tool can do without.
        """
        schema = next(iter(self.candidates(name)), None)
        word = text.strip().strip("`\"'")
        if schema is None or (len(schema.required) > 1 and word):
            return None
        if not word or word.lower() in NOTHING or not schema.properties:
            return {}
        if not schema.required and len(word.split()) > 1:
            return {}
        return {next(iter(schema.required or schema.properties)): word}

    def understands(self, outcomes: Iterable[ToolCall | str]) -> bool:
        """Whether all of these are calls with arguments that their tools understand."""
        calls = [outcome for outcome in outcomes if isinstance(outcome, ToolCall)]
        return bool(calls) and all(self.takes(call.name, call.arguments) for call in calls)

    def call(
        self, name: str, given: Mapping[str, Any], *, bare: Collection[str] = ()
    ) -> ToolCall | str:
        """The call that is meant, or the sentence that tells the model which tools there are.

        Texts are typed by the schema where it does not ask for text.

        Args:
            name: The tool's name as the model spells it.
            given: The arguments.
            bare: Those whose text was not protected: "null" leaves out an optional one.
        """
        schema = self.choose(name, given)
        if schema is None:
            call = ToolCall(name=name, arguments=dict(given))
            return call if self.unknown_calls else self._unknown(name)
        left_out = {key for key in bare if given[key].strip() == "null"} - set(schema.required)
        arguments = {
            key: typed(value, schema.properties.get(key, {}))
            for key, value in given.items()
            if key not in left_out & schema.properties.keys()
        }
        return ToolCall(name=schema.name, arguments=arguments)

    def _unknown(self, name: str) -> str:
        names = sorted(schema.name for schema in self._schemas.values())
        near = [schema.name for schema in self.candidates(name)]
        near += [n for n in closest(name, names, cutoff=0.4) if n not in near]
        meant = "; ".join(signature(self._schemas[n.lower()]) for n in near or names)
        return f"There is no tool {name!r}. Use one of: {meant}."


def signature(schema: ToolSchema) -> str:
    """The call as one writes it, optional parameters with a question mark."""
    needed = schema.required
    shown = [name if name in needed else f"{name}?" for name in schema.properties]
    return f"{schema.name}({', '.join(shown)})"


def _bare(name: str) -> str:
    return _MARKS_BEHIND.sub("", name.strip()[:_LONGEST_NAME].strip(_MARKS_AROUND))


def _plain(name: str) -> str:
    """Its letters and digits in lower case: ``getLines`` and ``get-lines`` are "getlines"."""
    return _NO_LETTER.sub("", name).lower()


def plain_text(name: str, raw: str) -> str:
    """The text between a parameter's tags without framing, entities decoded.

    One newline after the opening tag is framing, and then so is the indentation of a closing tag
    on a line of its own. What is not code also loses the blanks around it when it is one line,
    and all blanks before the closing tag when it has more.
    """
    framed = raw.startswith(("\n", "\r\n"))
    raw = raw[2:] if raw.startswith("\r\n") else raw.removeprefix("\n")
    if name.lower() in VERBATIM:
        unindented = raw.rstrip(" \t")
        return unindented if framed and unindented.endswith("\n") else raw
    lines = raw.rstrip(BLANKS)
    return decode_entities(lines if "\n" in lines.lstrip(BLANKS) else lines.lstrip(BLANKS))


def decode_entities(text: str) -> str:
    """The text with XML's five entities and numeric ones decoded, once."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def typed(value: Any, entry: Mapping[str, Any]) -> Any:
    """The value that a text stands for, by a parameter's JSON schema; other values as they are.

    What cannot be read as its type stays text: the tool's own validation knows what to say.
    """
    if not isinstance(value, str) or is_of_type(value, entry):
        return value
    try:
        read = load_json(value.strip())
    except ValueError:
        return value
    return read if read is not None and is_of_type(read, entry) else value
