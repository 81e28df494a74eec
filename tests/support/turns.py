"""A conversation that uses all that the store keeps, on any kind of server."""

from ipuaro_jupyter import ScriptedModel

FEE = "export function fee(kg: number): number {\n  return kg * 2\n}\n"
READ = '<tool_call name="get_lines">\n<path>src/fee.ts</path>\n</tool_call>'
FIND = '<tool_call name="find_references">\n<symbol>fee</symbol>\n</tool_call>'


def edit(factor: int) -> str:
    """The call that changes the factor in `FEE`."""
    return (
        '<tool_call name="edit_lines">\n<path>src/fee.ts</path>\n<start>2</start>\n'
        f"<end>2</end>\n<content>  return kg * {factor}</content>\n</tool_call>"
    )


def use_all(open_assistant, root, settings):
    """Hold conversations in ``root`` that read, find, change, undo and redo, and end."""
    model = ScriptedModel([READ, FIND, edit(3), "It is 3 now.", "Good.", "A new one."])
    assistant = open_assistant(root, model, settings=settings, confirm=lambda _proposal: True)
    assert assistant.ask("Make it 3").text.endswith("It is 3 now.")
    assert assistant.undo().success
    assert assistant.redo().success
    (root / "src/new.ts").write_text("import { fee } from './fee'\nexport const ten = fee(10)\n")
    assistant.reindex()
    (root / "src/new.ts").unlink()
    assistant.reindex()
    assert [one.title for one in assistant.sessions()] == ["Make it 3"]
    assert assistant.inputs() == ("Make it 3",)
    assert assistant.decisions()
    assistant.status(stored=True)
    assert assistant.ask("Thanks").text == "Good."
    first = assistant.session.id
    assistant.clear()
    assistant.close()
    again = open_assistant(root, ["A new one."], settings=settings, new=True)
    assert again.ask("Hello").text == "A new one."
    again.delete_session(first)
    again.load(again.session.id)
    again.close()
