"""Long files with errors and deep nesting are parsed in bounded time."""

import time

import pytest


@pytest.mark.parametrize(
    "piece", ["[", "(", "{", "`${", "<div>", "a(", "function f(){", "{a:", "@", "a?b:"]
)
@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
def test_deep_nesting_that_is_never_closed_takes_no_time(read_facts, piece, path):
    began = time.process_time()
    found = read_facts("// TODO: close\n" + (piece * 10 + "\n") * 5_000, path)
    in_one_line = read_facts(piece * 50_000, path)
    assert time.process_time() - began < 5
    assert found.parse_error is not None
    assert in_one_line.parse_error is not None
    assert [t.text for t in found.todos] == ["close"]


@pytest.mark.parametrize(
    "piece",
    [
        "a<b\n",
        "a<b<c<d<e\n",
        "x<\n",
        "/* a\n",
        "/* a */\n",
        "import('a').\n",
        "  <A\n",
        "f<A>(`\n",
        "/**/ ",
    ],
)
def test_long_files_with_errors_take_no_time(read_facts, piece):
    began = time.process_time()
    found = read_facts("const = ;\n" + piece * (300_000 // len(piece)))
    assert time.process_time() - began < 8
    assert found.parse_error is not None
