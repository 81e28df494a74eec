"""Saved answers that name very much, compared with the code of today."""

from ipuaro_jupyter.replay import check_answers


def test_all_that_held_is_looked_up_behind_names_that_nobody_knows(
    open_assistant, make_project, tmp_path
):
    here = "".join(f"export const fee{n} = {n}\n" for n in range(180))
    known = ", ".join(f"`fee{n}`" for n in range(180))
    unknown = ", ".join(f"`console.log{n}`" for n in range(120))
    assistant = open_assistant(make_project({"a.ts": here}), [f"{unknown}, {known}"])
    answer = assistant.ask("What is there?")
    assert len(answer.receipt.held) == 180
    exported = assistant.export(tmp_path / "talk.ipynb")
    report = check_answers(exported, assistant.project())
    assert [(one.standing, one.gone) for one in report.answers] == [("holds", ())]
