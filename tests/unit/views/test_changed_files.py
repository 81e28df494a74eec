from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import changed_files

EDIT = Change(path="a.ts", before=b"1\n2\n", after=b"1\n3\n4\n")


def test_lines_that_came_and_went_are_counted_over_all_files():
    made = Change(path="b.ts", before=None, after=b"x\ny\n")
    gone = Change(path="c.ts", before=b"x\n", after=None)
    assert changed_files.total([EDIT, made, gone]) == "3 files changed (+4 \u22122)"
    told = changed_files.text([EDIT, made, gone])
    for line in ("+2 \u22121  a.ts (edited)", "+2 \u22120  b.ts (created)", "c.ts (deleted)"):
        assert line in told


def test_a_file_that_was_changed_twice_counts_once_from_first_to_last():
    back = EDIT.inverse()
    again = Change(path="a.ts", before=b"1\n3\n4\n", after=b"1\n2\n5\n")
    assert changed_files.total([EDIT, again]) == "1 file changed (+1 \u22120)"
    assert changed_files.changed_files([EDIT, back]) == [
        changed_files.ChangedFile("a.ts", "as before", 0, 0)
    ]


def test_of_a_part_its_own_lines_count():
    part = Diff(title="Edit", path="n.ipynb cell 1", old="a\n", new="b\nc\n")
    edit = Change(path="n.ipynb", before=b"1", after=b"1", part=part)
    assert changed_files.changed_files([edit, edit]) == [
        changed_files.ChangedFile("n.ipynb", "edited", 4, 2)
    ]
    whole = Change(path="n.ipynb", before=b"1", after=b"2\n3")
    assert changed_files.total([edit, whole]) == "1 file changed (+4 \u22122)"


def test_one_file_needs_no_list():
    assert changed_files.text([EDIT]) == changed_files.html([EDIT]) == ""


def test_what_was_created_and_deleted_again_says_so():
    made = Change(path="b.ts", before=None, after=b"x\n")
    assert changed_files.changed_files([made, made.inverse()])[0].word == "not there again"


def test_names_of_files_stay_text():
    evil = Change(path="<img src=x>", before=None, after=b"")
    assert "<img" not in changed_files.html([EDIT, evil])
