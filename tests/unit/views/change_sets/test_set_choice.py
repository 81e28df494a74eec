import pytest

from ipuaro_jupyter.records.change import ChosenFile, Decision, Proposal, ProposedFile
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.views.change_sets import set_choice
from ipuaro_jupyter.views.decided import decided_line

OLD = "".join(f"const n{number} = {number};\n" for number in range(40))
TWICE = OLD.replace("= 3;", "= 33;").replace("const n30 = 30;\n", "")
LATER = OLD.replace("= 38;", "= 83;")
SET = Proposal(
    id="1",
    kind="changes",
    tool="propose_changes",
    title="Rename n to m",
    changed=(
        ProposedFile(path="a.ts", kind="edit", old_text=OLD, new_text=TWICE),
        ProposedFile(path="new.ts", kind="create", old_text=None, new_text="x\n"),
        ProposedFile(path="gone.ts", kind="delete", old_text="y\n", new_text=None),
        ProposedFile(
            path="a.ts",
            kind="edit",
            old_text=OLD,
            new_text=LATER,
            is_chosen=False,
            group="By name only",
        ),
    ),
)


def some(*numbers):
    return tuple(
        ChosenFile(number=one) if isinstance(one, int) else ChosenFile(number=one[0], hunks=one[1])
        for one in numbers
    )


@pytest.mark.parametrize(
    ("picked", "words"),
    [
        (some(1, 2, 3, 4), "3 files"),
        (some(2, 3), "2 of 3 files"),
        (some(1, 2, 3), "4 of 5 changes in 3 files"),
        (some((1, (2,)), 3), "2 of 5 changes in 2 of 3 files"),
        (some((1, (1, 2)), 4), "1 of 3 files"),
        (some(), "0 of 3 files"),
        (some((1, ()), 2), "1 of 3 files"),
    ],
)
def test_what_is_chosen_is_told_in_files_or_else_in_changes(picked, words):
    assert set_choice.in_words(SET, picked) == words
    applied = Decision(action="apply", chosen=picked)
    assert decided_line(SET, applied) == f"Applied {words}: Rename n to m"


@pytest.mark.parametrize(
    ("checked", "applied", "is_same"),
    [
        (None, None, True),
        (None, some(3, (1, (2, 1)), 2), True),
        (None, some(1, 2), False),
        (some((1, (2,))), some((1, (2,))), True),
        (some((1, (2,))), some((1, (1,))), False),
    ],
)
def test_another_choice_than_was_checked_is_told(checked, applied, is_same):
    report = CheckReport(verdict="passed", lines=("types: no errors",))
    check = Decision(action="check", chosen=checked)
    asked = SET.model_copy(update={"checked": report, "checked_as": check})
    told = decided_line(asked, Decision(action="apply", chosen=applied))
    assert ("not as it was checked" not in told) is is_same


def test_without_a_choice_what_is_ticked_is_applied():
    assert set_choice.ticked(SET) == some(1, 2, 3)
    told = decided_line(SET, Decision(action="apply"))
    assert told == "Applied 4 of 5 changes in 3 files: Rename n to m"
    assert decided_line(SET, Decision(action="reject")) == "Rejected: Rename n to m"


@pytest.mark.parametrize(
    ("said", "picked"),
    [
        ("1", some(1)),
        ("3, 1", some(1, 3)),
        ("1.2 4", some((1, (2,)), 4)),
        ("1.1 1.2", some(1)),
        ("1 1.2", some(1)),
        ("1.2 1", some(1)),
        ("2.1", some(2)),
        ("01.02,", some((1, (2,)))),
        ("5", None),
        ("0", None),
        ("1.3", None),
        ("2.2", None),
        ("1.", None),
        ("no", None),
    ],
)
def test_files_and_changes_are_chosen_by_number(said, picked):
    assert set_choice.typed_choice(SET, said) == picked


def test_numbers_are_told_from_reasons():
    assert set_choice.is_choice("1 3, 4.2")
    assert set_choice.is_choice("1.")
    assert not set_choice.is_choice("the 1")
    assert not set_choice.is_choice("...")


def test_a_part_of_a_file_is_what_is_written():
    one = set_choice.listed(SET)[0]
    part = set_choice.made(one, (2,))
    assert part.file.new_text == OLD.replace("const n30 = 30;\n", "")
    assert (part.added, part.removed) == (0, 1)
    assert set_choice.made(one, None) is one


def test_the_parts_of_a_file_are_written_as_one():
    parts = set_choice.picked_files(SET, some((1, (2,)), 2, 4))
    first, second = set_choice.written(parts)
    assert (first.number, second.number) == (1, 2)
    assert first.file.new_text == LATER.replace("const n30 = 30;\n", "")
    assert (first.added, first.removed) == (1, 2)
    named = SET.changed[0].model_copy(update={"new_text": TWICE.replace("33;", "333;")})
    both = SET.model_copy(update={"changed": (SET.changed[0], named)})
    one, other = set_choice.picked_files(both, some(1, 2))
    assert set_choice.written([one]) == [one[0]]
    assert set_choice.written([one, other]) == [one[0], other[0]]  # both delete a line


def test_groups_keep_the_order_of_the_set():
    groups = set_choice.grouped(set_choice.listed(SET))
    assert [(name, [one.number for one in group]) for name, group in groups.items()] == [
        ("", [1, 2, 3]),
        ("By name only", [4]),
    ]
    assert set_choice.grouped(()) == {}
