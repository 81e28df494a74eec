import re

from ipuaro_jupyter.records.change import ChosenFile, Decision, Proposal, ProposedFile
from ipuaro_jupyter.views import proposal as view
from ipuaro_jupyter.views.change_sets import change_set
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL

OLD = "".join(f"const n{number} = {number};\n" for number in range(40))
TWICE = OLD.replace("= 3;", "= 33;").replace("const n30 = 30;\n", "")


def edited(path, new=TWICE, **fields):
    return ProposedFile(path=path, kind="edit", old_text=OLD, new_text=new, **fields)


FILES = (
    edited("src/a.ts"),
    ProposedFile(path="new.ts", kind="create", old_text=None, new_text="x\ny\n"),
    ProposedFile(path="gone.ts", kind="delete", old_text="y\n", new_text=None),
    edited("src/b.ts", is_chosen=False, group="By name only - not chosen", note="a comment"),
)


def asked(*files):
    return Proposal(
        id="1",
        kind="changes",
        tool="t",
        title="Rename n to m",
        changed=files or FILES,
        reason="Why.",
    )


def text_of(html):
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def boxes(html):
    """Return the checkboxes in order: (value, whether it is ticked)."""
    found = re.findall(r'<input type="checkbox"( checked)? value(?:="([^"]*)")?>', html)
    return [(value, bool(ticked)) for ticked, value in found]


def test_a_terminal_lists_the_files_and_what_is_ticked():
    text = view.detail_text(asked())
    assert text.startswith("Rename n to m\nWhy.\n")
    assert "\n  [x] 1 src/a.ts (edited, +1 \u22122)\n" in text
    assert "\n  [x] 2 new.ts (new, +2 \u22120)\n" in text
    assert "\n  [x] 3 gone.ts (deleted, +0 \u22121)\n" in text
    heading = "\nBy name only - not chosen:\n"
    assert f"{heading}  [ ] 4 src/b.ts (edited, +1 \u22122): a comment\n" in text
    assert "\n1. src/a.ts (1 line added (+), 2 removed (\u2212))\n--- src/a.ts" in text
    assert "change 2 of 2" in text


def test_a_question_ticks_files_and_changes():
    html = view.question_html(asked())
    assert boxes(html) == [
        ("1", True),
        ("1", True),
        ("2", True),
        ("2", True),
        ("3", True),
        ("", False),
        ("4", False),
        ("1", True),
        ("2", True),
    ]
    said = text_of(html)
    assert "src/a.ts edited +1 \u22122 2 changes Change 1 of 2" in said
    assert "By name only - not chosen (1 file) src/b.ts" in said
    assert "a comment" in said
    assert html.count("<details open") == 3, "what is ticked is open"
    assert html.count("<details data-changed") == 1
    assert html.count('class="ipuaro-file"') == 4


def test_each_diff_that_folds_says_how_many_lines_it_changes():
    html = view.question_html(asked())
    assert re.findall(r'<details( open)? data-changed="(\d+)">', html) == [
        (" open", "3"),
        (" open", "2"),
        (" open", "1"),
        ("", "3"),
    ]


def test_the_question_without_script_lists_and_opens_the_same_files():
    html = view.detail_html(asked())
    assert "checkbox" not in html
    said = text_of(html)
    assert "Why. [x] 1 src/a.ts edited +1 \u22122" in said
    assert "By name only - not chosen [ ] 4 src/b.ts edited +1 \u22122 a comment" in said
    assert html.count("<details>") == 4


def test_the_record_opens_to_what_was_written_and_names_the_rest():
    some = (ChosenFile(number=1, hunks=(2,)), ChosenFile(number=2))
    html = view.html(asked(), Decision(action="apply", chosen=some))
    said = text_of(html)
    assert "Applied 2 of 6 changes in 2 of 4 files: Rename n to m" in said
    assert "n3 = 3" not in said, "change 1 of src/a.ts was left out"
    assert "src/a.ts edited +0 \u22121" in said
    assert "Not applied: 2 files gone.ts deleted" in said
    assert "src/b.ts edited +1 \u22122 By name only - not chosen, a comment" in said
    assert "checkbox" not in html


def test_a_rejected_set_opens_to_all_of_it():
    html = view.html(asked(), Decision(action="reject", reason="no"))
    assert "Rejected: Rename n to m (no)" in html
    assert html.count("<ins") == 4


def test_small_diffs_are_whole_and_large_ones_share_the_rest():
    assert change_set._shares([10, 1000, 20, 1000], 100) == [10, 35, 20, 35]
    assert change_set._shares([5, 5], 100) == [5, 5]
    assert change_set._shares([], 10) == []
    assert sum(change_set._shares([3, 3, 3], 7)) == 7


def test_only_as_many_lines_are_shown_as_a_page_can_take_and_the_rest_is_counted():
    long = "".join(f"line {number}\n" for number in range(5000))
    large = ProposedFile(path="long.txt", kind="create", old_text=None, new_text=long)
    html = view.question_html(asked(*FILES, large))
    assert "added lines not shown" in html
    assert html.count("<ins") <= change_set.QUESTION.rows
    assert text_of(html).count("Change 2 of 2") == 2, "the small ones are whole"
    text = view.detail_text(asked(*FILES, large))
    assert text.count("\n") < TERMINAL.rows + 100
    assert "added lines not shown" in text


def test_files_beyond_the_limit_keep_their_names_and_a_checkbox():
    many = [edited(f"src/{n}.ts", OLD.replace("n7 ", "x ")) for n in range(change_set.MAX_FILES)]
    more = [edited(f"more/{n}.ts", OLD.replace("n7 ", "x "), is_chosen=n != 1) for n in range(5)]
    html = view.question_html(asked(*many, *more))
    assert boxes(html)[-2:] == [("301,303-305", True), ("302", False)]
    said = text_of(html)
    assert "4 more files whose changes are not shown Which they are: 4 files more/0.ts" in said
    assert "more/4.ts" in said
    assert len(html) < 2_000_000
    text = view.detail_text(asked(*many, *more))
    assert "[ ] 302 more/1.ts" in text
    assert text.endswith("\u2026 5 more diffs not shown")
    record = view.html(asked(*many, *more), Decision(action="apply"))
    assert "Without their changes: 4 files" in text_of(record)


def test_paths_beyond_all_limits_are_counted():
    small = ProposedFile(path="x", kind="create", old_text=None, new_text="x\n")
    count = change_set.MAX_PATHS + change_set.MAX_FILES + 2
    many = tuple(small.model_copy(update={"path": f"f{n}"}) for n in range(count))
    text = view.detail_text(asked(*many))
    assert f"\u2026 {count - change_set.MAX_PATHS} more files not shown" in text
    html = view.question_html(asked(*many))
    assert "\u2026 2 more files not shown" in html
    assert f'value="301-{count}"' in html


def test_an_edit_that_shows_no_difference_says_so():
    assert "no difference" in view.question_html(asked(edited("a.ts", OLD)))


def test_everything_is_escaped():
    evil = "<img src=x>\u202e"
    file = edited(evil, f"{evil}\n", group=evil, note=evil)
    html = view.question_html(asked(file)) + view.detail_html(asked(file))
    html += view.html(asked(file), Decision(action="apply", chosen=()))
    assert "<img" not in html
    assert "\u202e" not in html + view.detail_text(asked(file))
    assert "&lt;img" in html
