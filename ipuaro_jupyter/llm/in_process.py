"""Whether a model can run here without any server."""

import importlib.util

RUNTIME = "xllamacpp"
"""The package of the extra ``local``."""


def without_server() -> str:
    """What to do where no server has a model; "" when the runtime is not installed."""
    if importlib.util.find_spec(RUNTIME) is None:
        return ""
    return (
        " Without a server: `%ipuaro pull gguf:OWNER/REPO/FILE.gguf` gets a model that runs here."
    )
