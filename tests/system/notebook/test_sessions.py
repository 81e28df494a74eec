"""``%ipuaro sessions``, ``clear``, ``export``, ``auto-apply``, ``model`` and ``tools``."""

import nbformat


def test_a_session_that_another_kernel_has_open_is_left_alone(open_project, kernel):
    open_project.assistant.ask("Explain")
    ours = open_project.assistant.session.id
    assert "0 messages" in kernel.begin().text
    for action in ("load", "delete"):
        ran = kernel.run(f"%ipuaro sessions {action} {ours}")
        assert ran.reply["status"] == "error"
        assert "open in another kernel" in ran.text
    assert ours in kernel.run("%ipuaro sessions").text


def test_export_writes_a_notebook_where_the_kernel_is(kernel, project):
    kernel.begin("--auto-apply")
    kernel.run("%%ask\nRead it")
    kernel.run("%%ask\nRaise it")
    ran = kernel.run("%ipuaro export talk.ipynb")
    assert ran.reply["status"] == "ok", ran.text
    written = project.parent / "talk.ipynb"
    assert str(written) in ran.text
    notebook = nbformat.read(written, as_version=4)
    assert notebook.cells[1].source.splitlines()[1] == "%ipuaro start project --new"
    asked = [cell.source for cell in notebook.cells[2:]]
    assert asked == ["%%ask\nRead it", "%%ask\nRaise it"]
    notebook.cells.append(nbformat.v4.new_markdown_cell("mine"))
    nbformat.write(notebook, written)
    assert "--force" in kernel.run("%ipuaro export talk.ipynb").text
    assert kernel.run("%ipuaro export talk.ipynb --force").reply["status"] == "ok"
    assert len(nbformat.read(written, as_version=4).cells) == 4
