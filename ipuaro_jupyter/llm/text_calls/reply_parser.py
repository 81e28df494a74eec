"""Tool calls in a model's text: taken out as the text streams, and written."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ipuaro_jupyter.llm.text_calls.names import Names, properties, required
from ipuaro_jupyter.llm.text_calls.pieces import Piece
from ipuaro_jupyter.llm.text_calls.scanner import Scanner
from ipuaro_jupyter.llm.text_calls.tags import CALL
from ipuaro_jupyter.llm.text_calls.values import (
    CDATA_CLOSE,
    CDATA_OPEN,
    VERBATIM,
    plain_text,
    typed,
)
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall, ToolSchema

__all__ = ["Piece", "StreamParser", "format_call", "meant_call", "parse_reply"]


def parse_reply(
    text: str,
    schemas: Sequence[ToolSchema],
    *,
    aliases: Mapping[str, str],
    unknown_calls: bool = False,
) -> ParsedReply:
    """Take a model's text apart; for the arguments see `StreamParser`."""
    parser = StreamParser(schemas, aliases=aliases, unknown_calls=unknown_calls)
    parser.feed(text)
    parser.finish()
    return parser.reply


class StreamParser:
    """Takes a model's text apart while it streams.

    JSON calls count only when the reply holds no call in tags, so they come from `finish`.

    Args:
        schemas: The tools that may be called.
        aliases: Lower-case misnaming -> name of a read-only tool. An alias applies to calls whose
            parameters that tool has, and a tool of that very name comes first if it has them too.
        unknown_calls: What becomes of a call in tags of a tool that does not exist: a call with
            its arguments as text, which the caller has to answer, or (False) an error.
        ids: What the ids of the calls begin with, their number follows; None gives them none.
    """

    def __init__(
        self,
        schemas: Sequence[ToolSchema],
        *,
        aliases: Mapping[str, str],
        unknown_calls: bool = False,
        ids: str | None = None,
    ) -> None:
        self._scanner = Scanner(Names(schemas, aliases), unknown_calls=unknown_calls, ids=ids)

    @property
    def reply(self) -> ParsedReply:
        """All that was found; complete once `finish` has been called.

        It differs from the pieces in one case: some models close a thinking block that their
        prompt has opened. What came before that is thinking, and in no part of the reply, calls
        included.
        """
        return self._scanner.reply

    def feed(self, text: str) -> list[Piece]:
        """Return what the next part of the text completes, in order."""
        return self._scanner.feed(text)

    def finish(self, *, has_calls: bool = False) -> list[Piece]:
        """Return what was kept back; the text ends here.

        ``has_calls``: the reply has calls that are not in its text, so that JSON in it is text.
        """
        return self._scanner.finish(takes_json=not has_calls)


def meant_call(
    call: ToolCall, schemas: Sequence[ToolSchema], *, aliases: Mapping[str, str]
) -> ToolCall:
    """Return a model's native call under the name of the tool that it means, if there is one."""
    schema = Names(schemas, aliases).choose(call.name, call.arguments)
    return call if schema is None else call.model_copy(update={"name": schema.name})


def format_call(call: ToolCall, schema: ToolSchema) -> str:
    """Return the call as text from which `parse_reply` reads the same call.

    Arguments that are None are left out, as they say nothing else.
    """
    lines = [f'<{CALL} name="{call.name}">']
    for name, value in call.arguments.items():
        if value is None:
            continue
        tag, opening = (name, f"<{name}>") if _is_plain(name) else ("param", _named(name))
        lines.append(f"{opening}{_format_value(name, value, schema, tag)}</{tag}>")
    return "\n".join([*lines, f"</{CALL}>"])


def _format_value(name: str, value: Any, schema: ToolSchema, tag: str) -> str:
    """Return the value as it stands between its tags: bare if that reads well, else as CDATA."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    bare = f"\n{text}" if name in VERBATIM and "\n" in text else text
    hostile = (f"</{tag}", f"<{CALL}", f"</{CALL}", CDATA_OPEN[:3])
    entry = properties(schema).get(name, {})
    read = typed(plain_text(name, bare), entry, optional=name not in required(schema))
    if type(read) is type(value) and read == value and not any(h in bare.lower() for h in hostile):
        return bare
    return CDATA_OPEN + text.replace(CDATA_CLOSE, f"]]{CDATA_CLOSE}{CDATA_OPEN}>") + CDATA_CLOSE


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isidentifier() and name.lower() != CALL


def _named(name: str) -> str:
    quote = "'" if '"' in name else '"'
    return f"<param name={quote}{name}{quote}>"
