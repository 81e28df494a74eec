"""A real repository, and somebody who answers."""

import subprocess

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.git.repository import Repository


class Git:
    """A real repository on which a test works with git itself."""

    def __init__(self, root):
        self.root = root

    def __call__(self, *arguments, **options):
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def begin(self, *options):
        """Make the repository, with an author."""
        self("init", "-q", "-b", "main", *options)
        self("config", "user.name", "Dock Hand")
        self("config", "user.email", "dock@example.test")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def hook(self, name, text):
        self.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
        (self.root / ".git/hooks" / name).chmod(0o755)

    def place_outside(self, name, text="1\n"):
        """Commit a file under a path that leads out of the working tree, which git never does."""
        blob = self("hash-object", "-w", "--stdin", input=text).strip()
        outer = self("mktree", input=f"100644 blob {blob}\t{name}\n").strip()
        listed = self("ls-tree", "HEAD") + f"040000 tree {outer}\t..\n"
        tree = self("mktree", input=listed).strip()
        hash_ = self("commit-tree", tree, "-p", "HEAD", "-m", "outside").strip()
        self("update-ref", "HEAD", hash_)

    def state(self):
        """What is staged and what is not, and how many commits there are."""
        return self("status", "--porcelain"), self("diff", "--cached"), self("rev-parse", "HEAD")


class Answer:
    """Answers every question with ``decision`` and remembers what was asked."""

    def __init__(self, decision=None):
        self.decision = decision or Decision(action="apply")
        self.asked = []
        self.meanwhile = lambda: None

    def __call__(self, proposal):
        self.asked.append(proposal)
        self.meanwhile()
        return self.decision


def status(git):
    return Repository(git.root).status()


def diff(git, *arguments, **options):
    return Repository(git.root).diff(*arguments, **options)


def sizes(found):
    return {file.path: (file.insertions, file.deletions) for file in found.files}


def parted(git, path="a.ts"):
    """Commit a change of a file on another branch, and one of a.ts on main."""
    git("checkout", "-qb", "other")
    git.write(path, "other\n")
    git("commit", "-qam", "other")
    git("checkout", "-q", "main")
    git.write("a.ts", "main\n")
    git("commit", "-qam", "main")


def conflict(git):
    parted(git)
    merge = subprocess.run(
        ["git", "merge", "other"], cwd=git.root, capture_output=True, check=False
    )
    assert merge.returncode == 1
