"""The files that a change reaches through imports, and which of them are tests."""

import pytest

from ipuaro_jupyter.project.checks.reach import is_test, may_be_test, reached_files

DEPENDENTS = {
    "src/a.ts": ["src/b.ts"],
    "src/b.ts": ["src/a.ts", "src/b.test.ts"],
    "src/b.test.ts": [],
    "src/other.ts": [],
    "app/core.py": ["tests/conftest.py"],
    "tests/conftest.py": [],
    "tests/deep/test_x.py": [],
    "tests/notes.md": [],
}


def test_what_is_imported_in_a_circle_ends():
    assert reached_files(["src/a.ts"], DEPENDENTS) == {"src/a.ts", "src/b.ts", "src/b.test.ts"}


def test_a_new_file_reaches_itself():
    assert reached_files(["src/new.ts"], DEPENDENTS) == {"src/new.ts"}


def test_a_conftest_reaches_the_tests_below_it():
    found = reached_files(["app/core.py"], DEPENDENTS)
    assert found == {"app/core.py", "tests/conftest.py", "tests/deep/test_x.py"}
    assert "src/a.ts" not in reached_files(["conftest.py"], DEPENDENTS)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.test.ts", True),
        ("src/a.spec.jsx", True),
        ("src/__tests__/a.js", True),
        ("test_a.py", True),
        ("pkg/a_test.py", True),
        ("tests/conftest.py", False),
        ("tests/helper.ts", False),
        ("src/latest.ts", False),
        ("contest_a.py", False),
    ],
)
def test_a_test_is_known_by_its_name(path, expected):
    assert is_test(path) is expected


def test_some_runners_take_any_file_of_a_test_folder_that_is_not_imported():
    assert may_be_test("test/a.js", {})
    assert may_be_test("pkg/tests/a.mts", {"pkg/tests/a.mts": []})
    assert not may_be_test("test/helper.js", {"test/helper.js": ["test/a.js"]})
    assert not may_be_test("src/a.js", {})
