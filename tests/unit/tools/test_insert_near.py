import pytest
from annotated import project_files

SOURCES = project_files("insert_near")
TS = SOURCES["a.ts"]
PY = SOURCES["a.py"]


@pytest.fixture
def insert(run, tmp_path):
    """Insert into a.ts or a.py; return the result and the new text."""

    def insert_it(path, name, place, content):
        call = run({"a.ts": TS, "a.py": PY}, auto_apply=True)
        given = {"path": path, "name": name, "place": place, "content": content}
        result = call("insert_near", given)
        return result, (tmp_path / "project" / path).read_text()

    return insert_it


@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        (
            ("a.ts", "one", "before", "function zero() {}\n"),
            "/** One",
            "function zero() {}\n\n/** One",
        ),
        (
            ("a.ts", "one", "after", "function two() {}"),
            "one() {}\n",
            "one() {}\n\nfunction two() {}\n",
        ),
        (("a.ts", "y", "after", "const z = 3"), "const y = 2\n", "const y = 2\nconst z = 3\n"),
        (("a.ts", "y", "before", "const z = 3"), "const y = 2\n", "const z = 3\nconst y = 2\n"),
        (
            ("a.ts", "Box.only", "after", "more() {\n  return 2\n}"),
            "    return 1\n  }\n",
            "    return 1\n  }\n\n  more() {\n    return 2\n  }\n",
        ),
        (
            ("a.py", "Box.open", "before", "def first(self):\n    pass"),
            "    # Opens.\n",
            "    def first(self):\n        pass\n\n    # Opens.\n",
        ),
        (
            ("a.py", "open", "after", "```python\n    def more(self):\n        pass\n```"),
            "        return 1\n",
            "        return 1\n\n    def more(self):\n        pass\n",
        ),
        (
            ("a.py", "last", "after", "\ndef more():\n    pass\n"),
            "def last():\n    pass\n",
            "def last():\n    pass\n\n\ndef more():\n    pass\n",
        ),
        (
            ("a.py", "Box", "after", "def more():\n    pass"),
            "        return 0\n",
            "        return 0\n\n\ndef more():\n    pass\n",
        ),
    ],
)
def test_code_is_inserted_beside_a_declaration(insert, given, old, new):
    result, text = insert(*given)
    path = given[0]
    assert result.success, result.text()
    source = TS if path == "a.ts" else PY
    assert source.count(old) == 1
    assert text == source.replace(old, new)


def test_the_result_shows_the_lines(insert):
    result, _ = insert("a.ts", "y", "after", "const z = 3")
    assert "     8\tconst z = 3" in result.text()


@pytest.mark.parametrize(("place", "line"), [("after", 6), ("before", 3)])
def test_the_question_names_the_first_line_of_the_new_code(
    make_project, open_assistant, place, line
):
    asked = []
    assistant = open_assistant(make_project({"a.ts": TS}), [], confirm=asked.append)
    given = {"path": "a.ts", "name": "one", "place": place, "content": "two()"}
    assistant.call("insert_near", given)
    assert asked[0].title == f"Insert {place} one in line {line} of a.ts"
    assert asked[0].new_text.split("\n")[line - 1] == "two()"


@pytest.mark.parametrize(("name", "place"), [("zero", "before"), ("one", "behind")])
def test_an_unknown_name_or_place_is_refused(insert, name, place):
    result, text = insert("a.ts", name, place, "x")
    assert result.error.type == "validation"
    assert text == TS


def test_the_only_declaration_of_a_file_gets_the_usual_distance(run, tmp_path):
    call = run({"a.py": "def f():\n    pass\n"}, auto_apply=True)
    call("insert_near", {"path": "a.py", "name": "f", "place": "before", "content": "x = 1"})
    assert (tmp_path / "project/a.py").read_text() == "x = 1\n\n\ndef f():\n    pass\n"
