"""Python files that are odd."""

import pytest


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 3000,
        "x = " + "[" * 20_000 + "]" * 20_000,
        "\n".join(" " * i + "if x:" for i in range(2000)),
        "x = " + " and ".join(["y"] * 20_000),
        "f'" + "{" * 5000,
        "@" * 5000 + "\ndef f(): pass",
        "x = " + '"""' * 9999,
        "lambda: " * 3000 + "1",
        "def f(" + "a=(" * 3000,
        "__all__ = " + " + ".join(["['a']"] * 5000),
        "class A(" * 3000,
        "import " + "a." * 20_000 + "a",
        "self" + ".a" * 20_000 + " = 1",
    ],
    ids=lambda source: source[:12].replace("\n", " "),
)
def test_odd_files_are_read_to_the_end(read_facts, source):
    assert read_facts(source + "\n", "a.py").language == "python"
