"""The tool answers in time, whatever the pattern."""

import pytest

FILES = {
    "a.ts": "export const crate = 1\nconst other = 2\n",
    "b.js": "// crate crate\n",
    "src/c.ts": "let CRATE = 'x'\n",
    "src/deep/d.tsx": "crates\n",
    "node_modules/d.ts": "crate\n",
    "gen/e.ts": "crate\n",
    ".gitignore": "gen/\n",
    ".github/ci.yml": "crate: 1\n",
    ".git/HEAD": "crate: refs/heads/main\n",
    "logo.png": b"crate",
}


@pytest.fixture
def grep(shared):
    """Search FILES and return the result."""
    return lambda pattern, **options: shared("grep", {"pattern": pattern, **options})


@pytest.fixture
def grep_in(run):
    """Search other files and return the result."""

    def search(files, pattern, **options):
        return run(files)("grep", {"pattern": pattern, **options})

    return search


def test_a_catastrophic_expression_comes_to_an_end(grep_in):
    error = grep_in({"a.txt": f"{'a' * 50}!\n" * 500}, "(a+)+$", use_regex=True).error
    assert error.type == "timeout"
    assert "too broad" in error.message
