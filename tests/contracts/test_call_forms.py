"""What every form of calls in a model's text keeps: its samples are read, however they come."""

import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.llm.text_calls import forms
from ipuaro_jupyter.llm.text_calls.forms import all_forms, forms_by_mark
from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser
from ipuaro_jupyter.llm.turn_marks import ENDS
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)
BY_MARK = [forms_by_mark([tool.name for tool in TOOLS], in_line=each) for each in (True, False)]
TABLE = Path(__file__).parents[1] / "unit/llm/text_calls/call_forms.toml"
SAMPLES = tomllib.loads(TABLE.read_text("utf-8"))
LINES = [["get_lines", {"path": "a.ts"}]]
TEXTS = [sample["text"] for kind in SAMPLES.values() for sample in kind.values()]


def samples(*kinds, wanted=bool):
    """Return the samples of these kinds for which a condition holds, with their calls."""
    return [
        pytest.param(sample["text"], sample.get("calls", LINES), id=name)
        for kind in kinds
        for name, sample in SAMPLES[kind].items()
        if wanted(sample)
    ]


def read(parts):
    """Return all that comes of a reply in parts: calls, errors, shown text, thoughts, the text."""
    parser = StreamParser(SCHEMAS, aliases=TOOLS.aliases)
    pieces = [piece for part in parts for piece in parser.feed(part)] + parser.finish()
    calls = [[call.name, call.arguments] for call in parser.reply.calls]
    shown = "".join(piece.text for piece in pieces)
    thoughts = "".join(piece.thinking for piece in pieces)
    return calls, parser.reply.errors, shown, thoughts, parser.reply.text


def pieces_of(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 10_000])
@pytest.mark.parametrize(("text", "calls"), samples("marked", "alone"))
def test_a_sample_is_read_and_nothing_of_it_is_text(text, calls, size):
    """However it comes; nothing of a call or its marks is shown on the way."""
    found, errors, shown, _, rest = read(pieces_of(text, size))
    assert (found, errors, rest) == (calls, (), "")
    assert not shown.strip() or "analysis" in text  # thinking, as only what follows tells


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize(
    ("text", "calls"),
    samples("marked", wanted=lambda s: not s.get("is_last") and not s.get("ends_reply")),
)
def test_the_text_around_a_sample_is_kept(text, calls, size):
    """A form that takes too much takes what a model says before and after its call."""
    found, errors, _, _, rest = read(pieces_of(f"I look.\n{text}\nSo it is.", size))
    assert (found, errors) == (calls, ())
    assert rest.split() == ["I", "look.", "So", "it", "is."]


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize(
    ("text", "_calls"),
    samples("marked", wanted=lambda s: s.get("is_last"))
    + samples("alone", wanted=lambda s: not s.get("ends_reply")),
)
def test_a_sample_that_prose_explains_is_text(text, _calls, size):
    found, errors, shown, _, _ = read(pieces_of(f"{text}\n\nSo it is.", size))
    assert (found, errors) == ([], ())
    assert shown.split() == [*text.split(), "So", "it", "is."]


@given(
    text=st.sampled_from(TEXTS),
    around=st.sampled_from(["{}", "I look.\n{}\nSo it is.", "```\n{}\n```", "<think>{}</think>{}"]),
    end=st.none() | st.integers(0, 200),
    cuts=st.lists(st.integers(1, 30), min_size=1, max_size=20),
)
def test_however_a_sample_is_cut_it_is_read_the_same(text, around, end, cuts):
    """Calls, errors, thoughts and the text that is shown are those of the whole text."""
    text = around.replace("{}", text)[:end]
    parts, at = [], 0
    while at < len(text):
        size = cuts[len(parts) % len(cuts)]
        parts.append(text[at : at + size])
        at += size
    assert read(parts) == read([text])


def test_every_form_begins_a_sample():
    """Put a sample of the form into call_forms.toml."""
    for form in all_forms():
        marks = {mark.replace("{tool}", "get_lines") for mark in (*form.marks, *form.line_marks)}
        assert any(mark in text.lower() or mark in text for mark in marks for text in TEXTS), form


def test_forms_with_the_same_mark_are_in_one_module():
    """There they are tried in their order."""
    modules = {
        id(form): module.name
        for module in iter_modules(forms.__path__)
        for form in import_module(f"{forms.__name__}.{module.name}").FORMS
    }
    for sharing in (each for by_mark in BY_MARK for each in by_mark.values()):
        assert len({modules[id(form)] for form in sharing}) == 1, sharing


def test_closing_marks_in_angle_brackets_are_in_lower_case():
    """There case is ignored."""
    closings = {*ENDS, *(closing for form in all_forms() for closing in form.closings)}
    assert [mark for mark in closings if mark.startswith("<") and mark != mark.lower()] == []
