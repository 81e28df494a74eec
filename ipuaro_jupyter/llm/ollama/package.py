"""The door to Ollama's package, which creates a client from the environment on import."""

import os
from types import ModuleType

from ipuaro_jupyter.errors import ModelError

DEFAULT_HOST = "http://127.0.0.1:11434"


def package() -> ModuleType:
    """The package, imported when it is first needed: that takes long.

    Raises:
        ModelError: The environment is wrong, even where a setting names another host.
    """
    import httpx  # noqa: PLC0415 - slow to import

    try:
        import ollama  # noqa: PLC0415 - the same
    except (ValueError, httpx.InvalidURL, OSError, ImportError) as error:
        host = os.environ.get("OLLAMA_HOST")
        mend = f"OLLAMA_HOST {host!r} to an address like {DEFAULT_HOST}, or " if host else ""
        raise ModelError(
            f"The client of Ollama does not start: {error}. Set {mend}the proxies and "
            "certificates of the environment right."
        ) from error
    return ollama
