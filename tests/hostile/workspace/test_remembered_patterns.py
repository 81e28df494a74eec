"""No remembered permission of one subcommand answers for another one that does more."""

import itertools
import shlex
from collections import defaultdict

from command_table import judged

from ipuaro_jupyter.workspace.commands.program import program

READERS = "cat basename cut df dirname du echo file grep head ls printf pwd realpath stat tail wc"
OTHERS = {
    "cargo": "add bench build check clean clippy doc fetch fix install new publish run test update",
    "go": "build clean doc env fmt generate get install list mod run test tool version vet",
    "pip": "cache check config download freeze install list show uninstall wheel",
    "docker": "build compose cp exec images ps pull push rm run stop",
    "make": "all build check clean install test",
}
ARGUMENTS = (
    *("", "x", "x y", "src/a.ts", "-v", "-q x", "--release", "-m x", "--message=x", "-n 1 x"),
    *("-f x", "--force x", "--amend", "-A", "--all", "-r x", "-R x", "-e x y", "-W x", "-i x"),
    *("../x", "/etc/x", "~/x", "'*'", "':(top)x'", "--file=../x", "-C .. x", "-- x", "-o x"),
    *(
        "$x",
        "$(x)",
        "x; y",
        "x | y",
        "x > y",
        "-x",
        "--config x=y",
        "-- -x",
        "-- --logfile=x",
        "https://a.b/x",
    ),
)


def subcommands():
    """Return the words of the subcommands that the policy knows."""
    git = [f"git {name}" for name in program("git").built_in]
    manager = program("npm").manager
    npm = [f"npm {name}" for name in (*manager.built_in, *manager.lifecycle, *manager.execute)]
    others = [f"{name} {one}" for name, words in OTHERS.items() for one in words.split()]
    return [*git, *npm, *others, *READERS.split()]


def sort_of(text, base):
    """Return the words and the names of the options that say what a command does."""
    words = shlex.split(text)[len(base.split()) :]
    names = {word.partition("=")[0] for word in words if word.startswith("-") and word != "--"}
    return base, frozenset(names)


def remembered():
    """Return the commands by the pattern that is remembered of them."""
    found = defaultdict(dict)
    for base in subcommands():
        for arguments in ARGUMENTS:
            text = f"{base} {arguments}".strip()
            verdict = judged(text)
            if verdict.action != "deny" and verdict.pattern is not None:
                found[verdict.pattern][text] = sort_of(text, base)
    return found


def test_no_remembered_subcommand_answers_for_another_one():
    known = subcommands()
    assert len(known) >= 150
    patterns = {base: judged(f"{base} x").pattern for base in known}
    for one, other in itertools.permutations(known, 2):
        assert patterns[one] is None or patterns[one] != patterns[other], (one, other)


def test_a_remembered_command_answers_only_for_the_same_use_of_files_in_the_project():
    shared = {pattern: texts for pattern, texts in remembered().items() if len(texts) > 1}
    assert any(pattern.startswith("git add") for pattern in shared)
    for pattern, texts in shared.items():
        assert len(set(texts.values())) == 1, (pattern, texts)
        for text in texts:
            words = shlex.split(text)
            outside = [word for word in words if word.startswith(("/", "~", ":")) or ".." in word]
            active = [word for word in words if set(word) & set("*?[$;|><`")]
            assert not outside, (pattern, text)
            assert not active, (pattern, text)
