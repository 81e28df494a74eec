"""Code fences and code in a line."""

import pytest

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


def test_tags_that_are_spoken_of_are_text(read):
    text = 'Write `<tool_call name="x">`, end with `</tool_call>`; `<think>` and "</think>" too.'
    assert read(text) == ([], [], text)


def test_a_call_in_a_fence_is_a_call_and_its_fence_goes(read):
    text = f"First:\n```xml\n{LINES}\n```\nThen:\n```\n{LINES}{LINES}```\n"
    found, errors, rest = read(text)
    assert (len(found), errors) == (3, [])
    assert rest.split() == ["First:", "Then:"]


def test_a_fence_with_more_than_calls_stays(read):
    text = f"```ts\nconst a = 1\n{LINES}\n```\n```\n```"
    assert read(text) == (
        [("get_lines", {"path": "a.ts"})],
        [],
        "```ts\nconst a = 1\n\n```\n```\n```",
    )


@pytest.mark.parametrize(
    "call", [LINES, '{"name": "get_lines", "arguments": {"path": "a.ts"}}', "[TOOL_CALLS]x[ARGS]{}"]
)
def test_a_call_in_the_code_of_a_sentence_is_spoken_of(read, call):
    text = f"Write `{call}` to look."
    assert read(text) == ([], [], text)


@pytest.mark.parametrize("ticks", ["`", "``", "```"])
@pytest.mark.parametrize(
    "call",
    [
        LINES,
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}',
        '<tool_call name="get_lines">\n<path>a.ts</path>\n</tool_call>',
    ],
)
def test_a_call_alone_in_backticks_is_a_call_and_they_go(read, ticks, call):
    found, errors, rest = read(f"I look.\n{ticks}{call}{ticks}\nSo.")
    assert (found, errors) == ([("get_lines", {"path": "a.ts"})], [])
    assert rest.split() == ["I", "look.", "So."]


def test_a_backtick_alone_hides_nothing(read):
    found, errors, rest = read(f"Don`t\n{LINES} and `a.ts`{LINES} and `{LINES}")
    assert (len(found), errors, rest) == (3, [], "Don`t\n and `a.ts` and `")


@pytest.mark.parametrize(
    "text",
    [
        "`a",
        "``",
        "`<b>` `{x}` `[1]`",
        "`\n`",
        "``a`b``",
        "```\n`\n```",
        "~~~\n{}\n~~~",
        "`` `<a>` ``",
        "Use ``<think> `a` </think>`` so.",
    ],
)
def test_code_without_calls_stays(read, text):
    assert read(text) == ([], [], text)


@pytest.mark.parametrize("before", ["<think>hm</think>", "hm</think>", "[THINK]hm[/THINK] "])
def test_a_fence_may_begin_right_after_thinking(read, before):
    call = '{"name": "get_lines", "arguments": {"path": "a.ts"}}'
    for inner in (call, LINES):
        text = f"{before}```json\n{inner}\n```"
        assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "")
