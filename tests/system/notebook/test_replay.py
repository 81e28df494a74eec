"""``%ipuaro replay``, and what an export and a replay look like in a kernel."""

EDITED = "attempts = 5"


def exported(kernel):
    """Have a conversation with an edit, and export it."""
    kernel.begin("--auto-apply")
    kernel.run("%%ask\nRead it")
    kernel.run("%%ask\nRaise it")
    ran = kernel.run("%ipuaro export talk.ipynb")
    assert ran.reply["status"] == "ok", ran.text


def test_a_replay_in_the_notebook_shows_the_difference(kernel, project):
    exported(kernel)
    source = project / "src/retry.ts"
    assert EDITED in source.read_text()
    same = kernel.run("%ipuaro replay talk.ipynb")
    assert same.reply["status"] == "ok", same.text
    assert "2 questions, 2 tool calls, no difference" in same.result()["text/plain"]
    assert "Put back to what the session had found, in the copy: src/retry.ts" in same.text
    source.write_text(source.read_text().replace("retry", "again"))
    changed = kernel.run("%ipuaro replay talk.ipynb")
    shown = changed.result()
    assert "1.1 get_lines" in shown["text/plain"]
    assert "<del" in shown["text/html"]
    assert "async function again" in shown["text/plain"]
    assert "again" in source.read_text()


def test_a_replay_of_what_is_no_recording_is_one_sentence(kernel):
    exported(kernel)
    ran = kernel.run("%ipuaro replay none.ipynb")
    assert ran.reply["status"] == "error"
    assert "cannot be read" in ran.text
    assert "no difference" in kernel.run("%ipuaro replay talk.ipynb").text


def test_an_exported_notebook_runs_from_its_first_cell(kernel, recording):
    """Its setup opens the project; with a model that answers the same, so does every cell."""
    exported(kernel)
    cells = kernel.run(
        "import json; print(json.dumps([c['source'] for c in "
        "json.load(open('talk.ipynb'))['cells'] if c['cell_type'] == 'code']))"
    )
    assert "%ipuaro start project --new" in cells.text
    setup = kernel.run("%load_ext ipuaro_jupyter\n%ipuaro start project --new")
    assert setup.reply["status"] == "ok", setup.text
    assert kernel.run(f"%ipuaro model recorded:{recording}").reply["status"] == "ok"
    assert "I have read it." in kernel.run("%%ask\nRead it").text
