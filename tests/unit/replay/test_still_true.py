"""The answers of a saved notebook, compared with the code of today."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ipuaro_jupyter.errors import Cancelled, SettingsError
from ipuaro_jupyter.replay import check_answers
from ipuaro_jupyter.views.drawing import mimebundle

FILES = {
    "src/fee.ts": "export function fee(kg: number) {\n  return kg * 3\n}\n",
    "src/toll.ts": "export const TOLL = 5\n",
}
ANSWERS = [
    "`fee` (src/fee.ts:1) multiplies (src/fee.ts:2).",
    "`TOLL` is in src/toll.ts.",
    "It is fine.",
    "See `src/tol.ts`.",
]


@pytest.fixture
def asked(open_assistant, make_project, tmp_path):
    """Return the project's folder, its assistant, an exported notebook and a live one."""
    root = make_project(FILES)
    assistant = open_assistant(root, ANSWERS)
    answers = [assistant.ask(f"Question {number}?") for number in range(len(ANSWERS))]
    exported = assistant.export(tmp_path / "talk.ipynb")
    cells = [new_code_cell("1 + 1")]
    for answer in answers:
        drawn = answer._repr_mimebundle_()
        data, kept = drawn if isinstance(drawn, tuple) else (drawn, {})
        output = new_output("execute_result", data=data, metadata=kept, execution_count=1)
        cells.append(new_code_cell(f"%%ask\n{answer.question}", outputs=[output]))
    live = tmp_path / "live.ipynb"
    nbformat.write(new_notebook(cells=cells), live)
    return root, assistant, exported, live


def standings(report):
    return [one.standing for one in report.answers]


def test_nothing_has_changed(asked):
    _, assistant, exported, live = asked
    report = check_answers(exported, assistant.project())
    assert standings(report) == ["holds", "holds", "nothing to check", "never true"]
    assert report.untrue == 0
    assert report.to_dict()["untrue"] == 0
    assert str(report) == "talk.ipynb: 0 of 4 no longer true"
    again = check_answers(live, assistant.project())
    assert [one.gone for one in again.answers] == [
        (),
        (),
        ("src/tol.ts: there is no such file; closest: src/toll.ts",),
    ]
    assert [one.cell for one in again.answers] == [2, 3, 5]


@pytest.mark.parametrize("saved", [2, 3], ids=["exported", "live"])
def test_what_has_changed_is_told(asked, saved):
    root, assistant = asked[:2]
    (root / "src/fee.ts").write_text("// fees\n" * 9 + FILES["src/fee.ts"])
    (root / "src/toll.ts").unlink()
    report = check_answers(asked[saved], assistant.project())
    first, second = report.answers[:2]
    assert first.standing == second.standing == "no longer true"
    assert "src/fee.ts:1: these lines are now at line 10" in first.gone
    assert any(line.startswith("fee in src/fee.ts:1: not in these lines") for line in first.gone)
    assert [line.partition(":")[0] for line in second.gone] == [
        "src/toll.ts",
        "TOLL in src/toll.ts",
    ]
    assert report.untrue == 2
    data = mimebundle(report)
    assert "2 of" in data["text/plain"]
    assert "these lines are now at line 10" in data["text/html"]


def test_a_line_that_was_changed_is_told(asked):
    root, assistant, exported, _ = asked
    (root / "src/fee.ts").write_text(FILES["src/fee.ts"].replace("3", "4"))
    (first, *_) = check_answers(exported, assistant.project()).answers
    assert first.gone == ("src/fee.ts:2: these lines have changed",)


def test_blanks_at_the_edges_of_lines_do_not_count(asked):
    root, assistant, exported, _ = asked
    (root / "src/fee.ts").write_text(FILES["src/fee.ts"].replace("  return", "\treturn"))
    assert check_answers(exported, assistant.project()).untrue == 0


def test_without_a_kept_receipt_all_names_are_looked_up(asked):
    _, assistant, exported, _ = asked
    notebook = nbformat.read(exported, as_version=4)
    for cell in notebook.cells:
        for message in cell.metadata.get("ipuaro", {}).get("messages", ()):
            message.pop("receipt", None)
    nbformat.write(notebook, exported)
    report = check_answers(exported, assistant.project())
    assert standings(report) == ["holds", "holds", "nothing to check", "no longer true"]


def test_a_file_that_cannot_be_checked_is_refused(asked, tmp_path):
    _, assistant, exported, live = asked
    (tmp_path / "no.ipynb").write_text("{")
    with pytest.raises(SettingsError, match="is no notebook"):
        check_answers(tmp_path / "no.ipynb", assistant.project())
    notebook = nbformat.read(live, as_version=4)
    notebook.cells[1].outputs[0].metadata["ipuaro"] = {"answer": 3}
    nbformat.write(notebook, live)
    with pytest.raises(SettingsError, match="cell 2: its answer cannot be read"):
        check_answers(live, assistant.project())
    notebook = nbformat.read(exported, as_version=4)
    notebook.cells[2].metadata["ipuaro"]["replies"].append("x")
    nbformat.write(notebook, exported)
    with pytest.raises(SettingsError, match="cell 3: metadata"):
        check_answers(exported, assistant.project())


@pytest.mark.parametrize(
    ("field", "value"), [("first", -9), ("last", 99_999_999_999), ("digest", "x"), ("last", 0)]
)
def test_lines_that_cannot_be_are_refused(asked, field, value):
    _, assistant, _, live = asked
    notebook = nbformat.read(live, as_version=4)
    notebook.cells[1].outputs[0].metadata["ipuaro"]["receipt"]["cited"][0][field] = value
    nbformat.write(notebook, live)
    with pytest.raises(SettingsError, match="cell 2: its answer cannot be read"):
        check_answers(live, assistant.project())


def test_a_check_can_be_stopped_between_the_lines(asked, monkeypatch):
    _, assistant, exported, _ = asked
    project = assistant.project()

    def texts(*_):
        project.cancel.cancel()
        return {"src/fee.ts": (b"", "")}

    monkeypatch.setattr(type(project.index), "texts", texts)
    with pytest.raises(Cancelled):
        check_answers(exported, project)
