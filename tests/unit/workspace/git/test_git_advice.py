"""An error of git comes with what helps."""

import pytest

from ipuaro_jupyter.workspace.git.commits import _commit_advice
from ipuaro_jupyter.workspace.git.git_program import BUSY_ADVICE, failed


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("fatal: detected dubious ownership in repository at '/x'", "of its user"),
        ("Unable to create '/x/.git/index.lock': File exists.", BUSY_ADVICE),
    ],
)
def test_git_thatfailed_is_named(said, advice):
    error = failed(["-c", "a=b", "status", "-z"], said)
    assert error.message == f"git status failed: {said}"
    assert advice in error.suggestion


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("error: gpg failed to sign the data", "unlock the key"),
        ("*** Please tell me who you are.", "user.name"),
        ("Unable to create '/x/.git/index.lock': File exists.", BUSY_ADVICE),
        ("eslint: 3 problems", "Mend what the hook reports"),
    ],
)
def test_commit_thatfailed_is_explained(said, advice):
    assert advice in _commit_advice(said)
