"""Comments that stand for code that an edit removes."""

import pytest

from ipuaro_jupyter.languages.placeholders import placeholder_problems

OLD = b"function f() {\n  one();\n  two();\n}\n"


@pytest.mark.parametrize(
    "comment",
    [
        "// ... existing code ...",
        "// ...",
        "// \u2026",
        "/* ... */",
        "/* \u2026 rest of the function \u2026 */",
        "// rest unchanged",
        "// the rest of the code remains the same",
        "// existing code here",
        "// (other methods ...)",
    ],
)
def test_a_comment_in_place_of_code_is_a_problem(comment):
    new = f"function f() {{\n  one();\n  {comment}\n}}\n".encode()
    told = f"a placeholder instead of code in line 3: {comment}"
    assert placeholder_problems("a.ts", OLD, new) == (told,)


@pytest.mark.parametrize(
    "line",
    [
        "// TODO: and so on...",
        "// the existing sessions end",
        "// Same as above, but for the rest of them",
        'say("// ...");',
        "say(`// ...`);",
        "three(...rest); // keeps the order",
    ],
)
def test_other_comments_and_texts_are_none(line):
    assert placeholder_problems("a.ts", OLD, OLD.replace(b"two();", line.encode())) == ()


def test_an_edit_that_removes_nothing_has_none():
    assert placeholder_problems("a.ts", OLD, OLD.replace(b"  two", b"  // ...\n  two")) == ()
    assert placeholder_problems("a.ts", None, b"// ...\n") == ()
    assert placeholder_problems("a.ts", b"// 1\n", None) == ()


def test_a_comment_that_was_there_is_none():
    old = b"# ...\nx = 1\ny = 2\n"
    assert placeholder_problems("a.py", old, b"x = 1\n# ...\n") == ()
    told = placeholder_problems("a.py", old, b"# ...\n\n# ...\n")
    assert told == ("a placeholder instead of code in line 3: # ...",)


def test_what_has_no_language_or_only_few_are_told():
    assert placeholder_problems("a.unknown", OLD, b"// ...\n") == ()
    assert len(placeholder_problems("a.ts", OLD, b"// ...\n" * 9)) == 5
    long = f"// ... existing code {'x' * 60}".encode()
    (told,) = placeholder_problems("a.ts", OLD, long)
    assert told.endswith("x\u2026")
