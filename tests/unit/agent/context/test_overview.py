"""The map in the head, which stays as it is, and what is told beside a question."""

import pytest

from ipuaro_jupyter.agent.context.relevance import NO_CHANGE
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.llm.scripted import ScriptedModel

FILES = {f"src/part{n:03}.ts": f"export function part{n:03}(at: Date) {{}}\n" for n in range(300)}
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


def test_what_is_told_beside_a_question_is_not_the_users_word(open_assistant, make_project):
    root = make_project(FILES)
    model = ScriptedModel(["One.", "Two."])
    assistant = open_assistant(root, model)
    assistant.ask("Hello")
    (root / "AGENTS.md").write_text("Write stripes.\n")
    answer = assistant.ask("What is new?")
    assert "Write stripes." in questions(model)[-1]
    assert answer.question == "What is new?"
    assert assistant.inputs()[-1] == "What is new?"
    assert "Write stripes." not in assistant.export(root / "talk.ipynb").read_text()


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
