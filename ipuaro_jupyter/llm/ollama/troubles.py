"""The problems of the server or the model, with the user's remedies."""

import json
import re
from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import ModelError, ModelMissing, UnreadableCall
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.in_process import without_server
from ipuaro_jupyter.llm.ollama.package import package
from ipuaro_jupyter.llm.streaming import Silence

if TYPE_CHECKING:
    import ollama

_BAD_REQUEST, _NOT_FOUND, _BUSY = 400, 404, 503
_SERVER_ERROR = 500

# What the server says of a call that it cannot read: for gpt-oss with the call, for other models
# the bare errors of its parsers, which are those of Go's JSON and XML.
_OF_A_CALL = re.compile(r"pars(?:e|ing) (?:the )?(?:tool|function)[ _]call", re.IGNORECASE)
_OF_A_PARSER = re.compile(
    r"failed to parse (?:json|xml|arguments)|xml syntax error|expected element |eof$"
    r"|invalid character |unexpected end of json|json: cannot unmarshal|invalid tool call"
    r"|empty function name|mismatched arg_key|tool '.*' not found",
    re.IGNORECASE,
)
_RAW_CALLS = (
    re.compile(r"raw='(?P<raw>.*)', err=(?P<reason>.*)", re.DOTALL),
    re.compile(r"raw='(?P<raw>.*)'(?P<reason>)$", re.DOTALL),
)

_OF_A_SCHEMA = re.compile(r"\b(?:format|json[ _-]?schema|schema|grammar)\b", re.IGNORECASE)
_NO_MEMORY = re.compile(
    r"out ?of ?(?:\w+ ?)?memory|(?:system|more|enough|insufficient|allocate|commit) memory"
    r"|memory layout|cudamalloc|bad_alloc|(?:unable|failed) to allocate"
)
_NOT_SUPPORTED = re.compile(
    r"(?:unknown|unsupported) (?:model )?architecture|by your version|with your version"
    r"|(?:unable|failed) to load model|error loading model"
)
# Only that the process is gone: the system ends the largest ones when memory runs out.
_PROCESS_DIED = re.compile(
    r"runner process (?:has terminated|no longer running):?\s*"
    r"(?:signal: (?:killed|aborted|bus error)\b.*|exit status .*|-?\d+)?$"
    r"|unexpectedly stopped|(?:running the model|/completion\"): (?:unexpected )?eof"
    r"|forcibly closed"
)


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


def refuses_schema(error: BaseException | None) -> bool:
    """Whether the server says that it cannot write by the schema of the request."""
    return (
        isinstance(error, package().ResponseError)
        and error.status_code in (_BAD_REQUEST, _SERVER_ERROR)
        and _OF_A_SCHEMA.search(str(error.error)) is not None
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
            f"%ipuaro pull in a notebook.{without_server()}"
        )

    def broken_off(self, reason: str = "") -> ModelError:
        """The error to raise when the response ended early."""
        return ModelError(
            f"The answer of Ollama at {self._host} was cut off: "
            f"{reason or 'the connection broke'}. Ask again; if it happens again, look into the "
            f"server's log: it may be out of memory ({self._smaller()})."
        )

    def repeated(self) -> ModelError:
        """The error to raise when the response ended in order, but without its last part.

        The server does that when the model writes the same word more than 30 times.
        """
        return ModelError(
            f"The answer of Ollama at {self._host} was cut off: {self._name!r} repeats itself, or "
            "the server was stopped. Ask again, in other words, or use another model."
        )

    def not_pulled(self, reason: str) -> ModelError:
        """The error to raise when the server reports why it cannot download the model."""
        return ModelError(f"Ollama cannot pull {self._name!r}: {reason}")

    def _unreachable(self) -> ModelError:
        return ModelError(
            f"Ollama does not answer at {self._host}: run `ollama serve`, "
            f"then `ollama pull {self._name}`. If it runs elsewhere, set llm.host to its address."
            f"{without_server()}"
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
        if _OF_A_CALL.search(said) or (_is_of_the_run(error) and _OF_A_PARSER.match(said)):
            return self._unreadable_call(said)
        advice = self._advice(error)
        return ModelError(f"Ollama cannot run {self._name!r}: {said}. {advice}".strip())

    def _unreadable_call(self, said: str) -> UnreadableCall:
        found = next(filter(None, (form.search(said) for form in _RAW_CALLS)), None)
        raw = _unescaped(found["raw"]) if found else ""
        reason = found["reason"] if found else said
        return UnreadableCall(
            f"Ollama could not read the tool call that {self._name!r} wrote"
            f"{f': {reason}' if reason else ''}. Ask again; if it happens often, set "
            "llm.useNativeTools to false, or use another model.",
            raw=raw,
        )

    def _advice(self, error: "ollama.ResponseError") -> str:
        said = str(error.error).lower().replace(self._name.lower(), "").strip().removesuffix(".")
        status = error.status_code
        advices = (
            (status == _BAD_REQUEST and "tools" in said, "Set llm.useNativeTools to false."),
            (status == _BAD_REQUEST and "think" in said, "Set llm.think to null."),
            (status == _BUSY, "Ask again when it has finished what it is doing."),
            (_NO_MEMORY.search(said), f"It needs less memory when you {self._smaller()}."),
            (_NOT_SUPPORTED.search(said), f"Update Ollama, then run `ollama pull {self._name}`."),
            (_PROCESS_DIED.search(said), f"Mostly that is a lack of memory: {self._smaller()}."),
            (_is_of_the_run(error), "Look into the server's log."),
        )
        return next((advice for applies, advice in advices if applies), "")

    def _smaller(self) -> str:
        window = self._settings.context_window
        return f"use a smaller model, or lower llm.contextWindow (now {window})"


def _is_of_the_run(error: "ollama.ResponseError") -> bool:
    """Whether the server failed at it, or in the middle of the response, which has no status."""
    return error.status_code >= _SERVER_ERROR or error.status_code < 0


def _unescaped(raw: str) -> str:
    """The call as the model wrote it, where the server sent it as a string of JSON."""
    if '\\"' not in raw or re.search(r'(?<!\\)"', raw):
        return raw
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw
