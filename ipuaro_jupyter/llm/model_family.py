"""The family of a model, and its number of parameters, by its name.

Each file in ``families`` is a family, with the attributes of `ModelFamily` as keys. A comment above
a key names where its value is from; a key whose source was not found is left out.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from ipuaro_jupyter.llm.wishes import Sampling
from ipuaro_jupyter.records.record import Record

_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_PER_BILLION = {"b": 1.0, "m": 1000.0}
_BILLION = 1e9


class ModelFamily(Record):
    """A family of models; None is what no source tells.

    Attributes:
        name: Its name, that of its file.
        names: Patterns of its name as Ollama, Hugging Face and llama.cpp write it, in lower case,
            with "-" for "_".
        sizes: The parameters in billions, and the GB of a file of them at 4 bits.
        window: Tokens, of the smallest model where they differ.
        thinking: Whether it thinks before a reply: "switch" where that can be turned off, "effort"
            where only lessened, "always"; None if it never does.
        native_calls: Whether it calls tools in the form that servers read.
        sampling: What its card recommends; empty if nothing.
        thinking_sampling: The same while it thinks, where that differs.
    """

    name: str
    names: tuple[str, ...]
    sizes: tuple[tuple[float, float], ...] = ()
    window: int | None = Field(None, ge=1024)
    thinking: Literal["switch", "effort", "always"] | None = None
    native_calls: bool | None = None
    sampling: Sampling = Sampling()
    thinking_sampling: Sampling | None = None

    def sampled(self, *, thinks: bool) -> Sampling:
        """What its card recommends for a reply with or without thinking."""
        return (self.thinking_sampling if thinks else None) or self.sampling

    def gigabytes(self, parameters: float) -> float | None:
        """The size of a file at 4 bits for the next listed number of parameters, in GB."""
        return next((gb for size, gb in sorted(self.sizes) if size >= parameters * 0.9), None)


@cache
def families() -> tuple[ModelFamily, ...]:
    """All families, by name."""
    found = (
        ModelFamily(name=path.name.removesuffix(".toml"), **tomllib.loads(path.read_text("utf-8")))
        for path in files("ipuaro_jupyter.llm").joinpath("families").iterdir()
        if path.name.endswith(".toml")
    )
    return tuple(sorted(found, key=lambda family: family.name))


def family_of(model_name: str) -> ModelFamily | None:
    """The family of a model, by a name as Ollama, Hugging Face or a file gives it; None if unknown.

    Where several patterns fit, the longest match counts: "deepseek-r1-0528-qwen3-8b" is no Qwen.
    """
    for part in _parts(model_name):
        fitting = [
            (len(match[0]), family)
            for family in families()
            for pattern in family.names
            if (match := re.search(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9]|\.\d)", part))
        ]
        if fitting:
            return max(fitting, key=lambda fit: fit[0])[1]
    return None


def parameters_of(model_name: str, counted: int | None = None) -> float | None:
    """The parameters of a model in billions, of all experts; None if nothing tells them.

    Args:
        model_name: A name such as "qwen2.5-coder:1.5b", "Qwen3-30B-A3B-Q4_K_M.gguf" or "8x7b".
        counted: The number that the server or the file of weights states, which counts first.
    """
    if counted:
        return counted / _BILLION
    for part in _parts(model_name):
        if size := _SIZE.search(part):
            experts, number, unit = size.groups()
            return int(experts or 1) * float(number) / _PER_BILLION[unit]
    return None


def _parts(model_name: str) -> Iterator[str]:
    """The parts of a path in a name, the last first, in lower case with "-" for "_"."""
    return reversed(model_name.lower().replace("_", "-").split("/"))
