"""A question before ``%ipuaro start`` offers to open the notebook's project."""

import pytest

from ipuaro_jupyter.settings.settings import Settings

OPEN, REJECT = {"action": "apply"}, {"action": "reject"}


@pytest.fixture
def unloaded(kernel, project, ollama_server):
    """A kernel whose notebook is in the project, with a model at hand."""
    (project / "package.json").write_text("{}")
    (project / "notebooks").mkdir()
    ollama_server.add_model(Settings().llm.model, capabilities=["tools"])
    kernel.run(
        f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}; "
        f"os.chdir({str(project / 'notebooks')!r})"
    )
    return kernel


@pytest.fixture
def inside(unloaded):
    """The same, with the extension."""
    unloaded.run("%load_ext ipuaro_jupyter")
    return unloaded


def test_the_project_is_opened_and_the_question_answered(inside, project, ollama_server):
    ollama_server.replies.append(["It retries."])
    ran = inside.run("%%ask\nWhat does it do?", decide=OPEN)
    assert ran.reply["status"] == "ok", ran.text
    shown = "\n".join(ran.seen)
    assert f"Agreed: Open {project.name} to answer this" in shown
    assert f"Opened {project}: 2 files." in ran.text
    assert "It retries." in ran.text
    assert f"Project: {project.name}" in inside.run("%ipuaro status").text
    ollama_server.replies.append(["It does."])
    assert "Open" not in inside.run("%ask Sure?").text


@pytest.mark.usefixtures("settings_of_the_wheel")
def test_the_first_cell_of_a_kernel_asks_too(unloaded, project):
    (opened,) = asked(unloaded, "%%ask\nWhat does it do?", REJECT)
    assert opened["title"] == f"Open {project.name} to answer this"


def test_a_cell_that_was_read_before_the_extension_is_to_be_run_again(unloaded):
    """As where a user's settings of IPython set ``extra_extensions``."""
    unloaded.run(
        "from ipuaro_jupyter.notebook import first_cell\n"
        "first_cell.unload_ipython_extension(get_ipython())\n"
        "get_ipython().magics_manager.lazy_magics.update(ask='ipuaro_jupyter')"
    )
    told = "the extension was loaded by this cell, which cannot ask yet; run it again"
    assert told in unloaded.run("%%ask\nWhat does it do?", decide=OPEN).text
    assert told not in unloaded.run("for n in [1]:\n    %ask What does it do?").text


def test_the_question_says_what_is_opened(inside, project):
    (opened,) = asked(inside, "%%ask\nWhat does it do?", REJECT)
    assert opened["title"] == f"Open {project.name} to answer this"
    assert opened["apply_word"] == "Open"
    for told in (f"Project: {project}", "Files: 2", f"Model: {Settings().llm.model} answers"):
        assert told in opened["detail"]


def asked(kernel, code, decide):
    """The questions of a cell, as they are drawn."""
    states = []

    def note(message):
        if message["msg_type"] == "comm_open":
            states.append(message["content"]["data"].get("state", {}))

    kernel.run(code, decide=decide, on_message=note)
    return [one for one in states if "apply_word" in one]


def test_nothing_is_opened_where_the_user_does_not_agree(inside, project):
    for options in ({"decide": REJECT}, {"allow_stdin": False}):
        ran = inside.run("%%ask\nWhat does it do?", **options)
        assert (ran.reply["status"], ran.reply["ename"]) == ("error", "ProjectError")
        assert f"Run %ipuaro start {project} first" in ran.text
    assert "No project is open" in inside.run("%ipuaro").text


def test_in_no_project_the_error_is_as_before(kernel, tmp_path):
    (tmp_path / "empty").mkdir()
    kernel.run(f"import os; os.chdir({str(tmp_path / 'empty')!r})")
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run("%%ask\nWhat does it do?", decide=OPEN)
    told = "No project is open in this kernel. Run %ipuaro start PATH first."
    assert ran.text.strip() == told
