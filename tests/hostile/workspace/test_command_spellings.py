"""No spelling of a command that never runs gets past `"approve": "all"`, and looking only looks.

What would run unasked is run, in namespaces of its own. IPUARO_TEST_SEED repeats a run.
"""

import os
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random, SystemRandom

import pytest
from command_spellings import spelling
from container import run_contained

from ipuaro_jupyter.workspace.commands.command_policy import judge
from ipuaro_jupyter.workspace.git.git_program import without_programs
from ipuaro_jupyter.workspace.processes.environment import starts_code

SEED = int(os.environ.get("IPUARO_TEST_SEED") or SystemRandom().randrange(10**9))
PROJECT = Path("/run/project")
LOOKS = ["status", "diff", "log", "show", "branch", "--no-pager log", "-P diff", "--version"]
OPTIONS = """
  -p -s -z -a -r -v -u -w -1 --all --stat --cached --staged --name-only --oneline --graph
  --patch --raw --numstat --color=always --color-words --word-diff --text --binary --full-index
  --check --summary --no-color --no-ext-diff --textconv --ext-diff --no-index --output=x
  --output x --output-directory=d -O x -Oone --help -h --no-renames -M -C --submodule
  --ignore-submodules=none --show-signature --format=%H --pretty=oneline --decorate --follow one
  HEAD tracked one -- d . HEAD~0 --porcelain --short --branch --ignored --untracked-files=all
  --column --list -l --show-current -d x -D x -m x y -f --edit-description --set-upstream-to=x
  --contains HEAD --points-at HEAD --sort=x new --no-pager -c a.b=c --exec-path=. -C d
  --git-dir=.git --paginate --reverse --walk-reflogs --diff-filter=M -S x -G x -L 1,1:one
  --dirstat --ws-error-highlight=all --src-prefix=x --inter-hunk-context=1 -U0 --exit-code
  --quiet --no-walk --stdin --remerge-diff --diff-merges=remerge --diff-merges=on -m -c --cc --notes
  --alternate-refs --reflog --merge-base --use-mailmap --find-copies-harder --ita-invisible-in-index
"""


@cache
def find_program(name, _in_script):
    return None if shutil.which(name) is None else ()


@cache
def verdict_on(text):
    """What becomes of a text where everything is approved: denied, asked or run."""
    verdict = judge(
        text,
        read_script={"clean": "rm -rf d", "x": "true"}.get,
        find_program=find_program,
        is_inside=lambda path: ".." not in path and (PROJECT / path).is_relative_to(PROJECT),
        starts_code=starts_code,
    )
    if verdict.action == "ask":
        return "asked" if verdict.doubt else "run"
    return {"deny": "denied", "run": "safe"}[verdict.action]


@cache
def drawn(count):
    random = Random(SEED)
    found = {}
    while len(found) < count:
        found[spelling(random)] = None
    return list(found)


@pytest.mark.parametrize("count", [2000, pytest.param(25_000, marks=pytest.mark.long)])
def test_no_spelling_deletes_unasked(count, capsys):
    counted = Counter(map(verdict_on, drawn(count)))
    with capsys.disabled():
        print(f"\nseed {SEED}: {count} spellings, {dict(counted)}")  # noqa: T201
    running = [text for text in drawn(count) if verdict_on(text) in ("run", "safe")]
    wrong = [ran["text"] for ran in run_contained(running, {}) if ran["touched"]]
    assert not wrong, f"IPUARO_TEST_SEED={SEED}"
    assert counted["asked"] > count / 4
    assert counted["denied"] > count / 4


@pytest.mark.parametrize("verdict", ["asked", "denied"])
def test_many_of_the_spellings_do_delete(verdict):
    """Without this, the test above would say nothing."""
    sample = [text for text in drawn(2000) if verdict_on(text) == verdict][:25]
    assert sum(bool(ran["touched"]) for ran in run_contained(sample, {})) >= 4, SEED


@pytest.mark.parametrize("count", [60, pytest.param(2500, marks=pytest.mark.long)])
def test_what_is_judged_safe_writes_nothing_and_connects_nowhere(count):
    random = Random(SEED)
    drawn_words = (random.choices(OPTIONS.split(), k=random.randrange(4)) for _ in range(8 * count))
    texts = {" ".join(["git", random.choice(LOOKS), *words]) for words in drawn_words}
    safe = [text for text in sorted(texts) if verdict_on(text) == "safe"][:count]
    assert len(safe) > count / 2
    for ran in run_contained(safe, without_programs(), watched=True):
        assert not ran["written"], f"{ran} IPUARO_TEST_SEED={SEED}"
        assert not ran["network"], f"{ran} IPUARO_TEST_SEED={SEED}"
