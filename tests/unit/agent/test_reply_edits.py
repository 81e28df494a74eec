"""Several calls in one reply: line numbers mean the text as it was before the reply."""

import pytest

from ipuaro_jupyter import Decision, ScriptedModel
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import ToolCall

SIX = "one\ntwo\nthree\nfour\nfive\nsix\n"


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>\n'


def edit(start, end, content, path="a.txt"):
    return call("edit_lines", path=path, start=start, end=end, content=content)


READ = call("get_lines", path="a.txt")
TWO_MORE = edit(1, 1, "ONE\n1.1\n1.2")


@pytest.fixture
def root(make_project):
    return make_project({"a.txt": SIX})


@pytest.fixture
def talk(open_assistant, root):
    """Return a function that sends one message; the model has read the file in its first reply."""

    def ask(*replies, confirm=lambda _: True, read=True, **options):
        model = ScriptedModel([*([READ] if read else []), *replies, "Done."])
        answer = open_assistant(root, model, confirm=confirm, **options).ask("Change it")
        results = [one.result for one in answer.tool_calls[read:]]
        return results, (root / "a.txt").read_text()

    return ask


def test_an_edit_further_down_is_moved_by_what_the_one_above_has_added(talk):
    results, text = talk(TWO_MORE + edit(6, 6, "SIX"))
    assert text == "ONE\n1.1\n1.2\ntwo\nthree\nfour\nfive\nSIX\n"
    assert "     8\tSIX" in results[1].text()
    assert "What was line 6 before this reply is line 8 by now." in results[1].text()


def test_native_calls_and_calls_in_the_text_are_one_reply(talk):
    arguments = {"path": "a.txt", "start": 6, "end": 6, "content": "SIX"}
    native = ToolCall(name="edit_lines", arguments=arguments)
    reply = [Chunk(text=TWO_MORE), Chunk(calls=(native,))]
    _, text = talk(reply)
    assert text == "ONE\n1.1\n1.2\ntwo\nthree\nfour\nfive\nSIX\n"


def test_the_next_reply_counts_anew(talk):
    _, text = talk(TWO_MORE, edit(8, 8, "SIX"))
    assert text == "ONE\n1.1\n1.2\ntwo\nthree\nfour\nfive\nSIX\n"


def test_the_user_sees_the_lines_as_they_are_by_then(talk):
    asked = []
    talk(TWO_MORE + edit(5, 6, "END"), confirm=lambda p: not asked.append(p))
    assert [p.title for p in asked] == ["Edit line 1 of a.txt", "Edit lines 7-8 of a.txt"]


def test_overlapping_edits_are_refused_with_both_ranges(talk):
    asked = []
    edits = edit(2, 4, "x") + edit(4, 5, "y") + edit(3, 2, "z") + edit(5, 5, "five!")
    results, text = talk(edits, confirm=lambda p: not asked.append(p))
    assert [one.success for one in results] == [True, False, False, True]
    assert results[1].error.type == results[2].error.type == "conflict"
    assert "lines 4-5" in results[1].error.message
    assert "lines 2-4" in results[1].error.message
    assert "place before line 3" in results[2].error.message
    assert len(asked) == 2
    assert text == "one\nx\nfive!\nsix\n"


def test_insertions_at_one_place_and_at_the_ends_of_an_edit_stay_in_order(talk):
    edits = [
        edit(3, 2, "first"),
        edit(3, 2, "second"),
        edit(3, 4, "both"),
        edit(5, 4, "behind"),
        edit(3, 2, "third"),
    ]
    _, text = talk("".join(edits))
    assert text == "one\ntwo\nfirst\nsecond\nthird\nboth\nbehind\nfive\nsix\n"


def test_deleted_lines_move_what_follows_up(talk):
    _, text = talk(edit(1, 3, "") + edit(5, 6, "end"))
    assert text == "four\nend\n"


def test_a_rejected_edit_moves_nothing_and_takes_no_lines(talk):
    decisions = iter([False, True, True])
    edits = TWO_MORE + edit(1, 2, "head") + edit(6, 6, "SIX")
    _, text = talk(edits, confirm=lambda _: next(decisions))
    assert text == "head\nthree\nfour\nfive\nSIX\n"


def test_what_the_user_wrote_instead_counts(talk):
    """Also where it is above, below, or in lines that a later edit means."""
    written = SIX.replace("one\n", "0\nuno\n").replace("four\n", "4\n4.5\n")
    decisions = iter([Decision(action="apply", text=written), True, True])
    edits = TWO_MORE + edit(6, 6, "SIX") + edit(4, 4, "FOUR")
    results, text = talk(edits, confirm=lambda _: next(decisions))
    assert text == "0\nuno\ntwo\nthree\n4\n4.5\nfive\nSIX\n"
    assert "line 4" in results[2].error.message


@pytest.mark.parametrize("number", [1, 2])
def test_what_the_user_chose_of_an_edit_counts(talk, root, number):
    old = [f"line {n}\n" for n in range(1, 25)]
    (root / "a.txt").write_text("".join(old))
    chosen = iter([Decision(action="apply", hunks=(number,)), True])
    parts = [["new 1\n", "new 2\n"], old[:20], ["new 3\n"]]
    edits = edit(1, 20, "".join([*parts[0], *parts[1], *parts[2]])) + edit(24, 24, "LAST")
    results, text = talk(edits, confirm=lambda _: next(chosen))
    assert all(one.success for one in results)
    added = [parts[0], [], []] if number == 1 else [[], [], parts[2]]
    assert text == "".join([*added[0], *old[:20], *added[2], *old[20:23], "LAST\n"])


@pytest.mark.parametrize(
    ("other", "after"),
    [
        (
            call("update_file", path="a.txt", target="two\n", patch="2\n2.5\n"),
            "one\n2\n2.5\nthree\nfour\nfive\nSIX\n",
        ),
        (
            call("delete_file", path="a.txt")
            + call("create_file", path="a.txt", content="1\n2\n3\n4\n5\n6\n7\n"),
            "1\n2\n3\n4\n5\nSIX\n7\n",
        ),
    ],
)
def test_other_changes_of_the_file_count_too(talk, other, after):
    _, text = talk(other + edit(6, 6, "SIX"))
    assert text == after


def test_a_file_that_the_reply_makes_is_edited_as_the_model_wrote_it(talk, root):
    decisions = iter([Decision(action="apply", text="0\n1\n2\n"), True])
    made = call("create_file", path="b.txt", content="1\n2\n")
    results, _ = talk(made + edit(2, 2, "TWO", "b.txt"), confirm=lambda _: next(decisions))
    assert all(one.success for one in results)
    assert (root / "b.txt").read_text() == "0\n1\nTWO\n"


def test_lines_that_were_not_there_before_the_reply_are_an_error(talk):
    results, text = talk(TWO_MORE + edit(8, 8, "x") + edit(7, 6, "seven"))
    assert "8-8: a.txt had, before this reply, 6 lines" in results[1].error.message
    assert text.endswith("six\nseven\n")


def test_a_file_changed_by_something_else_between_two_edits_is_a_conflict(talk):
    """Also when the same reply reads it again: the numbers are those before the reply."""

    other = call("run_command", command="printf '0\\n' | cat - a.txt > b.txt && mv b.txt a.txt")
    results, text = talk(TWO_MORE + other + READ + edit(6, 6, "SIX"))
    assert results[-1].error.type == "conflict"
    assert text == "0\nONE\n1.1\n1.2\ntwo\nthree\nfour\nfive\nsix\n"


def test_an_edit_behind_the_first_reading_in_its_reply_is_handed_back_with_the_lines(talk):
    asked = []
    again = edit(6, 6, "SIX")
    results, text = talk(READ + again, again, read=False, confirm=lambda p: not asked.append(p))
    assert [one.success for one in results] == [True, False, True]
    assert results[1].error.type == "conflict"
    assert "line 6" in results[1].error.message
    assert "     5\tfive\n     6\tsix" in results[1].error.suggestion
    assert len(asked) == 1
    assert text == SIX.replace("six", "SIX")


@pytest.mark.parametrize(
    "reading",
    [call("grep", pattern="six"), call("get_lines", path="a.txt", start=1, end=2)],
)
def test_any_result_with_its_lines_is_a_reading(talk, reading):
    results, text = talk(reading + edit(6, 6, "SIX"), read=False)
    assert results[1].error.type == "conflict"
    assert text == SIX


def test_a_new_version_that_the_reply_reads_is_handed_back_too(open_assistant, root):
    def change(_):
        (root / "a.txt").write_text("zero\n" + SIX)
        return READ + edit(6, 6, "SIX")

    answer = open_assistant(root, [READ, change, "Done."], confirm=lambda _: True).ask("Change")
    assert answer.tool_calls[-1].result.error.type == "conflict"
    assert "     6\tfive" in answer.tool_calls[-1].result.error.suggestion
    assert (root / "a.txt").read_text() == "zero\n" + SIX


def test_a_reading_behind_an_edit_changes_nothing(talk):
    results, text = talk(TWO_MORE + READ + edit(6, 6, "SIX"))
    assert all(one.success for one in results)
    assert text.endswith("five\nSIX\n")


def test_a_file_read_in_an_earlier_message_is_known(open_assistant, root):
    assistant = open_assistant(root, [READ, "Read.", READ + edit(6, 6, "SIX"), "Done."])
    assistant.confirm = lambda _: True
    assistant.ask("Read it")
    assistant.ask("Change it")
    assert (root / "a.txt").read_text() == SIX.replace("six", "SIX")


UNREAD = {
    "edit_lines": edit(6, 6, "SIX"),
    "update_file": call("update_file", path="a.txt", target="six", patch="SIX"),
    "delete_file": call("delete_file", path="a.txt"),
}


@pytest.mark.parametrize("approve", ["edits", "all"])
@pytest.mark.parametrize("name", UNREAD)
def test_where_nobody_looks_a_file_that_was_never_shown_is_not_changed(talk, name, approve):
    results, text = talk(UNREAD[name], read=False, settings={"approve": approve})
    assert results[0].error.type == "validation"
    assert "a.txt" in results[0].error.message
    assert "had not read it" in results[0].error.message
    assert text == SIX


@pytest.mark.parametrize("name", UNREAD)
def test_a_person_may_decide_on_it_and_is_told(talk, root, name):
    asked = []
    results, _ = talk(UNREAD[name], read=False, confirm=lambda p: bool(asked.append(p)))
    assert results[0].error.type == "cancelled"
    assert asked[0].reason == "The model had not read this file."
    assert (root / "a.txt").read_text() == SIX


def test_a_remembered_permission_is_not_a_look(talk, root):
    (root / "b.txt").write_text("b\n")
    asked = []
    other = edit(1, 1, "B", "b.txt")
    results, _ = talk(
        edit(1, 1, "ONE"),
        other + call("get_lines", path="b.txt"),
        other,
        confirm=lambda p: asked.append(p) or Decision(action="apply", remember=True),
    )
    assert [one.success for one in results] == [True, False, True, True]
    assert [p.path for p in asked] == ["a.txt"]
    assert (root / "b.txt").read_text() == "B\n"


def test_calls_of_a_person_within_the_turn_are_not_of_the_reply(open_assistant, root):
    """They are made as they stand, and the model has to look at what they left."""
    assistant = open_assistant(root, [READ, TWO_MORE + edit(6, 6, "SIX"), "Done."])
    assistant.confirm = lambda _: True
    finished = 0
    mine = {"path": "a.txt", "start": 8, "end": 8, "content": "mine"}
    for event in assistant.stream("Change it"):
        if type(event).__name__ == "CallFinished":
            finished += 1
            if finished == 2:
                assert assistant.call("edit_lines", mine).success
    assert (root / "a.txt").read_text() == "ONE\n1.1\n1.2\ntwo\nthree\nfour\nfive\nmine\n"


def test_a_model_of_another_program_must_have_read_the_file(open_assistant, root):
    assistant = open_assistant(root, [], auto_apply=True)
    arguments = {"path": "a.txt", "start": 6, "end": 6, "content": "SIX"}
    refused = assistant.call("edit_lines", arguments, by_user=False)
    assert refused.error.type == "validation"
    assistant.call("get_lines", {"path": "a.txt"}, by_user=False)
    assert assistant.call("edit_lines", arguments, by_user=False).success


def test_what_a_person_reads_and_changes_the_model_has_not_seen(open_assistant, root):
    """Otherwise it would overwrite another line than the one it has read."""
    model = ScriptedModel([READ, "Read.", edit(5, 5, "FIVE"), "Not done."])
    assistant = open_assistant(root, model, auto_apply=True)
    assistant.ask("Read it")
    above = {"path": "a.txt", "start": 1, "end": 0, "content": "0\n0.5"}
    assert assistant.call("edit_lines", above).success
    assistant.call("get_lines", {"path": "a.txt"})
    (called,) = assistant.ask("Change it").tool_calls
    assert called.result.error.type == "conflict"
    assert (root / "a.txt").read_text() == "0\n0.5\n" + SIX


@pytest.mark.parametrize("before", ["%tool", "/clear"])
def test_a_file_that_only_a_person_has_read_or_the_model_before_a_clear_is_unseen(
    open_assistant, root, before
):
    read = [READ, "Read."] if before == "/clear" else []
    model = ScriptedModel([*read, edit(5, 5, "FIVE"), "Not done."])
    assistant = open_assistant(root, model, auto_apply=True)
    if before == "/clear":
        assistant.ask("Read it")
        assistant.ask("/clear")
    else:
        assistant.call("get_lines", {"path": "a.txt"})
    (called,) = assistant.ask("Change it").tool_calls
    assert not called.result.success
    assert (root / "a.txt").read_text() == SIX


def test_a_person_may_not_overwrite_what_changed_since_the_person_read_it(open_assistant, root):
    assistant = open_assistant(root, [], auto_apply=True)
    assistant.call("get_lines", {"path": "a.txt"})
    (root / "a.txt").write_text("zero\n" + SIX)
    change = {"path": "a.txt", "start": 1, "end": 1, "content": "ONE"}
    assert assistant.call("edit_lines", change).error.type == "conflict"
    assistant.call("get_lines", {"path": "a.txt"})
    assert assistant.call("edit_lines", change).success
    assert assistant.call("edit_lines", change | {"content": "TWO"}).success
