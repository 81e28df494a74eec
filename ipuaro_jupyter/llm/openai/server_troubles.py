"""The problems of the server or the model, with the user's remedies."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, assert_never

from ipuaro_jupyter.errors import ModelError, ToolsRefused, UnreadableCall
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.openai.chat_request import is_too_long, is_unreadable
from ipuaro_jupyter.llm.openai.openai_connection import (
    BrokenOff,
    OpenAiConnection,
    Redirected,
    Refusal,
    Unreachable,
    Unreadable,
)
from ipuaro_jupyter.llm.streaming import Silence

if TYPE_CHECKING:
    from ipuaro_jupyter.llm.openai.api_key import KeyState

TROUBLE = (Silence, Refusal, Unreachable, BrokenOff, Unreadable)
_NO_KEY, _FORBIDDEN = 401, 403
_NOT_FOUND = 404
_BEHIND = "A proxy stands between: look whether the server behind it runs."
_ADVICE = {
    402: "Look into your account there.",
    407: _BEHIND,
    413: "Lower llm.contextWindow (now {window}).",
    429: "It takes no more requests for now: wait, and ask again.",
    502: _BEHIND,
    503: "Ask again when it has loaded the model, or has less to do.",
    504: _BEHIND,
}
"""What to do about a status."""
_MOST_NAMED = 8


class ServerTroubles:
    """Translates exceptions of the connection into messages for the user, one line each.

    Args:
        name: The model, as the server knows it.
        connection: The connection to the server.
        settings: The settings of the request; the remedies name their keys.
        models: Asks for the names of the server's models.
        too_long: The remedy for a prompt that is longer than the window; "" is the common one.
    """

    def __init__(
        self,
        name: str,
        connection: OpenAiConnection,
        *,
        settings: LlmSettings,
        models: Callable[[], Sequence[str]],
        too_long: str = "",
    ) -> None:
        self._name = name
        self._connection = connection
        self._settings = settings
        self._models = models
        self._longer = too_long

    def translated(self, error: Exception, *, began: bool = False) -> ModelError:
        """The error to raise; ``began`` when a part of the reply had already come."""
        match error:
            case Silence():
                return self._silent(error.seconds)
            case Refusal():
                return self._refused(error)
            case Unreachable():
                return self._unreachable(error.tls)
            case BrokenOff():
                return self.broken_off()
            case Unreadable() if began:
                return self.broken_off("what it sent last cannot be read")
            case _:
                return ModelError(
                    f"What answers at {self._host} has no OpenAI-compatible API ({error}): set "
                    "llm.host to the address of one."
                )

    def missing(self, names: Sequence[str]) -> ModelError:
        """The error to raise when the server has no such model."""
        if not names:
            return ModelError(f"The server at {self._host} has no model {self._name!r}.")
        shown = ", ".join(names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        return ModelError(
            f"The server at {self._host} has no model {self._name!r}. It has: {shown}{more}."
        )

    def broken_off(self, reason: str = "") -> ModelError:
        """The error to raise when the reply ended early."""
        return ModelError(
            f"The answer of the server at {self._host} was cut off: "
            f"{reason or 'the connection broke'}. Ask again; if it happens again, look into the "
            "server's log."
        )

    def not_pulled(self) -> ModelError:
        """The error to raise when the model should be downloaded."""
        return ModelError(
            f"An OpenAI-compatible server cannot be told to download {self._name!r}: add the "
            "model to the server itself."
        )

    @property
    def _host(self) -> str:
        return self._connection.address.api

    def _unreachable(self, tls: str) -> ModelError:
        if not tls:
            return ModelError(f"No server answers at {self._host}: start it, or mend llm.host.")
        if "certificate" in tls.lower():
            return ModelError(
                f"The certificate of {self._host} is not trusted ({tls}): let SSL_CERT_FILE name "
                "the certificate of its authority before Jupyter starts."
            )
        return ModelError(
            f"{self._host} does not speak TLS ({tls}): if the server has none, let llm.host begin "
            "with http://."
        )

    def _silent(self, seconds: float) -> ModelError:
        settings = self._settings
        keys = {
            settings.load_timeout / 1000: f"llm.loadTimeout (now {settings.load_timeout} ms)",
            settings.timeout / 1000: f"llm.timeout (now {settings.timeout} ms)",
        }
        longer = f", or raise {keys[seconds]}" if seconds in keys else ""
        return ModelError(
            f"The server at {self._host} was silent for {seconds:g} s: look whether it works, "
            f"use a smaller model{longer}."
        )

    def _refused(self, error: Refusal) -> ModelError:
        said = error.said.strip().removesuffix(".")
        if is_unreadable(error):
            raw = error.body.get("failed_generation")
            return UnreadableCall(said, raw=raw if isinstance(raw, str) else "")
        if isinstance(error, Redirected):
            return ModelError(
                f"The server at {self._host} redirects to {said or 'nowhere'}: if you trust that "
                "address, set llm.host to it."
            )
        if error.status in (_NO_KEY, _FORBIDDEN):
            return self._unauthorised(error.status, said)
        if error.status == _NOT_FOUND:
            return self._not_found(said)
        told = f": {said}" if said else f" ({error.status})"
        advice = self._advice(error)
        return ModelError(
            f"The server at {self._host} cannot run {self._name!r}{told}. {advice}".strip()
        )

    def _unauthorised(self, status: int, said: str) -> ModelError:
        key = self._connection.key
        state: KeyState = key.state(self._connection.address)
        told = f" ({said})" if said else ""
        start = f"The server at {self._host}"
        match state:
            case "none":
                rest = (
                    f" wants a key{told}: put it into an environment variable, and let "
                    "llm.apiKeyEnv name that variable in your own settings."
                )
            case "unset":
                rest = (
                    f" wants a key{told}, but the environment variable {key.variable} is not set: "
                    "set it before Jupyter starts."
                )
            case "withheld":
                rest = (
                    f" wants a key{told}. Yours was not sent, because it belongs to another "
                    "llm.host: to send it here, let llm.apiKeyHost name this address in your own "
                    "settings."
                )
            case "unusable":
                rest = (
                    f" wants a key{told}, but what {key.variable} holds cannot be one: it has "
                    "blanks, or characters that are not ASCII."
                )
            case "sent":
                where = f" in {key.variable}" if key.variable else ""
                verb = "refuses the key" if status == _NO_KEY else "forbids this with the key"
                rest = f" {verb}{where}{told}: set the right one before Jupyter starts."
            case _:
                assert_never(state)
        return ModelError(start + rest)

    def _not_found(self, said: str) -> ModelError:
        if "model" in said.lower():
            try:
                return self.missing(self._models())
            except ModelError:
                return self.missing(())
        return ModelError(
            f"What answers at {self._host} has no OpenAI-compatible API (404): llm.host is the "
            "address above /chat/completions, which mostly ends in /v1."
        )

    def _advice(self, error: Refusal) -> str:
        if is_too_long(error):
            window = self._settings.context_window
            return self._longer or (
                f"Lower llm.contextWindow (now {window}) to the server's window, or start the "
                "server with a larger one."
            )
        return _ADVICE.get(error.status, "").format(window=self._settings.context_window)

    def tools_refused(self, error: Refusal) -> ToolsRefused:
        """The error to raise when the server takes no tools; the remedy if it is to take some."""
        said = error.said.strip().removesuffix(".")
        return ToolsRefused(
            f"The server at {self._host} takes no tools for {self._name!r}: {said}. Set "
            "llm.useNativeTools to false, or start the server so that it takes them (vLLM: "
            "--enable-auto-tool-choice and --tool-call-parser; llama.cpp: --jinja)."
        )
