"""What the shell completes of mentions in a question."""

import click
import pytest

from ipuaro_jupyter.cli.project_folder import mentions


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("@", ["@a.ts", "@src/", "@diff"]),
        ("@s", ["@src/"]),
        ("@src/b", ["@src/b.ts"]),
        ("@.", ["@.env"]),
        ("@d", ["@diff"]),
        ("@no/x", []),
        ("a", []),
    ],
)
def test_files_of_the_project_and_the_diff_are_offered(tmp_path, typed, expected):
    (tmp_path / "src").mkdir()
    for name in ("a.ts", ".env", "a b.ts", "src/b.ts"):
        (tmp_path / name).touch()
    context = click.Context(click.Command("ask"))
    context.params = {"project": str(tmp_path)}
    found = mentions(context, click.Argument(["message"]), typed)
    assert [one.value for one in found] == expected
