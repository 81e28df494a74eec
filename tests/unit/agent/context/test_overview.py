"""The map that a conversation begins with."""

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.llm.scripted import ScriptedModel

FILES = {f"src/part{n:03}.ts": f"export function part{n:03}(at: Date) {{}}\n" for n in range(300)}
FILES["src/refunds.ts"] = "export class Refunds { pay() {} }\n"
EDIT = """\
<tool_call name="create_file">
<path>src/zebra.ts</path>
<content>export const stripes = 1
</content>
</tool_call>
"""


def first_outlined(model):
    """Return the first file with declarations in the system prompt of each request."""
    systems = [request.messages[0].content for request in model.requests]
    parts = [text.partition("### The most relevant files")[2] for text in systems]
    return [part.splitlines()[1].partition(" ")[0] for part in parts]


def test_the_message_decides_which_files_are_on_the_map(open_assistant, make_project):
    model = ScriptedModel(["One.", "Two."])
    assistant = open_assistant(make_project(FILES), model)
    assistant.ask("What does `part217` do?")
    assistant.ask("And what about `Refunds`?")
    assert first_outlined(model) == ["src/part217.ts", "src/refunds.ts"]


def test_the_map_stays_while_it_shows_what_is_asked_about(open_assistant, make_project):
    questions = ["What does `part217` do?", "Who calls `part217`?", "Can `part217` fail?"]
    model = ScriptedModel(["One."] * len(questions))
    assistant = open_assistant(make_project(FILES), model)
    for question in questions:
        assistant.ask(question)
    first, *others = [request.messages[0].content for request in model.requests]
    assert "src/part217.ts" in first
    assert others == [first, first]


def test_a_file_that_changed_is_read_anew_for_the_map(open_assistant, make_project):
    root = make_project(FILES)
    model = ScriptedModel(["One.", "Two."])
    assistant = open_assistant(root, model)
    assistant.ask("What does `part217` do?")
    (root / "src/part217.ts").write_text("\n\nexport function part217(until: Date) {}\n")
    assistant.reindex()
    assistant.ask("What does `part217` do?")
    before, after = (request.messages[0].content for request in model.requests)
    assert "1: part217(at)" in before
    assert "3: part217(until)" in after


def test_what_the_session_has_changed_is_on_the_map(open_assistant, make_project):
    model = ScriptedModel([EDIT, "Done.", "Yes."])
    assistant = open_assistant(make_project(FILES), model, auto_apply=True)
    assistant.ask("Make something new.")
    assistant.ask("Is it good?")
    assert first_outlined(model)[-1] == "src/zebra.ts"


def test_the_map_takes_its_share_of_the_window(open_assistant, make_project):
    root = make_project(FILES)
    sizes = []
    for number, share in enumerate((0.0, 0.02, 0.08)):
        model = ScriptedModel(["One."])
        context = {"context": {"mapShare": share}}
        with open_assistant(root, model, settings=context, session=None) as assistant:
            assistant.ask("Hello")
            sizes.append(count_tokens(model.requests[0].messages[0].content))
            window = model.context_tokens
        assert sizes[number] - sizes[0] <= share * window
    assert sizes[0] < sizes[1] < sizes[2]
