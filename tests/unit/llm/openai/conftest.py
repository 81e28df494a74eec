import pytest
from openai_server import OpenAiServer

from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.open_model import open_model as open_named


@pytest.fixture
def openai_server():
    """A running server of that kind, with one model, on a free port."""
    server = OpenAiServer(models={"qwen": {}})
    server.start()
    yield server
    server.stop()


@pytest.fixture
def open_model(openai_server, tmp_path):
    """Return how to open a model of the test server; it is closed afterwards."""
    opened = []

    def open_it(name="qwen", **settings):
        llm = LlmSettings(**{"host": openai_server.url, **settings})
        opened.append(open_named(f"openai:{name}", llm, tmp_path))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()
