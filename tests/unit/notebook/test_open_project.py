"""One project is open in a kernel, also when the next one cannot be opened."""

import pytest

from ipuaro_jupyter.errors import IpuaroError, ModelError, SettingsError


@pytest.mark.parametrize(
    "options", [{"session": "typo"}, {"settings": {"llm": {"temperature": "hot"}}}]
)
def test_what_is_wrong_is_told_before_the_open_project_is_closed(open_project, project, options):
    before = open_project.assistant
    with pytest.raises(SettingsError):
        open_project.open(str(project), **options)
    assert open_project.assistant is before
    assert before.call("get_lines", {"path": "src/retry.ts"}).success


def test_a_wrong_settings_file_leaves_the_project_open(open_project, project):
    (project / ".ipuaro.json").write_text("{")
    with pytest.raises(IpuaroError, match=r"\.ipuaro\.json"):
        open_project.open(str(project))
    assert open_project.assistant.call("get_lines", {"path": "src/retry.ts"}).success


def test_an_opening_that_fails_late_opens_the_session_again_as_it_was(
    open_project, project, tmp_path
):
    open_project.assistant.ask("Explain")
    session, model = open_project.assistant.session.id, open_project.assistant.model.name
    open_project.assistant.approve = "never"
    with pytest.raises(ModelError) as told:
        open_project.open(str(project), model=f"recorded:{tmp_path / 'none.json'}", new=True)
    assert "closed now" not in str(told.value)
    assert (open_project.assistant.session.id, open_project.assistant.model.name) == (
        session,
        model,
    )
    assert open_project.assistant.session.messages == 2
    assert open_project.assistant.approve == "never"


def test_a_session_without_messages_is_begun_anew_by_an_opening_that_fails_late(
    open_project, project, tmp_path
):
    with pytest.raises(ModelError):
        open_project.open(str(project), model=f"recorded:{tmp_path / 'none.json'}")
    assert open_project.assistant.session.messages == 0
    assert open_project.assistant.ask("Explain").ended == "done"
