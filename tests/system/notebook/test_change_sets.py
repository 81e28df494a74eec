"""A change of several files in a real kernel: what is ticked is written, kept and replayed."""

import json

import pytest

LINES = "".join(f"const n{number} = {number};\n" for number in range(30))
CHANGES = [
    {"path": "src/a.ts", "start": 3, "end": 3, "content": "const two = 2;"},
    {"path": "src/a.ts", "start": 21, "end": 21, "content": ""},
    {"path": "src/b.ts", "start": 1, "end": 0, "content": "// head"},
    {"path": "src/new.ts", "content": "export {};\n"},
]
REPLY = f"""\
Three files need it.
<tool_call name="propose_changes"><changes>{json.dumps(CHANGES)}</changes></tool_call>
"""
READ = """\
<tool_call name="get_lines"><path>src/a.ts</path></tool_call>
<tool_call name="get_lines"><path>src/b.ts</path></tool_call>
"""
TURNS = {"Change them": [REPLY, "Done."], "Read and change them": [READ, REPLY, "Done."]}
PART = [{"number": 1, "hunks": [1]}, {"number": 3, "hunks": None}]


@pytest.fixture
def project(make_project):
    return make_project({"src/a.ts": LINES, "src/b.ts": LINES})


def contents(project):
    return {path.name: path.read_text() for path in (project / "src").iterdir()}


def test_what_is_ticked_is_written_recorded_undone_and_replayed(kernel, project):
    before = contents(project)
    kernel.begin()
    ran = kernel.run("%%ask\nChange them", decide={"action": "apply", "files": PART})
    assert contents(project) == {
        "a.ts": LINES.replace("const n2 =", "const two ="),
        "b.ts": LINES,
        "new.ts": "export {};\n",
    }
    record = "Applied 2 of 4 changes in 2 of 3 files: Change src/a.ts, src/b.ts and 1 more file"
    assert any(record in seen for seen in ran.seen)
    assert record in ran.result()["text/html"]
    assert "2 files changed (+2 \u22121)" in ran.text
    assert kernel.run("%ipuaro export talk.ipynb").reply["status"] == "ok"
    assert kernel.run("%ipuaro undo").reply["status"] == "ok"
    assert contents(project) == before
    replayed = kernel.run("%ipuaro replay talk.ipynb")
    assert "1 question, 1 tool call, no difference" in replayed.result()["text/plain"]


def test_all_that_is_ticked_is_applied_by_a_setting_and_nothing_without_anybody(kernel, project):
    before = contents(project)
    kernel.begin()
    ran = kernel.run("%%ask\nRead and change them", allow_stdin=False)
    assert contents(project) == before
    assert "there is nobody to ask" in ran.text
    kernel.run(f"{kernel.start_line} --auto-apply --new")
    kernel.run("%%ask\nRead and change them", allow_stdin=False)
    assert set(contents(project)) == {"a.ts", "b.ts", "new.ts"}
    assert contents(project)["b.ts"].startswith("// head\n")
