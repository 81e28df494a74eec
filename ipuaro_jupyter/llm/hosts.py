"""Where what a model is sent goes."""

from urllib.parse import urlsplit

from ipuaro_jupyter.llm import Model

CLOUD_HOST = "ollama.com"
_CLOUD_ENDINGS = (":cloud", "-cloud")


def is_cloud_model(name: str) -> bool:
    """Whether Ollama passes on what a model of this name is sent, wherever the server runs."""
    return name.strip().lower().endswith(_CLOUD_ENDINGS)


def is_ollamas_cloud(address: str) -> bool:
    """Whether an address is of Ollama's own servers, reached by TLS."""
    try:
        parts = urlsplit(address)
        is_tls = parts.scheme == "https" and parts.port in (None, 443)
    except ValueError:
        return False
    return is_tls and f".{parts.hostname}".endswith(f".{CLOUD_HOST}")


def remote_host(model: Model) -> str | None:
    """The host that the model's prompts leave this machine for; None if they stay or none is known.

    A model says so by an attribute ``remote_host``, which the protocol does not ask for.
    """
    host = getattr(model, "remote_host", None)
    return host if isinstance(host, str) else None


def stays_here(model: Model) -> bool:
    """Whether the model says that its prompts stay on this machine."""
    return getattr(model, "remote_host", "") is None
