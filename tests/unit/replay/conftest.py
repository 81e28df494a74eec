import pytest
import talks
from shells import cells, one_shell
from workspaces import empty, git

__all__ = ["cells", "empty", "git", "one_shell"]


@pytest.fixture
def project(make_project):
    root = make_project(talks.FILES, name="app")
    talks.git(root, "init", "-q", "-b", "main")
    talks.git(root, "config", "user.name", "Dock Hand")
    talks.git(root, "config", "user.email", "dock@example.test")
    talks.git(root, "add", "-A")
    talks.git(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def record(project, open_assistant, tmp_path):
    """Return a function that has a conversation and exports it."""

    def make(replies, questions, answers=(), **options):
        given = iter(answers)
        assistant = open_assistant(project, replies, confirm=lambda _: next(given), **options)
        for question in questions:
            assistant.ask(question)
        path = assistant.export(tmp_path / "talk.ipynb", force=True)
        assistant.close()
        return path

    return make


@pytest.fixture
def steady_talk(record):
    replies = [reply.replace("; date +%s%N", "; sleep 0.01; date") for reply in talks.REPLIES]
    return record(replies, ["Raise the fee", "Add a file"], talks.ANSWERS)
