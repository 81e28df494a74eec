"""What the edit tools do with the text that a model gives: judge it before anybody is asked."""

import pytest

TILL = "class Till {\n  open() {\n    if (this.day) {\n      log()\n    }\n  }\n}\n"
TOTAL = "def total(parcels):\n    weight = 0\n    return weight\n"
FILES = {"till.ts": TILL, "total.py": TOTAL}
BRACE = {"path": "till.ts", "start": 5, "end": 5, "content": ""}


def call(tool, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{tool}">\n{tags}</tool_call>'


READ = call("get_lines", path="till.ts") + call("get_lines", path="total.py")


@pytest.fixture
def edit(make_project, open_assistant):
    """Let a model read the files and call a tool; return the result, questions and the folder."""

    def edit_now(name, /, *, confirm=True, files=FILES, **arguments):
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
            {"path": "total.py", "start": 2, "end": 3, "content": "    a = 0\n  return a"},
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


def test_a_person_who_agrees_to_a_problem_gets_what_was_written(run, tmp_path):
    result = run(FILES, auto_apply=True, confirm=lambda _: True)("edit_lines", BRACE)
    assert result.success
    assert "is never closed" in result.text()
    assert (tmp_path / "project/till.ts").read_text() == TILL.replace("    }\n", "")


NUMBERED = "     5\t    } // day\n     6\t  }"
BLOCK = (
    "class Box:\n    def size(self):\n        if self.kg:\n            return 1\n        return 0\n"
)
MOVED = "all its lines were moved"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("```ts\n    } // day\n  }\n```", "Markdown fence"),
        ("\n~~~~typescript\n    } // day\n  }\n~~~~\n", "Markdown fence"),
        ("**`till.ts`**:\n\n```ts\n    } // day\n  }\n```", "Markdown fence"),
        ("```ts title=till.ts\ntill.ts\n    } // day\n  }\n```", "Markdown fence"),
        (NUMBERED, "line number"),
        (NUMBERED.strip(), "line number"),
        ("5\t    } // day\n6\t  }", "line number"),
        (f"```ts\n{NUMBERED}\n```", "line number"),
    ],
)
def test_fence_and_line_numbers_are_left_out_and_told(edit, content, told):
    result, asked, root = edit("edit_lines", path="till.ts", start=5, end=6, content=content)
    assert (root / "till.ts").read_text() == TILL.replace("    }\n  }", "    } // day\n  }")
    assert told in asked[0].reason
    assert told in result.text()
    assert asked[0].problems == ()


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (r"    } // day\n  }", "    } // day\n  }"),
        (r"    show(\"day\")\n    }\n  }\n", '    show("day")\n    }\n  }'),
        ("```ts\n    } // day\\n  }\n```", "    } // day\n  }"),
    ],
)
def test_escaped_line_breaks_are_line_breaks_and_told(edit, content, after):
    result, asked, root = edit("edit_lines", path="till.ts", start=5, end=6, content=content)
    assert (root / "till.ts").read_text() == TILL.replace("    }\n  }", after)
    assert r"had \n for line breaks" in asked[0].reason
    assert r"had \n for line breaks" in result.text()


def test_escaped_line_breaks_of_a_declaration_are_line_breaks_at_its_indentation(edit):
    content = r"def size(self):\n    return 2"
    given = {"path": "box.py", "name": "size", "content": content}
    _, _, root = edit("replace_symbol", files={**FILES, "box.py": BLOCK}, **given)
    assert "    def size(self):\n        return 2\n" in (root / "box.py").read_text()


@pytest.mark.parametrize("tool", ["create_file", "write_file"])
def test_a_new_file_is_unwrapped_too(edit, tool):
    _, asked, root = edit(tool, path="src/new.py", content="src/new.py\n```python\nx = 1\n```")
    assert (root / "src/new.py").read_text() == "x = 1\n"
    assert "fence" in asked[0].reason


@pytest.mark.parametrize(
    ("target", "patch", "after"),
    [
        ("log()", "```ts\nshow()\n```", TILL.replace("log()", "show()")),
        ("      log()\n", "```ts\n      show()\n```\n", TILL.replace("log()", "show()")),
        ("     4\t      log()", "     4\t      show()", TILL.replace("log()", "show()")),
        ("```\n      log()\n```", "      show()\n", TILL.replace("log()", "show()")),
    ],
)
def test_target_and_patch_are_unwrapped(edit, target, patch, after):
    result, _, root = edit("update_file", filepath="till.ts", target=target, patch=patch)
    assert result.success, result.text()
    assert (root / "till.ts").read_text() == after


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({"a.md": "# A\n\nText\n"}, {"path": "a.md", "content": "```ts\nlet a\n```"}),
        ({"a.ts": "/**\n\nText\n*/\n"}, {"path": "a.ts", "content": "```ts\nlet a\n```"}),
        ({"a.py": '"""\n\nText\n"""\n'}, {"path": "a.py", "content": "```sh\nls\n```"}),
        ({"a.ts": "let a = `\n\nText\n`\n"}, {"path": "a.ts", "content": "```ts\nlet a\n```"}),
        ({"a.sh": "cat <<E\n\nText\nE\n"}, {"path": "a.sh", "content": "```\nls\n```"}),
        ({"README": "# A\n\nText\n"}, {"path": "README", "content": "```sh\nls\n```"}),
        ({"a.yaml": "a: |\n\n  b\n"}, {"path": "a.yaml", "content": "```sh\nls\n```"}),
        ({"a.toml": 'a = """\n\nb\n"""\n'}, {"path": "a.toml", "content": "```sh\nls\n```"}),
        ({"b.tsv": "a\n\nb\n"}, {"path": "b.tsv", "content": "100001\tA\n100002\tB"}),
        ({"c.tsv": "a\n\nb\n"}, {"path": "c.tsv", "content": "000003\tA\n000004\tB"}),
        ({"a.tsv": "0\ta\n\n\n"}, {"path": "a.tsv", "content": "1\tb\n2\tc"}),
        ({"a.txt": "\n\n     1\ta\n"}, {"path": "a.txt", "content": "     1\tb\n     2\tc"}),
        (
            {"a.ts": "let a\n\nlet b\n"},
            {"path": "a.ts", "content": "```ts\na\n```\nb\n```\nc\n```"},
        ),
        ({"a.txt": "let a\n\nlet b\n"}, {"path": "a.txt", "content": "     1\tb\n     3\tc"}),
        ({"a.txt": "let a\n\nlet b\n"}, {"path": "a.txt", "content": r"let c\nlet d"}),
        ({"a.ts": "let a\n\nlet b\n"}, {"path": "a.ts", "content": r"let c = 'd\ne'"}),
        ({"a.ts": "let a\n\nlet b\n"}, {"path": "a.ts", "content": r"let c = 'd\ne'\nlet f"}),
        ({"a.py": "a = 1\n\nb = 1\n"}, {"path": "a.py", "content": r"# c\nd = 1"}),
        ({"a.py": '"""\n\nText\n"""\n'}, {"path": "a.py", "content": r"c = 1\nd = 2"}),
    ],
)
def test_what_is_meant_so_stays(run, tmp_path, files, arguments):
    edit = run(files, auto_apply=True, confirm=lambda _: True)  # some of it is no valid code
    result = edit("edit_lines", {**arguments, "start": 3, "end": 3})
    assert result.success
    (name,) = files
    assert arguments["content"] in (tmp_path / "project" / name).read_text()


@pytest.mark.parametrize(
    ("path", "content", "written"),
    [
        ("d.tsv", "100001\tAlice\n100002\tBob\n", None),
        ("d.tsv", "     7\tAlice\n     8\tBob\n", None),
        ("d.tsv", "     1\tAlice\n     2\tBob\n", "Alice\nBob\n"),
        ("prompt.j2", "```sh\nls\n```\n", None),
        ("page.html", "```html\n<p>\n```\n", None),
        ("a.toml", "```toml\na = 1\n```\n", "a = 1\n"),
    ],
)
def test_of_a_new_file_only_what_is_surely_not_meant_is_left_out(
    run, tmp_path, path, content, written
):
    run({}, auto_apply=True)("create_file", {"path": path, "content": content})
    assert (tmp_path / "project" / path).read_text() == (content if written is None else written)


DOCSTRING = '"""\nText\n"""; a = 1\n'


@pytest.mark.parametrize(
    ("path", "before", "given"),
    [
        ("a.py", 'A = """TODO"""\n', ("TODO", "```\nls\n```", '"""```\nls\n```"""')),
        ("b.py", 'É = """TODO"""\r\n', ("TODO", "```\nls\n```", '"""```\r\nls\r\n```"""')),
        ("c.py", DOCSTRING, ("a = 1", "```\na = 2\n```", '"""; a = 2\n')),
        ("a.tsv", "Alice\n", ("100001\tAlice", "Bob", "Alice\n")),
        ("a.tsv", "Alice\n", ("     1\tAlice", "     1\tBob", "Bob\n")),
    ],
)
def test_what_is_meant_is_judged_at_the_target(run, tmp_path, path, before, given):
    target, patch, after = given
    call = run({path: before}, auto_apply=True)
    call("update_file", {"filepath": path, "target": target, "patch": patch})
    assert after in (tmp_path / "project" / path).read_bytes().decode()


def test_a_new_markdown_file_loses_the_fence_of_markdown_alone(run, tmp_path):
    call = run({}, auto_apply=True)
    inner = "# A\n\n```sh\nls\n```\n"
    call("create_file", {"path": "a.md", "content": f"```markdown\n{inner}```"})
    assert (tmp_path / "project/a.md").read_text() == inner
    call("create_file", {"path": "b.md", "content": "```sh\nls\n```"})
    assert (tmp_path / "project/b.md").read_text().startswith("```sh")


@pytest.mark.parametrize(
    ("start", "end", "content", "after"),
    [
        (3, 4, "if self.kg > 1:\n    return 2", "        if self.kg > 1:\n            return 2"),
        (
            *(3, 4, "            if self.kg > 1:\n                return 2"),
            "        if self.kg > 1:\n            return 2",
        ),
        (4, 3, "print(1)", "        if self.kg:\n            print(1)\n            return 1"),
        (3, 4, "if self.kg:\n\treturn 2", "        if self.kg:\n        \treturn 2"),
    ],
)
def test_an_indentation_that_is_uniformly_off_is_put_right(edit, start, end, content, after):
    files = FILES | {"total.py": BLOCK}
    arguments = {"path": "total.py", "start": start, "end": end, "content": content}
    result, asked, root = edit("edit_lines", files=files, **arguments)
    expected = BLOCK.replace("        if self.kg:\n            return 1", after)
    assert (root / "total.py").read_text() == expected
    assert MOVED in asked[0].reason
    assert MOVED in result.text()
    assert asked[0].problems == ()


def test_an_indentation_that_may_be_meant_in_two_ways_is_told_and_not_touched(edit):
    files = FILES | {"total.py": BLOCK}
    arguments = {"path": "total.py", "start": 5, "end": 4, "content": "   print(1)"}
    _, asked, _ = edit("edit_lines", files=files, **arguments)
    assert asked[0].reason == ""
    assert "syntax error in line 5" in asked[0].problems[0]


def test_a_patch_for_a_target_within_a_line_gets_its_indentation(edit):
    files = FILES | {"total.py": BLOCK}
    patch = "if not self:\n    return 2\nreturn 0"
    arguments = {"filepath": "total.py", "target": "return 0", "patch": patch}
    _, asked, root = edit("update_file", files=files, **arguments)
    new = "        if not self:\n            return 2\n        return 0\n"
    assert (root / "total.py").read_text() == BLOCK.replace("        return 0\n", new)
    assert MOVED in asked[0].reason


def test_other_strings_than_docstrings_keep_their_text(edit):
    files = FILES | {"total.py": BLOCK}
    content = 'if 1:\n    """Two\n    lines."""\n    x = """a\n  b"""\n    return x'
    arguments = {"path": "total.py", "start": 3, "end": 5, "content": content}
    _, _, root = edit("edit_lines", files=files, **arguments)
    assert (
        (root / "total.py")
        .read_text()
        .endswith(
            '        if 1:\n            """Two\n            lines."""\n'
            '            x = """a\n  b"""\n            return x\n'
        )
    )


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "replace_symbol",
            {"path": "till.ts", "name": "Till.open", "content": "open() {"},
            'syntax error in line 2: "{" is never closed',
        ),
        (
            "insert_near",
            {"path": "total.py", "name": "total", "place": "after", "content": "def f()\n  pass"},
            "syntax error in line 6: expected ':'",
        ),
    ],
)
def test_edits_by_name_are_judged_too(edit, name, arguments, told):
    result, asked, _ = edit(name, **arguments)
    assert told in asked[0].problems[0]
    assert told in result.text()


def test_an_edit_by_name_of_a_file_that_was_never_read_is_refused_where_nobody_looks(
    make_project, open_assistant
):
    root = make_project(FILES)
    turn = [call("replace_symbol", path="total.py", name="total", content="def total(): pass")]
    assistant = open_assistant(root, [*turn, "Done."], auto_apply=True)
    (done,) = assistant.ask("Edit it.").tool_calls
    assert "you had not read it" in done.result.error.message
    assert (root / "total.py").read_text() == TOTAL


def test_the_texts_of_a_change_set_are_unwrapped_and_judged(run, tmp_path):
    changes = [
        {"path": "till.ts", "start": 5, "end": 5, "content": "```ts\n    } // day\n```"},
        {"path": "till.ts", "start": 4, "end": 4, "content": "     4\t      show()"},
        {"path": "total.py", "start": 2, "end": 3, "content": "weight = 1\nreturn weight"},
        {"path": "new.ts", "content": "```ts\nlet a = (\n```"},
    ]
    call_tool = run(FILES, auto_apply=True, confirm=lambda _: True)
    result = call_tool("propose_changes", {"changes": changes})
    root = tmp_path / "project"
    assert "      show()\n    } // day\n" in (root / "till.ts").read_text()
    assert (root / "total.py").read_text().endswith("\n    weight = 1\n    return weight\n")
    assert (root / "new.ts").read_text() == "let a = (\n"
    told = result.text()
    for said in ("Markdown fence", "line number", MOVED, '"(" is never closed'):
        assert said in told
