"""No file name and no message is taken for an option, a pattern or a revision."""

import os
import tempfile
from pathlib import Path

import pytest
from git_repository import Answer, Git, diff, sizes, status
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.git.repository import Repository

OPTIONS = (
    *("-a", "-m", "--amend", "--all", "--author=x", "--no-verify", "-F/etc/passwd", "-C", "--"),
    *("--output=x", "--ext-diff", "-Sx", "--exec=touch ran", "-c", "--git-dir=x", "HEAD", "@{-1}"),
    *(":!a", ":(top)", ":/", "*", "[a]?", "^main", "main..x", "x~1", "e:f", "\\a", "$(touch ran)"),
)
NAMES = st.one_of(
    st.sampled_from(OPTIONS),
    st.text(
        st.characters(
            codec="utf-8",
            exclude_characters="/\0",
            exclude_categories=("Cs",),
            max_codepoint=0xFFFF,
        ),
        min_size=1,
        max_size=12,
    ),
).filter(lambda name: name.strip(". ").casefold() not in {"", "git"})
MESSAGES = st.one_of(
    st.sampled_from(OPTIONS),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=40),
).filter(str.strip)


def is_usable(root, names):
    """Whether the file system takes all names, and tells them apart."""
    try:
        for name in names:
            (root / name).write_text("1\n")
    except OSError:
        return False
    return set(names) <= {place.name for place in root.iterdir()}


@settings(
    max_examples=settings.default.max_examples // 5,  # each makes a repository and commits
    suppress_health_check=list(HealthCheck),
)
@given(names=st.lists(NAMES, min_size=2, max_size=3, unique=True), message=MESSAGES)
@example(names=["--amend", "-a", "*"], message="--amend")
@example(names=["HEAD", "\n", "\x7f\t"], message="-F/etc/passwd")
@example(names=[":(glob)**", "é\"'", " "], message="# all\n\n#only comments")
def test_names_and_messages_are_what_they_are(names, message):
    with tempfile.TemporaryDirectory() as folder:
        git = Git(Path(folder))
        git.begin()
        git.write("a", "1\n")
        git("add", "a")
        git("commit", "-qm", "base")
        if not is_usable(git.root, names):
            return
        assert set(status(git).untracked) == set(names) - {"a"}
        first, *others = [name for name in names if name != "a"]
        made = Repository(git.root).commit(message, [first], decide=Answer(), tool="git_commit")
        assert [file.path for file in made.files] == [first]
        wanted = "\n".join(line.rstrip(" \t\v\f\r") for line in message.split("\n")).strip("\n")
        assert made.message.split() == wanted.split()
        assert set(status(git).untracked) == set(others)
        git.write(first, "2\n")
        git.write("a", "2\n")
        assert sizes(diff(git, first)) == {first: (1, 1)}
        assert git("rev-list", "--count", "HEAD", "--").strip() == "2"
        assert not (git.root / "ran").exists()


def everything(git):
    """All files of the repository itself, with their times."""
    files = (place for place in (git.root / ".git").rglob("*") if place.is_file())
    return {place: (place.stat().st_mtime_ns, place.read_bytes()) for place in files}


@pytest.mark.parametrize("files", [(), ("",), ("a.ts", "new.ts"), ("-rf",)])
def test_a_denial_touches_nothing_in_the_repository(git, files):
    """Not even the times in the index, which are stale here."""
    for name in ("a.ts", "new.ts", "-rf"):
        git.write(name, "2\n")
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    os.utime(git.root / "c.ts", (1, 1))
    before = everything(git)
    answer = Answer(Decision(action="reject"))
    answer.meanwhile = lambda: answer.asked.append(everything(git) == before)
    with pytest.raises(ToolError) as caught:
        Repository(git.root).commit("x", files, decide=answer, tool="git_commit")
    assert caught.value.type == "cancelled"
    assert answer.asked[1:] == [True]
    assert everything(git) == before
