"""What the tests of the index share."""

import msgspec
import pytest

from ipuaro_jupyter.index.parse import parse_file
from ipuaro_jupyter.records.code import FileFacts


def parse_to_facts(content, path="src/a.ts"):
    """Return the facts of a file, checked against the records."""
    data = content if isinstance(content, bytes) else content.encode()
    return FileFacts.model_validate(msgspec.msgpack.decode(parse_file(path, data))["facts"])


@pytest.fixture
def read_facts():
    """Return a function from source text and path to checked facts."""
    return parse_to_facts


@pytest.fixture
def functions_of():
    """Return a function from source text to its functions by qualified name, the last one wins."""

    def read(content, path="src/a.ts"):
        return {
            function.qualified: function for function in parse_to_facts(content, path).functions
        }

    return read
