"""What every form of calls in a model's text keeps: its samples are read, whole and in pieces."""

import pytest

from ipuaro_jupyter.llm.text_calls.forms import all_forms, marked_forms
from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)
SAMPLES = [
    pytest.param(text, calls, id=text.split("\n")[0][:40])
    for form in all_forms()
    for text, calls in form.samples.items()
]
AT_THE_END = {text for form in all_forms() if form.needs_end for text in form.samples}


def read(text, size):
    """Return calls, errors and all text that was shown of a reply that comes in parts."""
    parser = StreamParser(SCHEMAS, aliases=TOOLS.aliases)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    pieces = [piece for part in parts for piece in parser.feed(part)] + parser.finish()
    calls = [(call.name, call.arguments) for call in parser.reply.calls]
    return calls, parser.reply.errors, "".join(piece.text for piece in pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 10_000])
@pytest.mark.parametrize(("text", "calls"), SAMPLES)
def test_a_sample_is_read_and_nothing_of_it_is_shown(text, calls, size):
    """However it comes; nothing of a call or its marks is shown on the way."""
    found, errors, shown = read(text, size)
    assert (found, errors, shown.strip()) == (calls, (), "")


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize(("text", "calls"), SAMPLES)
def test_the_text_around_a_sample_is_kept(text, calls, size):
    """A form that takes too much takes what a model says before and after its call."""
    after = "" if text in AT_THE_END else "So it is."
    found, errors, shown = read(f"I look.\n{text}\n{after}", size)
    assert (found, errors) == (calls, ())
    assert shown.split() == ["I", "look.", *after.split()]


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("text", sorted(AT_THE_END))
def test_a_sample_that_prose_explains_is_text(text, size):
    found, errors, shown = read(f"{text}\n\nSo it is.", size)
    assert (found, errors) == ([], ())
    assert shown.split() == [*text.split(), "So", "it", "is."]


@pytest.mark.parametrize(("text", "calls"), SAMPLES)
def test_a_sample_that_is_broken_off_calls_nothing_else(text, calls):
    """At any letter: fewer calls, each of them one of the sample's."""
    for end in range(len(text)):
        found, _, _ = read(text[:end], 10_000)
        assert all(call in calls for call in found), f"broken off after {text[:end]!r}"


def test_every_form_has_samples():
    """Add samples to the form."""
    assert [form.marks or form.line_marks for form in all_forms() if not form.samples] == []


def test_forms_with_the_same_mark_are_in_one_module():
    """There they are tried in their order; put a form to those that it shares a mark with."""
    tools = frozenset(tool.name for tool in TOOLS)
    marked = marked_forms(tools)
    for forms in (*marked.marks.values(), *marked.line_marks.values()):
        assert len({form.parse.__module__ for form in forms}) == 1, forms


def test_marks_in_angle_brackets_are_in_lower_case():
    """Spell marks in lower case behind ``<``: there case is ignored."""
    forms = marked_forms(frozenset(tool.name for tool in TOOLS))
    marks = {**forms.line_marks, **forms.marks}
    assert [mark for mark in marks if mark.startswith("<") and mark != mark.lower()] == []
    assert [mark for mark in forms.closings if mark.startswith("<") and mark != mark.lower()] == []
