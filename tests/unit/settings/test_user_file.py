import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.settings import load_settings
from ipuaro_jupyter.settings.user_file import save_user_settings

CHOSEN = {"llm": {"model": "tiny", "contextWindow": 8192}}


def test_a_missing_file_is_created(home, tmp_path):
    path = save_user_settings(CHOSEN)
    assert path == home / "settings.json"
    assert json.loads(path.read_text()) == CHOSEN
    assert load_settings(tmp_path, {}).settings.llm.model == "tiny"


def test_other_keys_stay_in_their_order_and_indentation(home):
    before = {
        "$schema": "./x.json",
        "approve": "never",
        "llm": {"host": "http://h", "model": "old", "temperature": 0.5},
        "undo": {"stackSize": 3},
    }
    (home / "settings.json").write_text(json.dumps(before, indent=4, ensure_ascii=False))
    text = save_user_settings(CHOSEN).read_text()
    after = json.loads(text)
    assert list(after) == list(before)
    llm = {"host": "http://h", "model": "tiny", "temperature": 0.5, "contextWindow": 8192}
    assert after == before | {"llm": llm}
    assert '\n    "approve"' in text


def test_a_key_in_its_other_spelling_is_replaced(home):
    (home / "settings.json").write_text('{"llm": {"context_window": 4096}}')
    assert json.loads(save_user_settings(CHOSEN).read_text()) == CHOSEN


@pytest.mark.parametrize("broken", ["{", "[]", '{"llm": {"modle": "x"}}', '{"llm": 3}'])
def test_a_file_that_is_wrong_is_left_as_it_is(home, broken):
    (home / "settings.json").write_text(broken)
    with pytest.raises(SettingsError, match=r"settings\.json"):
        save_user_settings(CHOSEN)
    assert (home / "settings.json").read_text() == broken


def test_a_value_that_is_not_allowed_is_not_written(home):
    with pytest.raises(SettingsError, match="contextWindow"):
        save_user_settings({"llm": {"contextWindow": -1}})
    assert not (home / "settings.json").exists()


def test_a_folder_that_cannot_be_written_is_told_with_the_values(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("IPUARO_HOME", str(home / "file" / "home"))
    with pytest.raises(SettingsError, match=r"cannot be (written|read).*"):
        save_user_settings(CHOSEN)
