"""What "don't ask again" remembers of a command."""

import pytest
from command_table import judged


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("npm install left-pad", "npm install"),
        ("npm run build -- --x", "npm run build"),
        ("node scripts/a.js 1 2", "node scripts/a.js"),
        ("node -e '1'", "node -e '1'"),
        ("ls -la src", "ls"),
        ("mv a b", "mv a b"),
        ("npm install; ls", "npm install; ls"),
        ("npm install > out", "npm install > out"),
        ("FOO=1 npm install", "FOO=1 npm install"),
        ("make", "make"),
        ("cat a.ts", "cat"),
        ("cat /project/a.ts src/b.ts", "cat"),
        ("cat /etc/hostname", None),
        ("cat a.ts /etc/hostname", None),
        ("cat ../other/a.ts", None),
        ("cat src/../../a.ts", None),
        ("grep -f/etc/passwd x", None),
        ("grep --file=../words x", None),
        ("cat '~/.ssh/id_rsa'", None),
        ("npm install ../other", None),
        ("docker run box -v /:/host", None),
        ("node scripts/a.js /etc/passwd", None),
        ("mv a ../b", "mv a ../b"),
        ("npm install -D left-pad", "npm install -D"),
        ("npm install --script-shell=./x left-pad", "npm install --script-shell=./x left-pad"),
        ("git push origin main", "git push"),
        ("git push --delete origin main", "git push --delete"),
        ("git push --receive-pack=x origin", "git push --receive-pack=x origin"),
        ("git rebase -x 'make' main", "git rebase -x 'make' main"),
        ("git -c a.b=c pull", "git -c a.b=c pull"),
        ("make build CC=gcc", "make build CC=gcc"),
        ("uv run pytest -q", "uv run pytest -q"),
        ("uv run python a.py 1", "uv run python a.py"),
        ("npx prettier --write a.ts", "npx prettier --write"),
        ("npx node a.js 2", "npx node a.js"),
        ("docker exec box ls", "docker exec box ls"),
        ("npm test && ls", "npm test && ls"),
        ("npm testx", "npm testx"),
        ("npm test", "npm test"),
        ("'npm' te\"st\" src", "npm test"),
    ],
)
def test_pattern_covers_the_same_sort_of_command_only(command: str, pattern: str | None) -> None:
    assert judged(command).pattern == pattern


@pytest.mark.parametrize(
    "other",
    [
        "npm test && rm x",
        "npm test; rm x",
        "npm test | sh",
        "npm test > package.json",
        "npm test $(rm x)",
        "npm test\nrm x",
        "npm testx",
        "npm tests",
        "npm 'test x'",
        "npmx test",
        "A=1 npm test",
        "env npm test",
        "npm --prefix .. test",
        "npm test --script-shell=./x",
        "cd .. && npm test",
    ],
)
def test_no_other_command_is_of_the_sort_of_npm_test(other: str) -> None:
    assert judged("npm test -- --update").pattern == "npm test"
    assert judged(other).pattern != "npm test"
