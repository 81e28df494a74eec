"""The errors that type checkers print."""

import json
from pathlib import Path

import pytest

from ipuaro_jupyter.project.checks.checker_output import (
    TypeProblem,
    new_problems,
    read_output,
)
from ipuaro_jupyter.project.checks.checkers import TypeChecker

ROOT = Path("/copy/app")
TSC = TypeChecker("tsc", "web", ("tsc",))
MYPY = TypeChecker("mypy", "", ("mypy",))
PYRIGHT = TypeChecker("pyright", "", ("pyright",))


def read(checker, text, exit_code=1):
    return read_output(checker, text, exit_code=exit_code, root=ROOT)


def test_tsc_tells_errors_and_the_files_it_has_read():
    text = (
        "src/a (1).ts(12,5): error TS2304: Cannot find name 'x'.\n"
        "  more about it\n"
        "../lib/b.ts(1,1): error TS1005: ';' expected.\n"
        "error TS18003: No inputs were found.\n"
        "/real/node_modules/typescript/lib/lib.d.ts\n/copy/app/web/src/a.ts\n/copy/app/lib/b.ts\n"
    )
    found = read(TSC, text)
    assert found.errors == (
        TypeProblem("web/src/a (1).ts", 12, "TS2304", "Cannot find name 'x'."),
        TypeProblem("lib/b.ts", 1, "TS1005", "';' expected."),
        TypeProblem("", 0, "TS18003", "No inputs were found."),
    )
    assert found.seen == {"web/src/a.ts", "lib/b.ts"}
    assert str(found.errors[0]) == "web/src/a (1).ts:12: Cannot find name 'x'. (TS2304)"
    assert str(found.errors[2]) == "No inputs were found. (TS18003)"


def test_mypy():
    text = (
        'a.py:3: error: Name "x" is not defined  [name-defined]\n'
        'a.py:3: note: Did you mean "y"?\n'
        "a.py:9:4: error: Odd\nFound 2 errors in 1 file (checked 1 source file)\n"
    )
    found = read(MYPY, text)
    assert found.errors == (
        TypeProblem("a.py", 3, "name-defined", 'Name "x" is not defined'),
        TypeProblem("a.py", 9, "", "Odd"),
    )
    assert found.seen is None
    assert str(found.errors[1]) == "a.py:9: Odd"
    assert read(MYPY, "Success: no issues found in 1 source file\n", 0).errors == ()


def test_pyright():
    told = {
        "generalDiagnostics": [
            {
                "file": "/copy/app/a.py",
                "severity": "error",
                "message": "Wrong\n  because",
                "range": {"start": {"line": 2, "character": 0}},
                "rule": "reportX",
            },
            {"file": "/copy/app/a.py", "severity": "warning", "message": "m"},
            {"file": "/copy/app/a.py", "severity": "error", "message": "Whole file"},
        ],
        "summary": {"filesAnalyzed": 1},
    }
    found = read(PYRIGHT, f"a new version is there\n{json.dumps(told, indent=2)}\n")
    assert found.errors == (
        TypeProblem("a.py", 3, "reportX", "Wrong"),
        TypeProblem("a.py", 0, "", "Whole file"),
    )


def test_a_pyright_that_has_read_no_file_has_no_result():
    told = {"generalDiagnostics": [], "summary": {"filesAnalyzed": 0}}
    assert read(PYRIGHT, json.dumps(told), 0) is None


@pytest.mark.parametrize(
    ("line", "is_complete"),
    [
        ("a.ts(1,1): error TS1005: ';' expected.", False),
        ("a.tsx(1,1): error TS17008: JSX element 'p' has no corresponding closing tag.", False),
        ("tsconfig.json(3,5): error TS5023: Unknown compiler option 'x'.", False),
        ("tsconfig.json(3,5): error TS6053: File 'x' not found.", False),
        ("error TS2688: Cannot find type definition file for 'node'.", False),
        ("a.ts(1,1): error TS2304: Cannot find name 'x'.", True),
        ("a.ts(1,1): error TS6133: 'x' is declared but its value is never read.", True),
        ("a.ts(1,1): error TS18048: 'x' is possibly 'undefined'.", True),
    ],
)
def test_tsc_looks_at_no_types_with_errors_of_syntax_or_configuration(line, is_complete):
    found = read(TSC, f"{line}\n/copy/app/web/a.ts\n", 2)
    assert len(found.errors) == 1
    assert found.is_complete is is_complete


def test_mypy_says_that_it_has_broken_off():
    text = "a.py:1: error: Invalid syntax  [syntax]\nFound 1 error in 1 file"
    assert read(MYPY, f"{text} (checked 1 source file)\n").is_complete
    assert not read(MYPY, f"{text} (errors prevented further checking)\n", 2).is_complete


@pytest.mark.parametrize("exit_code", [0, 1, 2, 137, -9])
@pytest.mark.parametrize("checker", [MYPY, PYRIGHT])
@pytest.mark.parametrize(
    "text", ["", "garbage", "{", "[]", '{"generalDiagnostics": [1]}', "{}", '{"a": "a.py:1"}']
)
def test_garbage_is_no_result(checker, text, exit_code):
    assert read(checker, text, exit_code) is None


@pytest.mark.parametrize(("text", "exit_code"), [("", 1), ("Segmentation fault", 139), ("", -9)])
def test_a_tsc_that_fails_without_an_error_has_no_result(text, exit_code):
    assert read(TSC, text, exit_code) is None


def test_a_checker_that_is_killed_has_no_result_whatever_it_has_printed():
    assert read(TSC, "a.ts(1,1): error TS1: x\n", 137) is None


def test_errors_that_moved_are_not_new_and_a_second_one_is():
    one = TypeProblem("a.py", 3, "c", "declared on line 7 twice")
    moved = one._replace(line=5, message="declared on line 9 twice")
    assert new_problems([moved], [one]) == ()
    assert new_problems([moved, moved], [one]) == (moved,)
    assert new_problems([moved._replace(path="b.py")], [one]) != ()
