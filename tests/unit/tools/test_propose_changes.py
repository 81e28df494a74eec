import json

import pytest

from ipuaro_jupyter import Decision
from ipuaro_jupyter.records.change import ChosenFile
from ipuaro_jupyter.tools import load_tools

TEXT = "".join(f"const n{number} = {number};\n" for number in range(1, 21))
FILES = {"src/a.ts": TEXT, "src/b.ts": TEXT, "gone.ts": "old\n"}
SET = [
    {"path": "src/a.ts", "start": 2, "end": 2, "content": "const two = 2;\nconst more = 2;"},
    {"path": "src/a.ts", "start": 18, "end": 19, "content": ""},
    {"path": "src/b.ts", "start": 1, "end": 0, "content": "// head"},
    {"path": "src/new/c.ts", "content": "export {};\n"},
    {"path": "gone.ts", "delete": True},
]


class User:
    """Answers every question with a decision and keeps the questions."""

    def __init__(self, decision=None):
        self.decision = decision or Decision(action="apply")
        self.asked = []

    def __call__(self, proposal):
        self.asked.append(proposal)
        return self.decision


@pytest.fixture
def opened(make_project, open_assistant):
    """Return a function that opens a project of the files with somebody to ask."""

    def open_it(decision=None, files=FILES, **options):
        user = User(decision)
        root = make_project(files)
        return root, user, open_assistant(root, [], confirm=user, **options)

    return open_it


def contents(root):
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


def changed_a(*, head=True, tail=True):
    text = TEXT
    if tail:
        text = text.replace("const n18 = 18;\nconst n19 = 19;\n", "")
    return text.replace("const n2 =", "const two = 2;\nconst more =") if head else text


def propose(assistant, *changes):
    return assistant.call("propose_changes", {"changes": list(changes)})


def test_several_files_are_one_question_one_write_and_one_undo(opened):
    root, user, assistant = opened()
    before = contents(root)
    result = propose(assistant, *SET)
    assert result.success, result.text()
    (asked,) = user.asked
    assert (asked.kind, asked.tool) == ("changes", "propose_changes")
    assert asked.title == "Change src/a.ts, src/b.ts and 2 more files"
    assert [(one.path, one.kind) for one in asked.changed] == [
        ("src/a.ts", "edit"),
        ("src/b.ts", "edit"),
        ("src/new/c.ts", "create"),
        ("gone.ts", "delete"),
    ]
    assert contents(root) == {
        "src/a.ts": changed_a(),
        "src/b.ts": f"// head\n{TEXT}",
        "src/new/c.ts": "export {};\n",
    }
    told = result.text()
    assert "Edited src/a.ts: 18 line(s) removed, 17 added." in told
    assert "Edited src/b.ts: 0 line(s) removed, 1 added." in told
    assert "Created src/new/c.ts (1 line)." in told
    assert "Deleted gone.ts." in told
    assert assistant.undo().success
    assert contents(root) == before


def test_only_what_the_user_ticked_is_written_and_the_model_is_told(opened):
    some = (ChosenFile(number=1, hunks=(2,)), ChosenFile(number=3))
    root, _, assistant = opened(Decision(action="apply", chosen=some))
    result = propose(assistant, *SET)
    assert contents(root) == {
        **FILES,
        "src/a.ts": changed_a(head=False),
        "src/new/c.ts": "export {};\n",
    }
    told = result.text()
    assert told.startswith("Changed 2 of 4 files.\nThe user left out: src/b.ts, gone.ts.\n")
    assert "or left out a part of it" in told


def test_a_rejected_set_changes_nothing(opened):
    root, _, assistant = opened(Decision(action="reject", reason="not now"))
    result = propose(assistant, *SET)
    assert result.error.type == "cancelled"
    assert "Change src/a.ts, src/b.ts and 2 more files" in result.error.message
    assert "not now" in result.error.message
    assert contents(root) == FILES


@pytest.mark.parametrize("approve", ["edits", "all"])
def test_a_setting_that_lets_edits_through_lets_sets_through(opened, approve):
    root, user, assistant = opened(settings={"approve": approve})
    assert propose(assistant, SET[2]).success
    assert not user.asked
    assert (root / "src/b.ts").read_text() == f"// head\n{TEXT}"


def test_files_of_one_folder_share_a_permission_and_others_have_none(opened):
    _, user, assistant = opened()
    propose(assistant, SET[0], SET[2])
    propose(assistant, SET[4], {"path": "src/a.ts", "start": 1, "end": 1, "content": "x"})
    assert [asked.pattern for asked in user.asked] == ["on files directly in src/", None]


ONE = {"path": "src/a.ts", "content": "x"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], "There are no changes."),
        (
            [{**ONE, "start": 2, "end": 5}, {**ONE, "start": 5, "end": 6}],
            "Lines 2-5 and 5-6 of src/a.ts overlap.",
        ),
        (
            [{**ONE, "start": 1, "end": 9}, {**ONE, "start": 2, "end": 2}],
            "Lines 1-9 and 2-2 of src/a.ts overlap.",
        ),
        (
            [{**ONE, "start": 4, "end": 3}, {**ONE, "start": 2, "end": 5}],
            "Lines 2-5 and 4-3 of src/a.ts overlap.",
        ),
        ([{**ONE, "start": 19, "end": 21}], "src/a.ts has 20 lines."),
        ([{**ONE, "start": 0, "end": 0}], "Invalid line range 0-0"),
        ([{**ONE, "start": 3}], "A change of src/a.ts has no start or no end."),
        ([{"path": "src/a.ts", "start": 3, "end": 3}], "The content for lines 3-3"),
        ([ONE], "src/a.ts exists already."),
        ([{"path": "src/z.ts"}], "The content of the new file src/z.ts is missing."),
        ([{"path": "src/zz.ts", "start": 1, "end": 1, "content": "x"}], "src/zz.ts"),
        ([{"path": "..", "content": "x"}], ".."),
        ([{"path": "../x.ts", "content": "x"}], "../x.ts"),
        ([{"path": "", "content": "x"}], "The project's root is a folder"),
        ([{**ONE, "delete": True}], "delete is for the whole of src/a.ts"),
        ([{"path": "src/a.ts", "delete": True, "start": 1, "end": 2}], "delete is for the whole"),
        (
            [{"path": "gone.ts", "delete": True}, {"path": "gone.ts", "content": "new"}],
            "gone.ts is created or deleted, and changed again.",
        ),
        ([{"path": "n.ipynb", "start": 1, "end": 1, "content": "x"}], "n.ipynb is a notebook"),
        ([{**ONE, "start": 2, "end": 2, "content": "const n2 = 2;"}], "would change nothing"),
        ([{**ONE, "start": True, "end": 1}], "start"),
    ],
)
def test_one_change_that_cannot_be_made_refuses_all(opened, changes, said):
    root, user, assistant = opened(files={**FILES, "n.ipynb": "{}"})
    before = contents(root)
    others = [SET[2]] if changes else []
    result = propose(assistant, *others, *changes)
    assert not result.success
    assert said in f"{result.error.message} {result.error.suggestion}"
    assert not user.asked
    assert contents(root) == before


def test_insertions_at_one_place_keep_their_order_and_touch_what_is_replaced(opened):
    root, _, assistant = opened(files={"a.txt": "1\n2\n3\n"})
    changes = [(2, 1, "a"), (2, 2, "two"), (3, 2, "c"), (2, 1, "b"), (4, 3, "end")]
    given = [{"path": "a.txt", "start": s, "end": e, "content": c} for s, e, c in changes]
    assert propose(assistant, *given).success
    assert (root / "a.txt").read_text() == "1\na\nb\ntwo\nc\n3\nend\n"


def test_line_ends_and_the_missing_final_newline_stay(opened):
    root, _, assistant = opened(files={"a.txt": b"\xef\xbb\xbf1\r\n2\r\n3"})
    given = [{"path": "a.txt", "start": n, "end": n, "content": f"line {n}"} for n in (1, 3)]
    assert propose(assistant, *given).success
    assert (root / "a.txt").read_bytes() == b"\xef\xbb\xbfline 1\r\n2\r\nline 3"


def test_two_names_of_one_file_are_one_file(opened):
    root, _, assistant = opened()
    same = {**ONE, "path": str(root / "src/a.ts"), "start": 4, "end": 4}
    result = propose(assistant, {**ONE, "start": 3, "end": 5}, same)
    assert "Lines 3-5 and 4-4 of src/a.ts overlap." in result.error.message


def test_a_symlink_is_not_deleted(opened):
    root, _, assistant = opened()
    (root / "link.ts").symlink_to("gone.ts")
    result = propose(assistant, {"path": "link.ts", "delete": True})
    assert "link.ts is a symlink to gone.ts" in result.error.message
    assert (root / "gone.ts").exists()


FLAT = {"file_path": "src/b.ts", "start_line": 1, "end_line": "0", "new_content": "// head"}


@pytest.mark.parametrize(
    "given",
    [
        {"changes": json.dumps([FLAT])},
        {"edits": FLAT},
        {"changes": [json.dumps(FLAT)]},
        {"parameters": {"changes": [{"change": FLAT}]}},
        {"files": [{"path": "src/b.ts", "edits": [{"start": 1, "end": 0, "content": "// head"}]}]},
        FLAT,
        json.dumps([FLAT]),
    ],
    ids=str,
)
def test_the_forms_that_models_write_are_understood(opened, given):
    root, _, assistant = opened()
    result = assistant.call("propose_changes", given)
    assert result.success, result.text()
    assert (root / "src/b.ts").read_text() == f"// head\n{TEXT}"


def test_an_unknown_name_in_a_change_is_told_with_those_that_there_are(opened):
    _, _, assistant = opened()
    result = propose(assistant, {**ONE, "strat": 1})
    assert "'changes.0.strat' (meant: start?)" in result.error.message
    call = "Call propose_changes(changes: [{path, start?, end?, content?, delete?}])"
    assert result.error.suggestion == call


def test_its_schema_holds_that_of_a_change_and_refers_to_nothing():
    tool = load_tools().find("propose_changes")
    assert "$ref" not in json.dumps(tool.schema.parameters)
    items = tool.schema.parameters["properties"]["changes"]["items"]
    assert list(items["properties"]) == ["path", "start", "end", "content", "delete"]
    assert items["required"] == ["path"]
    assert len(json.dumps(tool.schema.parameters)) < 800, "a small model reads it"


CALL = """\
<tool_call name="propose_changes"><changes>
[
  {"path": "src/a.ts", "start": 2, "end": 2, "content": "const two = 2;
const more = 2;"},
  {"path": "src/new/c.ts", "content": "export {};\\n"}
]
</changes></tool_call>
"""


def test_a_model_writes_the_list_as_json_in_its_call(make_project, open_assistant):
    user, root = User(), make_project(FILES)
    assistant = open_assistant(root, [CALL, "Done."], confirm=user)
    answer = assistant.ask("Change them.")
    assert [asked.kind for asked in user.asked] == ["changes"]
    assert [change.path for change in answer.edits] == ["src/a.ts", "src/new/c.ts"]
    assert (root / "src/a.ts").read_text() == changed_a(tail=False)
    assert answer.tool_calls[0].decided == ("Applied 2 files: Change src/a.ts and src/new/c.ts",)


def test_a_placeholder_for_a_secret_is_not_written_into_any_file(make_project, open_assistant):
    root = make_project({**FILES, "has.ts": "// [redacted:token:ab12]\n"})
    placeholder = "[redacted:token:ab12]"
    there = {"path": "has.ts", "start": 1, "end": 1, "content": f"// {placeholder} too"}
    other = {"path": "src/a.ts", "start": 1, "end": 1, "content": placeholder}
    calls = [
        f'<tool_call name="propose_changes"><changes>{json.dumps(each)}</changes></tool_call>'
        for each in ([there, other], [there])
    ]
    assistant = open_assistant(root, [*calls, "Done."], confirm=User())
    first, second = assistant.ask("Change it.").tool_calls
    assert placeholder in first.result.error.message
    assert second.result.success, second.result.text()
    assert (root / "src/a.ts").read_text() == TEXT


def in_reply(*calls):
    """Return a reply with these calls: a tool's name and its arguments."""
    named = (json.dumps({"name": name, "arguments": given}) for name, given in calls)
    return "\n".join(f"<tool_call>{call}</tool_call>" for call in named)


def line(path, number, content):
    return {"path": path, "start": number, "end": number, "content": content}


def test_line_numbers_are_those_before_the_reply(make_project, open_assistant):
    root = make_project(FILES)
    reply = in_reply(
        ("edit_lines", line("src/a.ts", 2, "a\nb\nc")),
        ("propose_changes", {"changes": [line("src/a.ts", 4, "four"), line("src/b.ts", 1, "one")]}),
        ("edit_lines", line("src/a.ts", 6, "six")),
        ("propose_changes", {"changes": [line("src/a.ts", 4, "again")]}),
    )
    read = in_reply(("get_lines", {"path": "src/a.ts"}), ("get_lines", {"path": "src/b.ts"}))
    assistant = open_assistant(root, [read, reply, "Done."], confirm=User())
    *_, last = assistant.ask("Change them.").tool_calls
    assert (root / "src/a.ts").read_text() == TEXT.replace("const n2 = 2;", "a\nb\nc").replace(
        "const n4 = 4;", "four"
    ).replace("const n6 = 6;", "six")
    assert last.result.error.type == "conflict"


@pytest.mark.parametrize("approve", ["edits", "all"])
def test_where_nobody_looks_only_files_that_were_read_are_changed(
    make_project, open_assistant, approve
):
    root, user = make_project(FILES), User()
    both = {"changes": [line("src/a.ts", 4, "four"), line("src/b.ts", 1, "one")]}
    read = in_reply(("get_lines", {"path": "src/a.ts"}))
    replies = [read, in_reply(("propose_changes", both)), "Done."]
    settings = {"approve": approve}
    assistant = open_assistant(root, replies, confirm=user, settings=settings)
    last = assistant.ask("Change them.").tool_calls[-1]
    assert "src/b.ts was not changed: you had not read it" in last.result.error.message
    assert contents(root) == FILES
    assert not user.asked


def test_a_person_is_told_what_the_model_had_not_read(make_project, open_assistant):
    root, user = make_project(FILES), User()
    both = {"changes": [line("src/a.ts", 4, "four"), line("src/b.ts", 1, "one")]}
    assistant = open_assistant(root, [in_reply(("propose_changes", both)), "Done."], confirm=user)
    assistant.ask("Change them.")
    assert user.asked[0].reason == "The model had not read src/a.ts and src/b.ts."
    assert (root / "src/b.ts").read_text().startswith("one\n")


def test_what_is_put_right_in_a_text_is_told_of_its_file(opened):
    root, user, assistant = opened(files={**FILES, "m.py": "def f():\n    return 1\n"})
    fenced = line("src/a.ts", 2, "```ts\nconst two = 2;\n```")
    python = [line("m.py", 2, "x = 1\nreturn x"), {**line("m.py", 1, "def g():"), "path": "m.py"}]
    new = {"path": "n.ts", "content": "```ts\nexport {};\n```"}
    result = propose(assistant, fenced, *python, new)
    assert result.success, result.text()
    assert (root / "src/a.ts").read_text() == TEXT.replace("n2 =", "two =")
    assert (root / "m.py").read_text() == "def g():\n    x = 1\n    return x\n"
    assert (root / "n.ts").read_text() == "export {};\n"
    notes = [one.note for one in user.asked[0].changed]
    assert "fence" in notes[0]
    assert "moved 4 columns to the right" in notes[1]
    assert "fence" in notes[2]
    assert "moved 4 columns to the right" in result.text()


CLASS = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


@pytest.mark.parametrize(
    ("second", "end", "moved"),
    [
        ("def g(self):\n    return 20", 6, True),
        ("  def g(self):\n    pass", 6, False),
        ("def h(self):\n    pass", 4, False),
    ],
)
def test_texts_that_are_indented_wrongly_are_moved_together_or_not_at_all(
    opened, second, end, moved
):
    root, user, assistant = opened(files={"m.py": CLASS})
    changes = [
        {"path": "m.py", "start": 2, "end": 3, "content": "def f(self):\n    return 10"},
        {"path": "m.py", "start": 5, "end": end, "content": second},
    ]
    propose(assistant, *changes)
    text = (root / "m.py").read_text()
    if moved:
        assert text == CLASS.replace("1\n", "10\n").replace("2\n", "20\n")
        assert "moved 4 columns to the right" in user.asked[0].changed[0].note
    else:
        assert text.startswith(f"class A:\ndef f(self):\n    return 10\n\n{second}\n")
        assert "syntax error in line 2" in user.asked[0].problems[0]


def test_beside_a_text_that_is_right_another_is_moved(opened):
    root, _, assistant = opened(files={"m.py": CLASS})
    body = {"path": "m.py", "start": 2, "end": 1, "content": "x = 1"}
    propose(assistant, {**body, "start": 1, "end": 0, "content": "import os"}, body)
    assert (root / "m.py").read_text() == f"import os\n{CLASS}".replace("A:\n", "A:\n    x = 1\n")


def test_new_syntax_errors_of_any_file_ask_whatever_is_approved(make_project, open_assistant):
    root, user = make_project(FILES), User()
    read = in_reply(("get_lines", {"path": "src/a.ts"}), ("get_lines", {"path": "src/b.ts"}))
    both = {"changes": [line("src/a.ts", 1, "let one;"), line("src/b.ts", 2, "const two = {;")]}
    replies = [read, in_reply(("propose_changes", both)), "Done."]
    settings = {"approve": "edits"}
    assistant = open_assistant(root, replies, confirm=user, settings=settings)
    last = assistant.ask("Change them.").tool_calls[-1]
    (asked,) = user.asked
    assert all("src/b.ts" in problem for problem in asked.problems)
    assert asked.problems
    assert "It was applied with new syntax errors; mend them:" in last.result.text()
