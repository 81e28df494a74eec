"""What a server says of its models, which each kind of server says elsewhere."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from ipuaro_jupyter.llm.openai.openai_connection import BrokenOff, Refusal, Unreadable
from ipuaro_jupyter.llm.openai.server_address import ServerAddress

_WINDOW_KEYS = (  # vLLM and SGLang, LM Studio, OpenRouter, Groq, LiteLLM, llama.cpp
    *("max_model_len", "loaded_context_length", "context_length", "context_window"),
    *("max_context_length", "max_input_tokens", "n_ctx", "n_ctx_train"),
)
_LLAMA_CPP = "llamacpp"

Get = Callable[[str], Any]
"""Requests the JSON at a URL."""


@dataclass(frozen=True, slots=True)
class StatedAbilities:
    """The model's abilities as the server reports them; None where it does not.

    Attributes:
        reports_reading: Whether it can say how far it has read a prompt, as llama.cpp can.
    """

    context_tokens: int | None = None
    tools: bool | None = None
    parameter_count: int | None = None
    reports_reading: bool = False


class ListedModel(NamedTuple):
    """An entry of the server's list of models."""

    name: str
    other_names: tuple[str, ...]
    facts: Mapping[str, Any]

    @property
    def serves_any_name(self) -> bool:
        """Whether its server ignores the name in a request."""
        return self.facts.get("owned_by") == _LLAMA_CPP and "status" not in self.facts


def read_list(listed: Any) -> tuple[ListedModel, ...]:
    """The entries of a response to ``/models``.

    Raises:
        Unreadable: It is no list of models.
    """
    entries = listed.get("data") if isinstance(listed, dict) else listed
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable("no list of models")
    named = [(entry.get("id") or entry.get("name"), entry) for entry in entries]
    return tuple(
        ListedModel(name, tuple(map(str, _list(entry.get("aliases")))), entry)
        for name, entry in named
        if isinstance(name, str)
    )


def find(models: Iterable[ListedModel], name: str) -> ListedModel | None:
    """The entry that a request for ``name`` reaches; None when there is none.

    Ollama lists a model under its name and tag, and takes the name for the tag "latest".
    """
    known = list(models)
    for model in known:
        if model.name in (name, f"{name}:latest") or name in model.other_names:
            return model
    if len(known) == 1 and known[0].serves_any_name:
        return known[0]
    return None


def learned(model: ListedModel, address: ServerAddress, get: Get) -> StatedAbilities:
    """The abilities of a model, from its entry and from what its kind of server has besides."""
    meta = model.facts.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    parameters = _count(meta.get("n_params"))
    if model.facts.get("owned_by") == _LLAMA_CPP or meta:
        props = _asked(get, f"{address.root}/props?model={quote(model.name, safe='')}")
        return StatedAbilities(
            _window(props.get("default_generation_settings"), meta),
            _tools(props),
            parameters,
            reports_reading=model.facts.get("owned_by") == _LLAMA_CPP,
        )
    window = _window(model.facts)
    if window is None:
        window = _window(_of_lm_studio(model.name, address, get))
    return StatedAbilities(window, None, parameters)


def _of_lm_studio(name: str, address: ServerAddress, get: Get) -> Mapping[str, Any]:
    listed = _asked(get, f"{address.root}/api/v0/models")
    with suppress(Unreadable):
        for model in read_list(listed):
            if model.name == name:
                return model.facts
    return {}


def _asked(get: Get, url: str) -> Mapping[str, Any]:
    """The JSON object at a URL that not every server has; {} where there is none."""
    try:
        found = get(url)
    except (Refusal, BrokenOff, Unreadable):
        return {}
    return found if isinstance(found, dict) else {}


def _window(*sources: Any) -> int | None:
    """The first window that one of the sources states."""
    for source in sources:
        for key in _WINDOW_KEYS if isinstance(source, dict) else ():
            if (tokens := _count(source.get(key))) is not None:
                return tokens
    return None


def _tools(props: Mapping[str, Any]) -> bool | None:
    """Whether the model's template takes tools; llama.cpp silently drops them where it does not."""
    caps = props.get("chat_template_caps")
    can = caps.get("supports_tools") if isinstance(caps, dict) else None
    return can if isinstance(can, bool) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
