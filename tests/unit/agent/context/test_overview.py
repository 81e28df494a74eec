"""The map in the head, which stays as it is, and the files that a question names, beside it."""

import pytest

from ipuaro_jupyter.agent.context.relevance import NO_CHANGE
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.llm.scripted import ScriptedModel

FILES = {f"src/part{n:03}.ts": f"export function part{n:03}(at: Date) {{}}\n" for n in range(300)}
FILES["src/refunds.ts"] = "export class Refunds { pay() {} }\n"
FILES["src/Worker.ts"] = "export class Worker { work() {} }\nexport function work() {}\n"
FILES["src/zod/how.ts"] = "export function How() {}\nexport const it = 1\n"
EDIT = """\
<tool_call name="create_file">
<path>src/zebra.ts</path>
<content>export const stripes = 1
</content>
</tool_call>
"""


def systems(model):
    return [request.messages[0].content for request in model.requests]


def questions(model):
    return [request.messages[-1].content for request in model.requests]


@pytest.fixture
def asked(open_assistant, make_project):
    """Return what a model gets for questions, one after the other, about a project of FILES."""

    def ask(*told, replies=None, **given):
        model = ScriptedModel(replies or ["One."] * len(told))
        assistant = open_assistant(make_project(FILES), model, **given)
        for question in told:
            assistant.ask(question)
        return model

    return ask


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("What does `part217` do?", "src/part217.ts", "1: part217(at)"),
        ("What does part217(at) do?", "src/part217.ts", "1: part217(at)"),
        ("Explain src/part217.ts", "src/part217.ts", "1: part217(at)"),
        ("Explain part217.ts:1, please", "src/part217.ts", "1: part217(at)"),
        ("How do refunds come about?", "src/refunds.ts", "1: class Refunds {pay()}"),
        ("Is Refunds.pay() called?", "src/refunds.ts", "1: class Refunds {pay()}"),
        ("Was macht Refunds?", "src/refunds.ts", "1: class Refunds {pay()}"),
    ],
)
def test_what_a_question_names_is_told_beside_it(asked, question, path, line):
    model = asked(question)
    (told,) = questions(model)
    assert told.endswith(f"\n\n{question}")
    assert f"\n{path}\n" in told
    assert f"\n {line}\n" in told
    assert told.count(".ts") <= question.count(".ts") + 1


@pytest.mark.parametrize(
    "question",
    [
        "How does it work?",
        "How does this work, and is it good?",
        "What do the tests show?",
        "Who works here? What should happen next?",
        "Wie funktioniert das?",
        "Explain the general idea of the project.",
        "Is there something to improve in the code?",
    ],
)
def test_a_question_that_names_nothing_is_told_only_that_it_asks_for_no_change(asked, question):
    assert questions(asked(question)) == [f"{NO_CHANGE}\n\n{question}"]


def test_a_greeting_is_sent_as_it_is(asked):
    assert questions(asked("Hello")) == ["Hello"]


def test_the_head_stays_whatever_is_asked(asked):
    told = [f"What does `part{n}` do?" for n in (217, 218, 3)]
    model = asked(*told)
    first, *others = systems(model)
    assert others == [first, first]


def test_a_file_is_told_once_and_again_when_it_has_changed(open_assistant, make_project):
    root = make_project(FILES)
    model = ScriptedModel(["One.", "Two.", "Three."])
    assistant = open_assistant(root, model)
    assistant.ask("What does `part217` do?")
    assistant.ask("What does `part217` do?")
    (root / "src/part217.ts").write_text("\n\nexport function part217(until: Date) {}\n")
    assistant.reindex()
    assistant.ask("What does `part217` do?")
    first, again, after = questions(model)
    assert "1: part217(at)" in first
    assert again == f"{NO_CHANGE}\n\nWhat does `part217` do?"
    assert "3: part217(until)" in after
    assert len(set(systems(model))) == 1


def test_what_is_told_beside_a_question_is_not_the_users_word(open_assistant, make_project):
    root = make_project(FILES)
    model = ScriptedModel(["One.", "Two."])
    assistant = open_assistant(root, model)
    answer = assistant.ask("What does `part217` do?")
    assert answer.question == "What does `part217` do?"
    assert assistant.session.title == "What does `part217` do?"
    assert assistant.inputs()[-1] == "What does `part217` do?"
    assert "part217(at)" not in assistant.export(root / "talk.ipynb").read_text()


def test_a_change_of_the_session_leaves_the_head_as_it_is(asked):
    replies = [EDIT, "Done.", "Yes."]
    model = asked("Make something new.", "Is it good?", replies=replies, auto_apply=True)
    assert len(set(systems(model))) == 1


def test_the_map_takes_its_share_of_the_window(open_assistant, make_project):
    root = make_project(FILES)
    sizes = []
    for number, share in enumerate((0.0, 0.01, 0.02)):
        model = ScriptedModel(["One."])
        context = {"context": {"mapShare": share}}
        with open_assistant(root, model, settings=context, session=None) as assistant:
            assistant.ask("Hello")
            sizes.append(count_tokens(model.requests[0].messages[0].content))
            window = model.context_tokens
        assert sizes[number] - sizes[0] <= share * window + 10
    assert sizes[0] < sizes[1] < sizes[2]
