"""The prompt texts, which are files."""

import re
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def prompt_file(name: str, **values: str) -> str:
    """A file of ``prompts`` with its ``{placeholders}`` filled in.

    Raises:
        KeyError: A placeholder has no value. Braces in a value are kept as they are.
    """
    return _PLACEHOLDER.sub(lambda found: values[found[1]], _read(name))


def prompt_lines(name: str) -> list[str]:
    """The lines of a file of ``prompts`` that are not empty."""
    return [line for line in _read(name).splitlines() if line]


@cache
def _read(name: str) -> str:
    return files("ipuaro_jupyter.agent").joinpath("prompts", name).read_text(encoding="utf-8")
