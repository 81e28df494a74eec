"""Replies that repeat themselves without an end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.repetition import repetition, runs_on, said_once
from ipuaro_jupyter.agent.reply import Reply, read_reply
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import Noticed
from ipuaro_jupyter.tools import load_tools

BEGINNING = "The login is checked in `src/auth/login.ts`.\n\n"
UNIT = "The question is asking where the function is defined.\n\n"


@pytest.mark.parametrize("part", ["", UNIT[:17]])
def test_what_ends_in_the_same_words_again_and_again_is_found(part):
    text = BEGINNING + UNIT * 30 + part
    found = repetition(text)
    assert (found.start, found.length) == (len(BEGINNING) - 3, len(UNIT))  # where the full stop is
    assert said_once(text) == (BEGINNING + UNIT).rstrip()


@pytest.mark.parametrize("unit", ["```\n", "``` ```", "microservices-based, ", "no", "\n```ts\n"])
def test_a_word_and_a_fence_without_an_end_are_found(unit):
    assert repetition(BEGINNING + unit * 50) is None
    assert said_once(BEGINNING + unit * 1000).startswith(BEGINNING.rstrip())
    assert len(said_once(BEGINNING + unit * 1000)) <= len(BEGINNING + 2 * unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        BEGINNING,
        BEGINNING + UNIT * 5,
        UNIT * 30 + BEGINNING,
        "-" * 5000,
        "| --- | --- |\n" * 400,
        "0, 0, 0, 0, 255, 255, 255, 0,\n" * 100,
        "".join(f"The file number {number} has no test of its own.\n" for number in range(300)),
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert repetition(text) is None
    assert said_once(text) == text


@given(st.text(max_size=200), st.text(min_size=1, max_size=80), st.integers(1, 60))
def test_what_is_left_out_is_only_what_was_said_before(beginning, unit, count):
    text = beginning + unit * count
    found = repetition(text)
    once = said_once(text)
    assert text.startswith(once)
    if found is not None:
        copy = text[found.start : found.start + found.length]
        repeated = copy * (len(text) // found.length + 1)
        assert text[found.start :] == repeated[: len(text) - found.start]


def chunks(*texts, endless):
    """The texts, then the last one for ever."""
    yield from (Chunk(text=text) for text in texts)
    while True:
        yield Chunk(**endless)


@pytest.mark.parametrize(
    ("endless", "said"),
    [
        ({"text": UNIT}, (BEGINNING + UNIT).rstrip()),
        ({"thinking": UNIT}, BEGINNING.rstrip()),
    ],
)
def test_an_endless_reply_is_stopped(endless, said):
    reply = Reply()
    source = chunks(BEGINNING, endless=endless)
    events = list(read_reply(source, reply, schemas=(), aliases={}))
    assert reply.text == said
    assert [event for event in events if isinstance(event, Noticed)] == [
        Noticed(text="The model said the same again and again; it was stopped.")
    ]
    assert next(source, None) is None


def test_endless_thinking_in_tags_is_stopped():
    reply = Reply()
    list(read_reply(chunks("<think>", endless={"text": UNIT}), reply, schemas=(), aliases={}))
    assert not reply.text
    assert reply.thought


def test_the_content_of_a_call_may_repeat_itself():
    content = UNIT * 100
    call = (
        f'<tool_call name="create_file"><path>a.txt</path><content>{content}</content></tool_call>'
    )
    reply = Reply()
    schemas = [tool.schema for tool in load_tools()]
    parts = (Chunk(text=call[start : start + 50]) for start in range(0, len(call), 50))
    list(read_reply(parts, reply, schemas=schemas, aliases={}))
    (made,) = reply.calls
    assert made.arguments["content"].strip() == content.strip()


@pytest.mark.parametrize("unit", ["7", "1234567890", "\\n", " ", UNIT, UNIT * 5])
def test_a_call_that_goes_on_without_an_end_is_found(unit):
    begun = '{"name": "run_tests", "arguments": {"filter": "'
    most = 240 if len(unit) <= 40 else 2_000
    assert runs_on(begun + unit * (1 + 2 * most // len(unit)))
    assert not runs_on(begun + (unit * most)[: most // 2])


@pytest.mark.parametrize(
    "text",
    ["", "-" * 120, "".join(f"line {n}\\n" for n in range(2_000)), UNIT * 20, "0, 1, " * 30],
)
def test_a_call_that_is_meant_is_left_alone(text):
    assert not runs_on('{"name": "create_file", "arguments": {"content": "' + text)
