"""Calls as Python."""

import pytest

LINES = ("get_lines", {"path": "a.ts"})


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('get_lines(path="a.ts", start=2)', {"path": "a.ts", "start": 2}),
        ("get_lines('a.ts', 2, end=4)", {"path": "a.ts", "start": 2, "end": 4}),
        ('get_lines({"path": "a.ts"})', {"path": "a.ts"}),
        ('get_lines(**{"path": "a.ts"})', {"path": "a.ts"}),
        ('functions.get_lines(path="a.ts")', {"path": "a.ts"}),
        ('getLines(path = "a.ts",)', {"path": "a.ts"}),
        ('  print(default_api.get_lines(path="a.ts"))  ', {"path": "a.ts"}),
        ('get_lines(\n  path="a.ts",  # this (one\n  start=-1,\n)', {"path": "a.ts", "start": -1}),
        ("get_lines(path='it\\'s \\\\ \"x\".ts')", {"path": 'it\'s \\ "x".ts'}),
    ],
)
def test_arguments_are_literals_by_name_or_in_the_order_of_the_schema(read, text, arguments):
    assert read(text) == ([("get_lines", arguments)], [], "")
    assert read(f"I look:\n```python\n{text}\n```\n")[0] == [("get_lines", arguments)]


def test_texts_keep_their_lines(calls):
    content = "a(\n  'b' # c\n)"
    for quote in ('"""', '"'):
        text = f"create_file(path='a', content={quote}{content}{quote})"
        assert calls(text) == [("create_file", {"path": "a", "content": content})]
    text = 'search(query="a", options={"deep": [true, None, 1.5]})'
    assert calls(text) == [("search", {"query": "a", "options": {"deep": [True, None, 1.5]}})]


@pytest.mark.parametrize(
    "text",
    [
        'Use `get_lines(path="a.ts")` to look.',
        'You can call get_lines(path="a.ts") for that.',
        'get_lines(path="a.ts") reads the lines of a file.',
        'It is read so:\nget_lines(path="a.ts")\nand so on.',
        "`get_lines(path)`",
        "get_lines(path)\n\nreads lines.",
        'other(path="a.ts")',
        'get_linesx(path="a.ts")',
        '```python\nimport os\nget_lines(path="a.ts")\n```',
        "```python\nfor p in x:\n    get_lines(path=p)\n```",
        '```ts\nconst a = get_lines("a.ts")\n```',
        '```python\nget_lines(path="a.ts")\nos.remove("a")\n```',
        "git_status is a tool. git_status() calls it.",
        "print(1)",
        "[1, 2] and [get_lines]",
    ],
)
def test_what_is_spoken_of_or_more_than_calls_is_text(read, text):
    assert read(text) == ([], [], text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("get_lines(path=name)", "no plain values"),
        ('get_lines("a" + "b")', "no plain values"),
        ('get_lines("a", 1, 2, 3)', "no plain values"),
        ('get_lines(path="a.t', "cut off"),
        ("```tool_code\nimport os\n```", "calls of tools alone"),
    ],
)
def test_what_cannot_be_run_is_told(read, text, said):
    found, errors, _ = read(text)
    assert found == []
    assert len(errors) == 1
    assert said in errors[0]


@pytest.mark.parametrize("code", ["(" * 5000, "-" * 100_000 + "1", "a." * 50_000 + "b", "[" * 300])
def test_deep_code_is_no_call(read, code):
    text = f"get_lines({code})"
    assert read(text)[0] == []
    assert read(f"```tool_code\n{text}\n```")[0] == []
