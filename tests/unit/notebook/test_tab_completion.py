"""What Tab offers, in a real kernel as JupyterLab asks, with and without jedi."""

import re
import shlex

import pytest
from IPython.core.completer import CompletionContext

from ipuaro_jupyter.notebook.kernel_values import expanded
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.notebook.tab_completion import Completion

FILES = {
    "src/retry.ts": "export class Retry {\n  again(): void {}\n}\nexport function retryAll() {}\n",
    "src/deep/util.ts": "export const helper = 1\n",
    "with space.ts": "export const spaced = 1\n",
    "README.md": "# Retry\n",
    ".ipuaro/commands/review.md": "Review $ARGUMENTS",
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


@pytest.fixture
def offers(open_project):
    """Return what is offered where ``|`` stands in a cell; None when Python may complete."""
    completion = Completion(open_project)

    def offered(code):
        before = code.partition("|")[0]
        context = CompletionContext(
            token="",
            full_text=code.replace("|", "", 1),
            cursor_position=len(before.rpartition("\n")[2]),
            cursor_line=before.count("\n"),
            limit=None,
        )
        found = completion.match(context)
        return [c.text for c in found["completions"]] if found["suppress"] else None

    return offered


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("%ipuaro rei|", ["reindex"]),
        ("%%ask\n/und|", ["/undo"]),
        ("%ask /rev|", ["/review"]),
        ("%%ask\n\n/rev|", ["/review"]),
        ("%%ask\nSay\n/rev|", []),
        ("%%ask\nSay /rev|", []),
        ("x = %ipuaro unde|", []),
        ("%ipuaro start --n|", ["--new"]),
        ("%ipuaro start --new --n|", []),
        ("%ipuaro undo --t|", ["--turn"]),
        ("%ipuaro allow |", ["list", "revoke"]),
        ("%ipuaro help und|", ["undo"]),
        ("%ipuaro nothing |", []),
        ("%tool get_com|", ["get_complexity"]),
        ("%tool get_lines |", ["README.md", "end=", "path=", "src/", "start="]),
        ("%tool get_lines path=src/|", ["src/deep/", "src/retry.ts"]),
        ("%tool get_lines path=w|", ['"with space.ts"']),
        ("%tool find_definition Re|", ["Retry", "Retry.again"]),
        ("%tool find_definition symbol=Retry.|", ["Retry.again"]),
        ("%tool grep x case_sensitive=|", ["false", "true"]),
        ("%tool grep x search_type=h|", ["hybrid"]),
        ("%tool nothing |", []),
        ("%%ask\nWhat does ret|", ["retryAll"]),
        ("%%ask\nExplain src/r|", ["src/retry.ts"]),
        ("%ask What is hel|", ["helper"]),
        ("%%ask\nExplain @src/r|", ["@src/retry.ts"]),
        ("%%ask\nExplain @src/|", ["@src/deep/", "@src/retry.ts"]),
        ("%%ask\nExplain @Retry.|", ["@Retry.again"]),
        ("%%ask\nExplain (@d|", ["@diff"]),
        ("%%ask\nExplain @wi|", ['@"with space.ts"']),
        ('%%ask\nExplain @"with sp|', ['@"with space.ts"']),
        ("%%ask\nExplain @|", ['@"with space.ts"', "@.ipuaro/", "@README.md", "@diff", "@src/"]),
        ("%%ask\nWrite to me@src/r|", []),
        ("%ask Look at @hel|", ["@helper"]),
        ("%%ask\nWith $`ret|", None),
        ("%%ask\nWith $`x` and ret|", ["retryAll"]),
        ("%%ask\nWhat |", None),
        ("ret|", None),
        ("%time ret|", None),
        ("y = 7 % re|", None),
    ],
)
def test_offers(offers, code, expected):
    if code == "%tool get_lines |":
        assert set(expected) <= set(offers(code))
    else:
        assert offers(code) == expected


def test_offers_sessions_of_the_project(open_project, offers):
    open_project.assistant.ask("Explain")
    known = open_project.assistant.session.id
    assert offers("%ipuaro start --session |") == [known]


def test_offers_folders_to_open(offers, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one.txt").write_text("")
    assert offers(f"%ipuaro start {tmp_path}/on|") == [f"{tmp_path}/one/"]


@pytest.mark.parametrize("name", ["{{cookiecutter.slug}}", "$x `{y}`", "a'b\nimport os", "{y} z"])
def test_offers_names_that_braces_and_dollars_make_no_code(offers, tmp_path, name):
    (tmp_path / "in" / name).mkdir(parents=True)
    (offered,) = offers(f"%ipuaro start {tmp_path}/in/|")
    filled = expanded(offered, {"x": 1, "y": 2, "cookiecutter": offers})
    assert shlex.split(filled) == [f"{tmp_path}/in/{name}/"]
    assert "\n" not in offered
    if not re.search(r"\s", name):
        assert offers(f"%ipuaro start {offered[:-4]}|") == [offered]


def test_offers_no_name_that_a_question_would_run(offers, open_project):
    for name in ("$`boom()`.ts", "a\nimport os.ts", "plain.ts"):
        (open_project.assistant.root / name).write_text("export const a = 1\n")
    open_project.assistant.reindex()
    for code in ("%%ask\nSee @|", "%%ask\nSee @$|", "%ask See @a|", "%tool get_lines a|"):
        assert not [offer for offer in offers(code) if "`" in offer or "\n" in offer]
    assert offers("%ask See @pla|") == ["@plain.ts"]


def test_offers_are_up_to_date_with_what_the_index_has_seen(open_project, offers):
    assert offers("%ask brandN|") == []
    (open_project.assistant.root / "new.ts").write_text("export const brandNew = 1\n")
    open_project.assistant.call("find_definition", {"symbol": "brandNew"})
    assert offers("%ask brandN|") == ["brandNew"]


def test_a_store_that_has_gone_is_no_error(project, recording, start_redis):
    url, server = start_redis
    open_project = OpenProject()
    open_project.open(str(project), model=f"recorded:{recording}", settings={"redis": {"url": url}})
    server.kill()
    server.wait(10)
    context = CompletionContext("", "%ipuaro start --session ", 24, 0, None)
    assert Completion(open_project).match(context) == {"completions": [], "suppress": True}
    open_project.close()


def test_without_a_project_the_words_are_known():
    completion = Completion(OpenProject())
    context = CompletionContext("", "%tool get_l", 11, 0, None)
    assert [c.text for c in completion.match(context)["completions"]] == ["get_lines"]
