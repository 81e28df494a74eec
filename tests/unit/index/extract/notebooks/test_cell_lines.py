"""What the index says of notebooks, and how their code becomes plain Python."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.notebooks.cell_lines import NotebookError, read_notebook
from ipuaro_jupyter.languages.ipython_source import plain_python
from ipuaro_jupyter.languages.registry import language_named

FOREIGN = language_named("notebook").cells.foreign


def notebook(*sources, **more):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"cells": cells, **more})


@pytest.fixture
def read(read_facts):
    return lambda *sources, **more: read_facts(notebook(*sources, **more), "n.ipynb")


def plain(text):
    return "\n".join(plain_python(text.split("\n"), FOREIGN))


@pytest.mark.parametrize(
    "text",
    [
        "x = (1\n% 2)",
        "s = '''\n%no\n!no\n?\n'''",
        "x = 1 \\\n% 2",
        "x = 'a\\\n%b'",
        "d = {\n'a': 5\n% 3}",
        "x = a % b",
        "x != y",
        "f'{a!r}'",
        "x = 1  # why?",
        "'?'",
        "x = \"\"\"a\n\"\"\" + '''b\n%c'''",
        "x == 5",
    ],
)
def test_what_python_understands_stays(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("%matplotlib inline\nx", " " * 18 + "\nx"),
        ("!ls", "   "),
        ("?help\nhelp?\na.b??", "     \n     \n     "),
        ("!ls \\\n -l\nx", "     \n   \nx"),
        ("if a:\n    %time b\n    !c", "if a:\n    0;    b\n    0 "),
        ("x = !ls\ny = %time z", "x = 0  \ny =       z"),
        ("%%time\nx", "      \nx"),
        ("\n%%timeit -n 1 a = 1\nx", "\n0;            a = 1\nx"),
        ("%%capture out\n%%time\nx", " " * 13 + "\n      \nx"),
        ("%%bash\nx", "      \n "),
        ("%%R -i x\nx", "        \n "),
        ("%%\nx", "  \n "),
        ("%%time\n%%html\nx", "      \n      \n "),
        ("(\n%no\n)\n%yes", "(\n%no\n)\n    "),
        ("x = 'open\n%yes", "x = 'open\n    "),
    ],
)
def test_magics_become_blank(text, made):
    assert plain(text) == made


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%timeit -n 10 -r3 trip(9)", "trip(9)"),
        ("%prun -s cumulative -l 7 trip(a - b)", "trip(a - b)"),
        ("best = %timeit -o trip(9)", "trip(9)"),
        ("%%timeit load()\ntrip(9)", "load()"),
        ("%time x = \\\n  trip(9)", "trip(9)"),
    ],
)
def test_code_that_a_magic_runs_is_code(text, code):
    made = plain(text)
    assert code in made
    assert "%" not in made
    assert [*map(len, made.split("\n"))] == [*map(len, text.split("\n"))]
    compile(made, "cell", "exec")


def test_numbers_that_python_writes_into_json_are_read():
    found = read_notebook(
        notebook("x = 'NaN'", metadata={"a": [float("nan"), float("-inf")]}).encode()
    )
    assert found.lines == ("x = 'NaN'",)


def test_a_merge_conflict_is_named_with_its_first_line():
    marked = b'{"cells": [\n<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n]}'
    with pytest.raises(NotebookError, match="merge conflict, first in line 2"):
        read_notebook(marked)


@pytest.mark.parametrize("magic", sorted(FOREIGN))
def test_a_cell_of_another_language_is_no_code(read, magic):
    assert not read(f"%%{magic} x\ny = 1").variables


@pytest.mark.parametrize("magic", ["time", "timeit", "capture out", "px", "lprun -f f", "prun"])
def test_other_cell_magics_keep_their_code(read, magic):
    assert [v.name for v in read(f"%%{magic}\ny = 1").variables] == ["y"]


@given(st.lists(st.sampled_from([*"%!?\\'\"()[]{}#= \n", '"""', "'''", "ab", "%%"]), max_size=40))
def test_every_line_stays_as_long_as_it_is(parts):
    text = "".join(parts)
    made = plain(text)
    assert [len(line) for line in made.split("\n")] == [len(line) for line in text.split("\n")]
    assert all(a in (b, " ", "0") for a, b in zip(made, text, strict=True))


def test_the_facts_are_those_of_all_code_cells(read):
    facts = read("import a\n", "def f(x):\n    return x", "class K:\n    y = f(1)")
    assert facts.language == "notebook"
    assert [i.source for i in facts.imports] == ["a"]
    assert [(f.name, f.line_start, f.line_end) for f in facts.functions] == [("f", 2, 3)]
    assert [c.name for c in facts.classes] == ["K"]
    assert facts.parse_error is None


@pytest.mark.parametrize(
    "broken",
    ["def g(:\n  pass", "x = (1", "x = '''", "class", "x = }", "return =", "for x in y"],
)
def test_a_broken_cell_does_not_swallow_its_neighbours(read, broken):
    facts = read("def a():\n    pass", f"b = 1\n{broken}", "def c():\n    pass")
    assert {f.name for f in facts.functions} >= {"a", "c"}
    assert facts.parse_error is not None
    assert facts.parse_error.startswith("Syntax error in cell 2 at line")
    assert [v.name for v in facts.variables][:1] == ["b"]


@pytest.mark.parametrize("odd", ["if x:", "  y = 1\n z = 2", "await f()", "return 1", "print 'x'"])
def test_an_odd_cell_does_not_swallow_its_neighbours(read, odd):
    facts = read("def a():\n    pass", odd, "def c():\n    pass")
    assert {f.name for f in facts.functions} == {"a", "c"}


def test_cells_that_are_only_together_whole_are_broken(read):
    facts = read("x = [", "1]", "y = 1")
    assert facts.parse_error == "Syntax error in cell 1 at line 1, and in 1 more cell."
    assert [v.name for v in facts.variables] == ["y"]


@pytest.mark.parametrize(
    ("metadata", "is_python"),
    [
        ({}, True),
        ({"kernelspec": {"language": "python"}}, True),
        ({"language_info": {"name": "python"}}, True),
        ({"kernelspec": {"language": "R"}}, False),
        ({"language_info": {"name": "julia"}}, False),
        ({"kernelspec": 1}, True),
        ([1], True),
    ],
)
def test_code_of_other_kernels_is_no_python(read, metadata, is_python):
    facts = read("def f(): pass", metadata=metadata)
    assert bool(facts.functions) == is_python


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"cells": 1}', "[" * 100_000, "\ufeff"])
def test_what_is_no_notebook_is_said(read_facts, content):
    facts = read_facts(content, "n.ipynb")
    assert facts.parse_error is not None
    assert facts.parse_error.startswith("Not analysed: not a notebook")
    with pytest.raises(NotebookError):
        read_notebook(content.encode())


def test_notebooks_of_version_3_are_read(read_facts):
    cells = [{"cell_type": "code", "input": ["def f():\n", "    pass"], "language": "python"}]
    facts = read_facts(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}), "n.ipynb")
    assert [f.name for f in facts.functions] == ["f"]


def test_outputs_may_be_large(read_facts):
    output = {"output_type": "display_data", "data": {"image/png": "A" * 3_000_000}}
    cell = {"cell_type": "code", "source": "x = 1", "outputs": [output]}
    facts = read_facts(json.dumps({"cells": [cell]}), "n.ipynb")
    assert [v.name for v in facts.variables] == ["x"]


def test_a_place_is_a_cell_and_a_line():
    found = read_notebook(notebook("a\nb", "", "c\n").encode())
    assert [found.place(line) for line in (1, 2, 3, 4, 9)] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 1),
        (3, 6),
    ]
    assert found.lines == ("a", "b", "", "c")
