"""What is read from replies: the tables beside, one behaviour each.

Each of its `replies`, in each of the texts `around` it, has the `calls`, the errors that say what
is `told`, and the `text`; without any of these three it is text and stays as it is. A reply in a
list has more behind it, in a string what is told. "%" is the reply, "§" a call in tags; calls are
named alone if they have no arguments, or the path a.ts.
"""

import itertools
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("replies")
TAGS = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


def cases():
    for file in sorted(FOLDER.glob("*.toml")):
        for title, table in tomllib.loads(file.read_text("utf-8")).items():
            around = table.get("around", ["%"])
            for number, (outer, reply) in enumerate(itertools.product(around, table["replies"])):
                inner, more = reply if isinstance(reply, list) else (reply, {})
                wanted = table | ({"told": [more]} if isinstance(more, str) else more)
                whole = outer.replace("%", inner).replace("§", TAGS)
                is_text = wanted.keys().isdisjoint({"calls", "told", "text"})
                text = whole.strip() if is_text else wanted.get("text", "").replace("%", inner)
                yield pytest.param(
                    whole, wanted, text.replace("§", TAGS), id=f"{file.stem}: {title} {number}"
                )


def named(call):
    """A call by its name alone, where that says all, or with its arguments."""
    name, arguments = call
    usual = {"path": "a.ts"} if name == "get_lines" else {}
    return name if arguments == usual else [name, arguments]


@pytest.mark.parametrize(("reply", "wanted", "text"), [*cases()])
def test_a_reply_has_its_calls_its_errors_and_its_text(read, reply, wanted, text):
    found, errors, rest = read(reply, unknown_calls=wanted.get("unknown_calls", False))
    assert [named(call) for call in found] == wanted.get("calls", [])
    told = wanted.get("told", [])
    assert len(errors) == len(told)
    for error, said in zip(errors, told, strict=True):
        assert said in error
    assert rest == text


def test_a_call_has_200_parameters_at_most(read):
    many = "".join(f"<p{n}>x</p{n}>" for n in range(300))
    found, (error,), rest = read(f'<tool_call name="search">{many}</tool_call> and {TAGS}')
    assert (found, rest) == ([("get_lines", {"path": "a.ts"})], "and")
    assert "more than 200 parameters" in error


def test_a_header_that_does_not_end_is_text(read):
    text = "<|channel|>" + "a " * 400 + "<|message|>"
    assert read(text) == ([], [], text)


def test_texts_keep_their_lines(calls):
    content = "a(\n  'b' # c\n)"
    for quote in ('"""', '"'):
        text = f"create_file(path='a', content={quote}{content}{quote})"
        assert calls(text) == [("create_file", {"path": "a", "content": content})]
    text = 'search(query="a", options={"deep": [true, None, 1.5]})'
    assert calls(text) == [("search", {"query": "a", "options": {"deep": [True, None, 1.5]}})]


@pytest.mark.parametrize("code", ["(" * 5000, "-" * 100_000 + "1", "a." * 50_000 + "b", "[" * 300])
def test_deep_code_is_no_call(read, code):
    text = f"get_lines({code})"
    assert read(text)[0] == []
    assert read(f"```tool_code\n{text}\n```")[0] == []


@pytest.mark.parametrize("given", ["path='a', path='b'", "path='a', start=2e400"])
def test_arguments_that_are_no_plain_values_are_told(read, given):
    found, errors, _ = read(f"get_lines({given})")
    assert found == []
    assert "no plain values" in errors[0]
