"""Mentions in a question attach what they name, and an unknown one says what is close."""

import subprocess

import pytest
from shells import cells, one_shell

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.records.events import Noticed

__all__ = ["cells", "one_shell"]

SERVICE = """\
export class UserService {
  find(id: string) {
    return id;
  }
}

export function retry() {
  return 1;
}
"""
SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
FILES = {
    "src/service.ts": SERVICE,
    "src/说明.md": "Unicode\n",
    "a b.ts": "export const spaced = 1\n",
    "keys.ts": f'export const token = "{SECRET}"\n',
    "package.json": '{"dependencies": {"@theia/core": "1.0.0"}}\n',
    "docs/a.md": "a\n",
    "lib/a.md": "b\n",
}


@pytest.fixture
def ask(open_assistant, make_project):
    """Return a function that asks, and returns the answer and what the model was sent."""
    model = ScriptedModel(["Yes."] * 60)
    root = make_project(FILES)
    (root / "picture.bin").write_bytes(b"\0\1\2")
    assistant = open_assistant(root, model, settings={"context": {"notebook": "always"}})

    def asked(question):
        answer = assistant.ask(question)
        return answer, model.requests[-1].messages[-1].content

    asked.root, asked.assistant = root, assistant
    return asked


@pytest.mark.parametrize(
    ("question", "title", "content"),
    [
        ("What is @src/service.ts?", "src/service.ts", "class UserService"),
        ("@src/service.ts:2-3 why?", "src/service.ts lines 2-3", "     3\t    return id;"),
        ("@service.ts:2, why?", "src/service.ts line 2", "find(id: string)"),
        ("@src\\service.ts:2", "src/service.ts line 2", "find(id: string)"),
        ("@retry is odd", "retry in src/service.ts lines 7-9", "     8\t  return 1;"),
        ("Does @retry() work", "retry in src/service.ts lines 7-9", "     8\t  return 1;"),
        ("@UserService.find.", "UserService.find in src/service.ts lines 2-4", "return id"),
        ("@UserService", "UserService in src/service.ts lines 1-5", "     5\t}"),
        ('@"a b.ts" please', "a b.ts", "spaced"),
        ("看@src/说明.md。", "src/说明.md", "Unicode"),
        ("What is in @src/?", "the files of src/", "service.ts"),
        ("What is in @src?", "the files of src/", "service.ts"),
    ],
)
def test_a_mention_attaches_what_it_names(ask, question, title, content):
    answer, sent = ask(question)
    (one,) = answer.attached
    assert (one.title, one.problem) == (title, "")
    assert content in one.text
    assert one.text in sent
    assert sent.endswith(question)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("@src/servise.ts", ["no such file or folder", "@src/service.ts"]),
        ("@servce.ts:3", ["@src/service.ts"]),
        ("@retri please", ["no such file or symbol", "@retry"]),
        ("@dif", ["@diff"]),
        ('@"a c.ts"', ['@"a b.ts"']),
        ("@../../etc/passwd", ["outside"]),
        ("@/etc/passwd", ["outside"]),
        ('@"../could mean/service.ts"', ["outside", "Close: @src/service.ts"]),
        ("@a.md", ["could mean 2", "docs/a.md", "lib/a.md"]),
        ("@src/service.ts:900", ["start=900 is outside"]),
        ("@src:3", ["folder"]),
        ("@retry:3", ["no such"]),
        ("@picture.bin", ["picture.bin"]),
        ("@error", ["notebook"]),
        ("@cell:3", ["notebook"]),
        ("@diff", ["repository"]),
    ],
)
def test_what_cannot_be_attached_is_told_and_the_question_is_answered(ask, question, words):
    answer, sent = ask(question)
    (one,) = answer.attached
    assert (one.title, one.text) == ("", "")
    assert all(word in one.told for word in words), one.told
    assert answer.text == "Yes."
    assert one.told in sent


@pytest.mark.parametrize(
    "question",
    [
        "Write to me@example.com",
        "Where is @Injectable() used?",
        "Is @theia/core/lib/x used?",
        "@angular/zzz is a package",
        "@media and @param and @staticmethod",
        "`@src/service.ts`",
        'import x from "@foo/bar.ts"',
    ],
)
def test_what_is_no_mention_stays_text(ask, question):
    answer, sent = ask(question)
    assert answer.attached == ()
    assert sent.endswith(question)
    assert "Attached" not in sent


def test_secrets_are_hidden_and_the_room_is_bounded(ask):
    (ask.root / "huge.ts").write_text("".join(f"const x{n} = {n};\n" for n in range(9000)))
    answer, sent = ask("@keys.ts and @huge.ts and @src/service.ts")
    keys, huge, service = answer.attached
    assert SECRET not in sent
    assert "[redacted:" in keys.text
    assert huge.title == "huge.ts, in part"
    assert "more lines" in huge.text
    assert "class UserService" in service.text
    assert len(sent) < 60_000


def test_the_uncommitted_changes_are_attached_with_what_has_no_diff(ask):
    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            cwd=ask.root,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    (ask.root / "new.ts").write_text("export const n = 1\n")
    answer, _ = ask("Is @diff right?")
    assert "There is, without a diff, 1 untracked file: new.ts" in answer.attached[0].told
    (ask.root / "keys.ts").write_text(f'export const token2 = "{SECRET}"\n')
    answer, sent = ask("Is @diff right?")
    (one,) = answer.attached
    assert one.title == "the uncommitted changes, without 1 untracked file: new.ts"
    assert "+export const token2" in one.text
    assert SECRET not in sent


def test_the_same_is_attached_once_and_not_without_end(ask):
    answer, _ = ask("@src/service.ts @service.ts @src/service.ts:1")
    assert [one.title for one in answer.attached] == ["src/service.ts", "src/service.ts line 1"]
    many = " ".join(f"@src/service.ts:{line}-9" for line in range(1, 10))
    many += " " + " ".join(f"@src/service.ts:{line}-8" for line in range(1, 9))
    many += " " + " ".join(f"@src/service.ts:{line}-7" for line in range(1, 8))
    answer, _ = ask(many)
    assert sum(not one.problem for one in answer.attached) == 20
    assert answer.attached[-1].problem == "a question takes 20 attachments"


def test_the_error_and_cells_of_the_notebook_are_attached(ask, cells):
    ask.assistant.attach(cells.kernel)
    cells.run("print('made')")
    cells.run("{}['gone']")
    answer, sent = ask("@error, and what did @cell:1 do? And @cell:9?")
    error, cell, unknown = answer.attached
    assert error.title == "the error of cell [2]"
    assert "KeyError: 'gone'" in error.text
    assert sent.count("Cell [2] ended in an error") == 1
    assert cell.title == "cell [1] with its output"
    assert "print('made')" in cell.text
    assert "Close: @cell:1, @cell:2." in unknown.problem


def test_what_is_attached_is_told_drawn_kept_and_recorded(ask, tmp_path):
    events = list(ask.assistant.stream("@retry and @retri"))
    told = [event.text for event in events if isinstance(event, Noticed)]
    answer = events[-1].answer
    assert told == [one.told for one in answer.attached]
    drawn = answer._repr_mimebundle_()
    assert drawn["text/plain"].startswith("\n".join(told))
    assert "return 1;" in drawn["text/html"]
    path = ask.assistant.export(tmp_path / "kept.ipynb")
    assert "return 1;" in path.read_text()
    (turn,) = ask.assistant.transcript(turns=1).turns
    assert turn.attached == answer.attached
