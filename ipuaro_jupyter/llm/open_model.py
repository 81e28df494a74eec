"""The model that a name stands for."""

from pathlib import Path

from ipuaro_jupyter.llm import LlmSettings, Model

RECORDED = "recorded:"


def open_model(spec: str, settings: LlmSettings, base: Path) -> Model:
    """The model for ``spec``: a name that Ollama knows, or "recorded:FILE".

    Args:
        spec: The name.
        settings: How an Ollama model is asked; its own ``model`` is ignored.
        base: The folder to which a recording's path is relative.

    Raises:
        ModelError: The recording cannot be read.
    """
    if spec.startswith(RECORDED):
        from ipuaro_jupyter.llm.scripted import RecordedModel  # noqa: PLC0415 - rarely needed

        file = spec.removeprefix(RECORDED)
        return RecordedModel(base / Path(file).expanduser(), label=file)
    from ipuaro_jupyter.llm.ollama import OllamaModel  # noqa: PLC0415 - slow to import

    return OllamaModel(settings.model_copy(update={"model": spec}))
