"""The problems of the server or the model, with the user's remedies."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import ModelError, ModelMissing
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama.ollama_connection import Silence
from ipuaro_jupyter.llm.ollama.package import package

if TYPE_CHECKING:
    import ollama

_BAD_REQUEST, _NOT_FOUND, _BUSY = 400, 404, 503
_NO_MEMORY = ("memory", "cudamalloc", "unable to allocate", "failed to allocate")
_PROCESS_DIED = ("runner process has terminated", "runner process no longer running", "unexpected")


def trouble() -> tuple[type[Exception], ...]:
    """The exceptions of the connection, including those for responses of another kind of server.

    A function, because the package is only imported with the first request to the model.

    Raises:
        ModelError: The package cannot be imported.
    """
    import httpx  # noqa: PLC0415 - slow to import

    return (
        Silence,
        httpx.HTTPError,
        httpx.InvalidURL,
        package().ResponseError,
        OSError,
        ValueError,  # the response is not JSON, or not Ollama's
        RecursionError,  # it is nested too deep
        ExceptionGroup,  # from a name with several addresses
        TypeError,
        AttributeError,
    )


class Troubles:
    """Translates exceptions of the connection into messages for the user, one line each.

    Args:
        name: The model.
        host: The server.
        settings: The settings of the request; the remedies name their keys.
    """

    def __init__(self, name: str, host: str, settings: LlmSettings) -> None:
        self._name = name
        self._host = host
        self._settings = settings

    def translated(self, error: Exception, *, began: bool) -> ModelError:
        """The error to raise; ``began`` when a part of the response had already come."""
        if isinstance(error, Silence):
            return self._silent(error.seconds)
        if isinstance(error, OSError):
            return self.broken_off() if began else self._unreachable()
        return self._of_package(error, began=began)

    def _of_package(self, error: Exception, *, began: bool) -> ModelError:
        import httpx  # noqa: PLC0415 - slow to import

        if isinstance(error, package().ResponseError):
            return self._refused(error)
        if isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError)):
            return self.broken_off()
        if began:
            unread = not isinstance(error, httpx.HTTPError)
            return self.broken_off("what it sent last cannot be read" if unread else "")
        if isinstance(error, httpx.TransportError):
            return self._unreachable()
        return ModelError(
            f"What answers at {self._host} is not Ollama ({type(error).__name__}: {error})."
        )

    def missing(self) -> ModelMissing:
        """The error to raise when the server has no such model."""
        return ModelMissing(
            f"Ollama has no model {self._name!r}: run `ollama pull {self._name}`, or "
            "%ipuaro pull in a notebook."
        )

    def broken_off(self, reason: str = "") -> ModelError:
        """The error to raise when the response ended early."""
        return ModelError(
            f"The answer of Ollama at {self._host} was cut off: "
            f"{reason or 'the connection broke'}. Ask again; if it happens again, look into the "
            f"server's log: it may be out of memory ({self._smaller()})."
        )

    def not_pulled(self, reason: str) -> ModelError:
        """The error to raise when the server reports why it cannot download the model."""
        return ModelError(f"Ollama cannot pull {self._name!r}: {reason}")

    def _unreachable(self) -> ModelError:
        return ModelError(
            f"Ollama does not answer at {self._host}: run `ollama serve`, "
            f"then `ollama pull {self._name}`."
        )

    def _silent(self, seconds: float) -> ModelError:
        settings = self._settings
        keys = {
            settings.load_timeout / 1000: f"llm.loadTimeout (now {settings.load_timeout} ms)",
            settings.timeout / 1000: f"llm.timeout (now {settings.timeout} ms)",
        }
        longer = f", or raise {keys[seconds]}" if seconds in keys else ""
        return ModelError(
            f"Ollama at {self._host} was silent for {seconds:g} s: restart it, "
            f"use a smaller model{longer}."
        )

    def _refused(self, error: "ollama.ResponseError") -> ModelError:
        said = str(error.error).strip().removesuffix(".")
        if error.status_code == _NOT_FOUND:
            if "model" in said.lower():
                return self.missing()
            return ModelError(f"What answers at {self._host} is not Ollama (404).")
        return ModelError(
            f"Ollama cannot run {self._name!r}: {said}. {self._advice(error)}".strip()
        )

    def _advice(self, error: "ollama.ResponseError") -> str:
        said = str(error.error).lower()
        if any(sign in said for sign in _NO_MEMORY):
            return f"It needs less memory when you {self._smaller()}."
        if any(sign in said for sign in _PROCESS_DIED):
            return f"Mostly that is a lack of memory: {self._smaller()}."
        if error.status_code == _BAD_REQUEST and "tools" in said:
            return "Set llm.useNativeTools to false."
        if error.status_code == _BAD_REQUEST and "think" in said:
            return "Set llm.think to null."
        if error.status_code == _BUSY:
            return "Ask again when it has finished what it is doing."
        return ""

    def _smaller(self) -> str:
        window = self._settings.context_window
        return f"use a smaller model, or lower llm.contextWindow (now {window})"
