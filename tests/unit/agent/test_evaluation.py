"""Answers that are checked against the code."""

from pathlib import Path

import pytest

from ipuaro_jupyter.agent.evaluation import code_of, evaluate, last_answer
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError, SettingsError
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.records.chat import Message, ToolCall

HARBOUR = Path(__file__).parents[2] / "projects" / "harbour"
FILES = {path.relative_to(HARBOUR).as_posix(): path.read_text() for path in HARBOUR.rglob("*.*")}
FILES["docs/notes.bin"] = b"\0\1"
ANSWER = "`book` is in `src/berth.ts:86-90`; see `src/harbour.ts` and `Berth.sink()`."
REVIEW = "<think>hm</think>**Holds in part**: there is no `sink`."


@pytest.fixture
def checked(open_assistant, make_project):
    """Return a function from the text of an answer to {named: (verdict, detail, closest)}."""
    assistant = open_assistant(make_project(FILES), [])
    project = assistant.project()

    def check(answer):
        found = evaluate(answer, project.index, project.workspace, ignored=assistant.tool_names)
        return {f.named: (f.verdict, f.detail, f.closest) for f in found.findings}

    return check


@pytest.mark.parametrize(
    ("answer", "named", "detail"),
    [
        ("`src/berth.ts`", "src/berth.ts", "a file"),
        ("`src/berth.ts:98`", "src/berth.ts:98", "98 lines"),
        ("berth.ts:1-9", "berth.ts:1-9", "src/berth.ts"),
        ("the folder `src/ui/`", "src/ui/", "a folder"),
        ("`Berth`", "Berth", "class in src/berth.ts:31"),
        ("`Berth.arrive`", "Berth.arrive", "function in src/berth.ts:48"),
        ("`berth.unload()` in src/berth.ts", "berth.unload in src/berth.ts", "function in"),
        ("call useBoard()", "useBoard", "function in src/ui/Board.tsx:39"),
        ("`<Board />`", "Board", "function in src/ui/Board.tsx:22"),
        ("`Cargo` in src/ship.ts", "Cargo in src/ship.ts", "type in src/ship.ts:2"),
        ("`book` (src/berth.ts:86-90)", "book in src/berth.ts:86-90", "function, lines 86, 87"),
        ("`arrive` (src/berth.ts:52)", "arrive in src/berth.ts:52", "function, lines"),
        ("`Cargo` in src/berth.ts", "Cargo in src/berth.ts", "it stands in line 1; declared in"),
        ("`Ship` (src/berth.ts:9)", "Ship in src/berth.ts:9", "it stands there; declared in"),
        ("`total` in `src/berth.ts`", "total in src/berth.ts", "it stands in line 75"),
    ],
)
def test_what_is_so_is_found_to_be_so(checked, answer, named, detail):
    verdict, told, closest = checked(answer)[named]
    assert (verdict, closest) == ("ok", ())
    assert told.startswith(detail)


@pytest.mark.parametrize(
    ("answer", "named", "detail", "closest"),
    [
        ("`src/birth.ts`", "src/birth.ts", "there is no such file", "src/berth.ts"),
        ("in lib/ship.ts", "lib/ship.ts", "there is no such file", "src/ship.ts"),
        ("`src/uj/`", "src/uj/", "there is no such file or folder", None),
        ("`src/ship.ts:5`", "src/ship.ts:5", "src/ship.ts has 4 lines", None),
        ("`src/ship.ts:0-2`", "src/ship.ts:0-2", "src/ship.ts has 4 lines", None),
        ("`Berht`", "Berht", "nowhere in the code", "Berth (src/berth.ts:31)"),
        ("`Berth.sink()`", "Berth.sink", "nowhere in the code", None),
        ("`KEEP` in `src/ship.ts`", "KEEP in src/ship.ts", "not in this file", "src/berth.ts:6"),
        (
            "`KEEP` (src/berth.ts:9)",
            "KEEP in src/berth.ts:9",
            "not in these lines",
            "src/berth.ts:6",
        ),
        (
            "`weigh` (src/berth.ts:2)",
            "weigh in src/berth.ts:2",
            "not in these lines",
            "src/berth.ts:74",
        ),
    ],
)
def test_what_is_not_so_is_found_with_what_was_meant(checked, answer, named, detail, closest):
    verdict, told, near = checked(answer)[named]
    assert (verdict, told) == ("wrong", detail)
    assert closest is None or closest in near


@pytest.mark.parametrize(
    ("answer", "named", "detail"),
    [
        ("`Promise`", "Promise", "of the language, not of the project"),
        ("`clamp`", "clamp", "not declared here, stands in src/berth.ts"),
        ("`x.unload()`", "x.unload", "unload is declared in src/berth.ts:73, of x it is not known"),
        ("`console.log()`", "console.log", "of the language, not of the project"),
        ("`/etc/passwd`", "/etc/passwd", "outside of the project"),
        ("`@scope/pkg`", "@scope/pkg", "nothing of this name"),
        ("`docs/notes.bin:3`", "docs/notes.bin:3", "docs/notes.bin has no lines that can be read"),
        ("`crane`", "crane", "a part of a file's name, no symbol"),
    ],
)
def test_what_the_project_cannot_say_is_unknown(checked, answer, named, detail):
    assert checked(answer)[named][:2] == ("unknown", detail)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "It is fine.",
        "Node.js and README.md",
        "`get_lines` and `grep`",
        "and/or",
        "e.g. Foo.bar",
    ],
)
def test_what_is_no_name_of_code_is_left_alone(checked, answer):
    assert checked(answer) == {}


def test_each_is_told_once(checked):
    assert len(checked("`Berth`, `Berth` and `Berth`; src/ship.ts, src/ship.ts")) == 2


def test_a_file_that_was_changed_is_read_anew(open_assistant, make_project):
    root = make_project(FILES)
    project = open_assistant(root, []).project()
    (root / "src/ship.ts").write_text("export const anchor = 1\n")
    found = evaluate("`anchor` (src/ship.ts:1), src/ship.ts:2", project.index, project.workspace)
    assert [(f.named, f.verdict) for f in found.findings] == [
        ("src/ship.ts:1", "ok"),
        ("src/ship.ts:2", "wrong"),
        ("anchor in src/ship.ts:1", "ok"),
    ]


def test_the_code_that_is_named_is_shown_once(open_assistant, make_project):
    project = open_assistant(make_project(FILES), []).project()
    answer = "`FullError`, src/berth.ts:24-26, src/ship.ts:2, `src/none.ts:3`, src/ship.ts:90"
    code = code_of(answer, project.index, project.workspace)
    assert list(code) == ["src/berth.ts:22-29", "src/ship.ts:1-4"]
    assert code["src/ship.ts:1-4"].splitlines()[0] == (
        "     1\texport interface Ship { name: string; draught: number }"
    )


def test_the_last_answer_is_evaluated_and_reviewed(open_assistant, make_project):
    model = ScriptedModel([ANSWER, REVIEW])
    assistant = open_assistant(make_project(FILES), model)
    assistant.ask("How is a berth booked?")
    before = assistant.session
    found = assistant.evaluate()
    assert [(f.named, f.verdict) for f in found.findings] == [
        ("src/berth.ts:86-90", "ok"),
        ("src/harbour.ts", "wrong"),
        ("book in src/berth.ts:86-90", "ok"),
        ("Berth.sink", "wrong"),
    ]
    assert found.review == "**Holds in part**: there is no `sink`."
    assert (found.notice, found.model) == ("", model.name)
    system, asked = model.requests[-1].messages
    assert model.requests[-1].tools == ()
    assert "You review the answer" in system.content
    for said in ("How is a berth booked?", ANSWER, "wrong: Berth.sink", "src/berth.ts:84-92"):
        assert said in asked.content
    assert "return occupied.get(name)" in asked.content
    assert assistant.session.messages == before.messages
    assert assistant.session.prompt_tokens > before.prompt_tokens


def test_it_can_be_typed_as_a_message(open_assistant, make_project):
    assistant = open_assistant(make_project(FILES), [ANSWER, REVIEW])
    assistant.ask("How?")
    said = assistant.ask("/eval").text
    assert "- wrong: src/harbour.ts (there is no such file" in said
    assert "**Holds in part**" in said
    assert assistant.session.messages == 2


def test_secrets_are_hidden_from_the_reviewer(open_assistant, make_project):
    secret = "sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MEFCQ0RFRkdISUpLTE1OT1A"
    model = ScriptedModel(["It is `API_KEY` (src/keys.ts:1).", "**Holds**"])
    root = make_project({"src/keys.ts": f"export const API_KEY = '{secret}'\n"})
    assistant = open_assistant(root, model)
    assistant.ask("Where is it?")
    assistant.evaluate()
    sent = model.requests[-1].messages[-1].content
    assert "API_KEY = '" in sent
    assert secret not in sent


def test_the_review_can_be_left_out(open_assistant, make_project):
    model = ScriptedModel([ANSWER])
    assistant = open_assistant(make_project(FILES), model)
    assistant.ask("How?")
    found = assistant.evaluate(review=False)
    assert (len(found.findings), found.review, found.notice) == (4, "", "")
    assert len(model.requests) == 1


class Broken(ScriptedModel):
    """A model whose server goes after the first answer."""

    def prepare(self, cancel):
        if self.requests:
            raise ModelError("Ollama does not answer.")
        super().prepare(cancel)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (Broken([ANSWER]), "Ollama does not answer."),
        (ScriptedModel([ANSWER, "<think>nothing</think>"]), "it wrote nothing"),
        (ScriptedModel([ANSWER, ModelError("x" * 5000)]), f"{'x' * 300} … {'x' * 300}"),
    ],
)
def test_what_was_found_is_returned_without_a_review(open_assistant, make_project, model, problem):
    assistant = open_assistant(make_project(FILES), model)
    assistant.ask("How?")
    found = assistant.evaluate()
    assert (len(found.findings), found.review) == (4, "")
    assert found.notice == f"The model has not reviewed the rest: {problem}"


def test_a_review_without_an_end_is_cut_off(open_assistant, make_project):
    assistant = open_assistant(make_project(FILES), [ANSWER, "on and on " * 50_000])
    assistant.ask("How?")
    assert 0 < len(assistant.evaluate().review) < 30_000


def test_a_stopped_evaluation_is_cancelled(open_assistant, make_project):
    assistant = open_assistant(make_project(FILES), [ANSWER, REVIEW])
    assistant.ask("How?")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        assistant.evaluate(cancel)


def test_without_an_answer_there_is_nothing_to_evaluate(open_assistant, make_project):
    with pytest.raises(SettingsError, match="There is no answer in this session yet"):
        open_assistant(make_project(FILES), []).evaluate()


def test_a_long_answer_about_much_code_fits_into_a_small_window(open_assistant, make_project):
    lines = "".join(f"export function f{n}() {{ return {n} }}\n" for n in range(3000))
    answer = " ".join(f"`f{n * 7}` (src/big.ts:{n * 7 + 1})" for n in range(150)) + " so" * 3000
    model = ScriptedModel([answer, "**Holds**"], context_tokens=4096)
    assistant = open_assistant(make_project({"src/big.ts": lines}), model)
    assistant.ask("What is there? " * 500)
    assert assistant.evaluate().review == "**Holds**"
    assert sum(len(message.content) for message in model.requests[-1].messages) < 3 * 4096


def test_the_last_answer_is_the_last_whole_one():
    call = ToolCall(name="grep", arguments={}, id="1")
    messages = [
        Message(role="user", content="One?"),
        Message(role="assistant", content="I look.", calls=(call,)),
        Message(role="tool", content="x", call_id="1"),
        Message(role="assistant", content="This."),
        Message(role="user", content="Two?"),
    ]
    assert last_answer(messages) == ("One?", "This.")
    stopped = Message(role="assistant", content="[Stopped.]", interrupted=True)
    assert last_answer([*messages, stopped]) == ("One?", "This.")
    assert last_answer([*messages, Message(role="assistant", content="That.")]) == ("Two?", "That.")
    assert last_answer([]) is None


def test_an_answer_that_was_cut_off_is_evaluated_as_a_whole():
    messages = [
        Message(role="user", content="One?"),
        Message(role="assistant", content="It is in `a.ts`,", raw="It is in `a.ts`, "),
        Message(role="tool", content="Go on."),
        Message(role="assistant", content="and `b.ts`.", raw="and `b.ts`."),
    ]
    assert last_answer(messages) == ("One?", "It is in `a.ts`, and `b.ts`.")
    messages[2:3] = [Message(role="tool", content="Error (parse): What is that?")]
    assert last_answer(messages) == ("One?", "and `b.ts`.")
