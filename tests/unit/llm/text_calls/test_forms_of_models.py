"""The forms in which models write calls: a table of them, and what has to come of each."""

import json
import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.agent.reply import Reply, read_reply
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import TextAdded
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)
NAMES = {schema.name for schema in SCHEMAS}
FORMS = tomllib.loads(Path(__file__).with_name("call_forms.toml").read_text("utf-8"))
LINES = ["get_lines", {"path": "a.ts"}]
SIZES = pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 10_000])


def table(*kinds):
    return pytest.mark.parametrize(
        ("text", "calls"),
        [
            pytest.param(form["text"], form.get("calls", [LINES]), id=name)
            for kind in kinds
            for name, form in FORMS[kind].items()
        ],
    )


def read(text, size, native=()):
    """Return calls, errors, the reply's text, and the text that was shown on the way."""
    reply = Reply()
    chunks = [Chunk(text=text[at : at + size]) for at in range(0, len(text), size)]
    chunks += [Chunk(calls=(call,)) for call in native]
    events = list(read_reply(iter(chunks), reply, schemas=SCHEMAS, aliases=TOOLS.aliases, ids="1."))
    shown = "".join(event.text for event in events if isinstance(event, TextAdded))
    return [[call.name, call.arguments] for call in reply.calls], reply.errors, reply.text, shown


@SIZES
@table("marked", "alone")
def test_the_calls_are_understood_and_nothing_of_them_is_text(text, calls, size):
    found, errors, rest, _ = read(text, size)
    assert (found, errors, rest) == (calls, [], "")


@SIZES
@table("marked")
def test_prose_around_them_stays(text, calls, size):
    found, errors, rest, _ = read(f"I look at it.\n\n{text}\n", size)
    assert (found, errors, rest.split()) == (calls, [], ["I", "look", "at", "it."])


@table("marked", "alone")
def test_blanks_and_line_ends_make_no_difference(text, calls):
    for changed in (f"\n\n  {text}  \n\n", text.replace("\n", "\r\n"), f"{text}<|im_end|>"):
        found, errors, rest, _ = read(changed, 3)
        unified = json.loads(json.dumps(found).replace("\\r\\n", "\\n"))
        assert (unified, errors, rest) == (calls, [], "")


@SIZES
@pytest.mark.parametrize(
    "text", [pytest.param(form["text"], id=name) for name, form in FORMS["asked"].items()]
)
def test_what_is_no_answer_is_asked_again(text, size):
    """By an error, or by a call that the tools themselves answer, as there is no such tool."""
    found, errors, rest, _ = read(text, size)
    assert errors or found
    assert not NAMES & {name for name, _ in found}
    assert found == [] or rest == ""


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(form["text"], form.get("calls", [LINES]), id=name)
        for name, form in FORMS["marked"].items()
        if not form.get("is_open")
    ],
)
def test_what_is_broken_off_calls_nothing_else(text, calls):
    """At any letter: fewer calls, each of them one of those."""
    for end in range(len(text)):
        found, _, _, _ = read(text[:end], 10_000)
        assert all(call in calls for call in found), f"broken off after {text[:end]!r}"
