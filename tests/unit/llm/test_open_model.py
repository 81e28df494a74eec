import json
import subprocess
import sys

import pytest

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.scripted import RecordedModel


def test_a_recording_is_found_beside_the_base(tmp_path):
    (tmp_path / "talk.json").write_text(json.dumps({"version": 1, "turns": []}))
    model = open_model("recorded:talk.json", LlmSettings(), tmp_path)
    assert isinstance(model, RecordedModel)
    assert model.name == "recorded:talk.json"


def test_a_missing_recording_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"talk\.json"):
        open_model("recorded:talk.json", LlmSettings(), tmp_path)


def test_any_other_name_is_ollamas(tmp_path):
    model = open_model("qwen3:8b", LlmSettings(model="other"), tmp_path)
    assert isinstance(model, OllamaModel)
    assert model.name == "qwen3:8b"
    model.close()


def test_settings_have_camel_case_keys():
    settings = LlmSettings.model_validate({"contextWindow": 8192, "useNativeTools": False})
    assert settings.context_window == 8192
    assert settings.to_dict()["model"] == "qwen2.5-coder:7b-instruct"


@pytest.mark.parametrize(
    "module", ["llm", "llm.scripted", "llm.text_calls.reply_parser", "llm.open_model"]
)
def test_importing_the_room_does_not_load_the_http_client(module):
    code = f"import sys, ipuaro_jupyter.{module}; sys.exit('ollama' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
