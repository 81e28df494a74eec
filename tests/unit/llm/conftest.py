"""Models of the test server, and what is read from their replies."""

import pytest
from tool_schemas import aliases, schemas

from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply

__all__ = ["aliases", "schemas"]


@pytest.fixture
def open_model(ollama_server):
    """Return how to open a model of the test server; it is closed afterwards."""
    opened = []

    def open_it(**settings):
        opened.append(OllamaModel(LlmSettings(**{"host": ollama_server.url, **settings})))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


@pytest.fixture
def read(schemas, aliases):
    """Parse a text; (name, arguments) of its calls, the errors, the text."""

    def parse(text, **options):
        reply = parse_reply(text, schemas, aliases=aliases, **options)
        return [(c.name, c.arguments) for c in reply.calls], list(reply.errors), reply.text

    return parse


@pytest.fixture
def calls(read):
    """Parse a text that holds nothing wrong; return (name, arguments) of its calls."""

    def parse(text):
        found, errors, _ = read(text)
        assert errors == []
        return found

    return parse


@pytest.fixture
def value(calls):
    """Return what is read from between the tags of a parameter."""

    def parse(inner, tool="create_file", parameter="content"):
        found = calls(f'<tool_call name="{tool}"><{parameter}>{inner}</{parameter}></tool_call>')
        return found[0][1][parameter]

    return parse
