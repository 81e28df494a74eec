"""What the edit tools do with the text that a model gives: judge it before anybody is asked."""

import pytest

TILL = "class Till {\n  open() {\n    if (this.day) {\n      log()\n    }\n  }\n}\n"
TOTAL = "def total(parcels):\n    weight = 0\n    return weight\n"
FILES = {"till.ts": TILL, "total.py": TOTAL}
BRACE = {"path": "till.ts", "start": 5, "end": 5, "content": ""}


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


READ = call("get_lines", path="till.ts") + call("get_lines", path="total.py")


@pytest.fixture
def edit(make_project, open_assistant):
    """Let a model read the files and call a tool; return the result, questions and the folder."""

    def edit_now(name, *, confirm=True, files=FILES, **arguments):
        asked = []

        def answer(proposal):
            asked.append(proposal)
            return confirm

        options = {} if confirm is None else {"confirm": answer}
        root = make_project(files)
        turn = [READ, call(name, **arguments), "Done."]
        assistant = open_assistant(root, turn, auto_apply=confirm is None, **options)
        done = assistant.ask("Edit it.").tool_calls[-1]
        return done.result, asked, root

    return edit_now


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("edit_lines", BRACE, 'syntax error in line 3: "{" is never closed'),
        (
            "edit_lines",
            {"path": "total.py", "start": 3, "end": 3, "content": "  return weight"},
            "syntax error in line 3: unindent does not match any outer indentation level",
        ),
        (
            "update_file",
            {"filepath": "till.ts", "target": "log()", "patch": "log("},
            'syntax error in line 4: "(" is never closed',
        ),
        (
            "create_file",
            {"path": "new.json", "content": '{"a": 1,}'},
            "syntax error in line 1",
        ),
        ("write_file", {"filepath": "new.py", "content": "def f()\n    pass"}, "expected ':'"),
    ],
)
def test_a_new_syntax_error_stands_in_the_question_and_in_the_result(edit, name, arguments, told):
    result, asked, _ = edit(name, **arguments)
    (problem,) = asked[0].problems
    assert told in problem
    assert result.success
    assert f"applied with new syntax errors; mend them:\n- {problem}" in result.text()


def test_a_syntax_error_is_not_applied_where_nobody_looks(edit):
    result, _, root = edit("edit_lines", confirm=None, **BRACE)
    assert result.error.type == "cancelled"
    assert 'syntax error in line 3: "{" is never closed' in result.error.message
    assert "corrected text" in result.error.suggestion
    assert (root / "till.ts").read_text() == TILL


def test_what_parses_is_applied_where_nobody_looks(edit):
    good = BRACE | {"content": "    } // day"}
    result, _, root = edit("edit_lines", confirm=None, **good)
    assert result.success
    assert "syntax" not in result.text()
    assert "} // day" in (root / "till.ts").read_text()


def test_a_rejected_edit_tells_the_model_what_the_user_was_told(edit):
    result, asked, _ = edit("edit_lines", confirm=False, **BRACE)
    assert asked[0].problems[0] in result.error.message


def test_a_person_edits_as_before(run, tmp_path):
    result = run(FILES, auto_apply=True)("edit_lines", BRACE)
    assert result.success
    assert "is never closed" in result.text()
    assert (tmp_path / "project/till.ts").read_text() == TILL.replace("    }\n", "")
