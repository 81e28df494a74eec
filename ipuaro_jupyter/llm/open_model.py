"""The model that a name stands for."""

from pathlib import Path

from ipuaro_jupyter.llm import LlmSettings, Model
from ipuaro_jupyter.llm.local import GGUF
from ipuaro_jupyter.llm.no_model import NONE, NoModel

RECORDED = "recorded:"
OPENAI = "openai:"


def door(spec: str) -> str:
    """The beginning of a model's name that says how it is asked; "" for Ollama."""
    return next((begin for begin in (RECORDED, OPENAI, GGUF) if spec.startswith(begin)), "")


def open_model(spec: str, settings: LlmSettings, base: Path) -> Model:
    """The model for ``spec``.

    A name that Ollama knows, "openai:NAME", "gguf:PATH", "gguf:OWNER/REPO/FILE", "recorded:FILE" or
    "none".

    Args:
        spec: The name.
        settings: How a server's model is asked; their own ``model`` is ignored.
        base: The folder to which a path is relative.

    Raises:
        ModelError: The recording cannot be read, or the name is none of a file of weights.
    """
    if spec == NONE:
        return NoModel()
    if spec.startswith(RECORDED):
        from ipuaro_jupyter.llm.scripted import RecordedModel  # noqa: PLC0415 - rarely needed

        file = spec.removeprefix(RECORDED)
        return RecordedModel(base / Path(file).expanduser(), label=file)
    if spec.startswith(OPENAI):
        from ipuaro_jupyter.llm.openai import OpenAiModel  # noqa: PLC0415 - rarely needed

        return OpenAiModel(spec, settings, served_as=spec.removeprefix(OPENAI))
    if spec.startswith(GGUF):
        from ipuaro_jupyter.llm.local.local_model import LocalModel  # noqa: PLC0415 - the same

        return LocalModel(spec, settings, base)
    from ipuaro_jupyter.llm.ollama import OllamaModel  # noqa: PLC0415 - slow to import

    return OllamaModel(settings.model_copy(update={"model": spec}))
