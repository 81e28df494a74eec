"""One project is open in a kernel, also when the next one cannot be opened."""

import pytest

from ipuaro_jupyter.errors import IpuaroError, ModelError, SettingsError


@pytest.mark.parametrize(
    "options", [{"session": "typo"}, {"settings": {"llm": {"temperature": "hot"}}}]
)
def test_what_is_wrong_is_told_before_the_open_project_is_closed(desk, project, options):
    before = desk.assistant
    with pytest.raises(SettingsError):
        desk.open(str(project), **options)
    assert desk.assistant is before
    assert before.call("get_lines", {"path": "src/retry.ts"}).success


def test_a_wrong_settings_file_leaves_the_project_open(desk, project):
    (project / ".ipuaro.json").write_text("{")
    with pytest.raises(IpuaroError, match=r"\.ipuaro\.json"):
        desk.open(str(project))
    assert desk.assistant.call("get_lines", {"path": "src/retry.ts"}).success


def test_an_opening_that_fails_late_opens_the_session_again_as_it_was(desk, project, tmp_path):
    desk.assistant.ask("Explain")
    session, model = desk.assistant.session.id, desk.assistant.model.name
    desk.assistant.approve = "never"
    with pytest.raises(ModelError) as told:
        desk.open(str(project), model=f"recorded:{tmp_path / 'none.json'}", new=True)
    assert "closed now" not in str(told.value)
    assert (desk.assistant.session.id, desk.assistant.model.name) == (session, model)
    assert desk.assistant.session.messages == 2
    assert desk.assistant.approve == "never"


def test_a_session_without_messages_is_begun_anew_by_an_opening_that_fails_late(
    desk, project, tmp_path
):
    with pytest.raises(ModelError):
        desk.open(str(project), model=f"recorded:{tmp_path / 'none.json'}")
    assert desk.assistant.session.messages == 0
    assert desk.assistant.ask("Explain").ended == "done"
