"""What "don't ask again" remembers of a command."""

import itertools
import tomllib
from pathlib import Path

import pytest
from command_table import judged

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.mark.parametrize(("command", "pattern"), CASES["of_a_listed_use_the_sort_is_remembered"])
def test_of_a_listed_use_the_sort_is_remembered(command: str, pattern: str) -> None:
    assert judged(command).pattern == pattern


@pytest.mark.parametrize("command", CASES["nothing_is_remembered_of_a_listed_use_outside"])
def test_nothing_is_remembered_of_a_listed_use_outside(command: str) -> None:
    assert judged(command).pattern is None


@pytest.mark.parametrize("command", CASES["everything_else_is_remembered_as_a_whole"])
def test_everything_else_is_remembered_as_a_whole(command: str) -> None:
    assert judged(command).pattern == command


@pytest.mark.parametrize(("allowed", "other"), CASES["a_permission_does_not_cover_another_deed"])
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


@pytest.mark.parametrize("other", CASES["no_other_command_is_of_the_sort_of_npm_test"])
def test_no_other_command_is_of_the_sort_of_npm_test(other: str) -> None:
    assert judged("npm test").pattern == "npm test"
    assert judged(other).pattern != "npm test"
