"""Some changes of an edit are written, the lines of the others stay byte for byte."""

import pytest
from folder_states import raises
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.views.hunks import CONTEXT_LINES, hunks
from ipuaro_jupyter.workspace.changes.change_proposal import DecodedChange, as_decided, proposal

BOM = b"\xef\xbb\xbf"
ends = st.sampled_from([b"\n", b"\r\n"])
words = st.sampled_from([b"a", b"b", b"", b"x\r", "é\u2028".encode()])
texts = st.lists(st.tuples(words, ends), max_size=20)


@st.composite
def files(draw):
    """Return bytes: lines with ends of both kinds, maybe a mark before them, maybe a bare end."""
    lines = b"".join(line + end for line, end in draw(texts))
    return draw(st.sampled_from([b"", BOM])) + lines + draw(st.sampled_from([b"", b"last"]))


@st.composite
def edits(draw):
    """Return the parts of a file, those that stay and those with an old and a new form.

    What stays between two changes is long enough for them to be two, and no line is there twice.
    """
    numbers = iter(range(10_000))

    def lines(least, most):
        made = draw(st.lists(ends, min_size=least, max_size=most))
        return b"".join(b"line %d" % next(numbers) + end for end in made)

    parts = [lines(0, 9)]
    for _ in range(draw(st.integers(1, 5))):
        old, new = lines(0, 3), lines(0, 3)
        if not (old or new):
            new = lines(1, 1)
        parts += [(old, new), lines(2 * CONTEXT_LINES + 1, 9)]
    parts[-1] += draw(st.sampled_from([b"", b"bare"]))
    return draw(st.sampled_from([b"", BOM])), parts


def joined(bom, parts, numbers):
    """Return the file with the changes of these numbers made, 1-based."""
    pairs = iter(range(1, len(parts)))
    return bom + b"".join(
        part if isinstance(part, bytes) else part[next(pairs) in numbers] for part in parts
    )


def test_a_comment_in_place_of_code_is_a_problem_of_the_proposal():
    change = Change(path="a.ts", before=b"one()\n", after=b"// ... existing code ...\n")
    (told,) = proposal(DecodedChange(change), tool="t", title="T").problems
    assert told == "a placeholder instead of code in line 1: // ... existing code ..."


def test_nobody_is_blamed_for_a_change_that_changes_nothing():
    change = Change(path="a.ts", before=b"a\n", after=b"a\n")
    decoded = DecodedChange(change)
    question = proposal(decoded, tool="t", title="T")
    assert as_decided(decoded, question, Decision(action="apply")) == change


def decoded(before, after):
    return DecodedChange(Change(path="a.ts", before=before, after=after))


def made(before, after, numbers):
    change = decoded(before, after)
    question = proposal(change, tool="t", title="T")
    decision = Decision(action="apply", hunks=tuple(numbers))
    try:
        return as_decided(change, question, decision).after
    except ToolError:  # nothing is left of it
        return before


@given(edits(), st.data())
def test_exactly_the_chosen_changes_are_made(edit, data):
    bom, parts = edit
    every = range(1, len(parts) // 2 + 1)
    before, after = joined(bom, parts, ()), joined(bom, parts, every)
    numbers = data.draw(st.sets(st.sampled_from(every)))
    assert made(before, after, numbers) == joined(bom, parts, numbers)


@given(files(), files())
@example(b"a\n", b"b\r\n")
def test_all_changes_make_the_new_file_and_none_leave_the_old(before, after):
    question = proposal(decoded(before, after), tool="t", title="T")
    every = range(1, len(hunks(question.old_text, question.new_text)) + 1)
    if before != after and every:
        assert made(before, after, every) == after
    assert made(before, after, ()) == before


@given(files(), files(), st.data())
def test_any_choice_adds_and_removes_as_many_lines_as_it_holds(before, after, data):
    question = proposal(decoded(before, after), tool="t", title="T")
    found = hunks(question.old_text, question.new_text)
    numbers = data.draw(st.sets(st.sampled_from(range(len(found) + 1)))) - {0}
    result = made(before, after, numbers)
    rows = [row.sign for number in numbers for row in found[number - 1].rows]
    added = rows.count("+") - rows.count("-")
    assert count(result) == count(before) + added
    assert result == after or result.startswith(BOM) is before.startswith(BOM)


def count(data):
    text = data.removeprefix(BOM)
    return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))


OLD = BOM + b"".join(b"%d\r\n" % number for number in range(20)) + b"end"
NEW = OLD.replace(b"\n2\r\n", b"\ntwo\r\n").replace(b"\n17\r\n", b"\n")


def test_the_file_gets_the_chosen_changes_and_undo_gives_it_back(opened):
    file = opened.write("a.ts", OLD)
    opened.user.decision = Decision(action="apply", hunks=(1,))
    change = opened.apply("a.ts", OLD, NEW)
    assert file.read_bytes() == change.after == OLD.replace(b"\n2\r\n", b"\ntwo\r\n")
    opened.workspace.undo()
    assert file.read_bytes() == OLD


def test_a_text_that_was_edited_replaces_what_the_choice_gave(opened):
    file = opened.write("a.ts", OLD)
    text = OLD.removeprefix(BOM).decode().replace("\r\n", "\n").replace("\n17\n", "\n")
    opened.user.decision = Decision(action="apply", hunks=(2,), text=text.replace("5\n", "five\n"))
    opened.apply("a.ts", OLD, NEW)
    wanted = OLD.replace(b"\n17\r\n", b"\n").replace(b"5\r\n", b"five\r\n")
    assert file.read_bytes() == wanted


@pytest.mark.parametrize(
    ("hunks_", "told"),
    [((), "left a.ts as it is"), ((3,), "changes were chosen that there are not")],
)
def test_what_cannot_be_chosen_changes_nothing(opened, hunks_, told):
    opened.write("a.ts", OLD)
    opened.user.decision = Decision(action="apply", hunks=hunks_)
    with raises("cancelled", told):
        opened.apply("a.ts", OLD, NEW)
    assert (opened.root / "a.ts").read_bytes() == OLD


@pytest.mark.parametrize(("before", "after"), [(b"a\n", None), (b"a", b"\0")])
def test_what_has_no_text_cannot_get_another_one(opened, before, after):
    opened.write("a.ts", before)
    opened.user.decision = Decision(action="apply", text="b\n")
    with raises("cancelled", "its text was changed, which is not possible here"):
        opened.apply("a.ts", before, after)
    assert (opened.root / "a.ts").read_bytes() == before


@pytest.mark.parametrize(("before", "after"), [(None, b"a\n"), (b"a\n", None), (b"a", b"\0")])
def test_only_edits_of_text_have_a_choice(opened, before, after):
    if before is not None:
        opened.write("a.ts", before)
    opened.user.decision = Decision(action="apply", hunks=(1,))
    with raises("cancelled", "only a part of it was chosen"):
        opened.apply("a.ts", before, after)
