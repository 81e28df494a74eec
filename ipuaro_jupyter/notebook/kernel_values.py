"""Values of the kernel in the text of a message: `` $`expression` `` outside code fences."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from IPython.utils.text import DollarFormatter

from ipuaro_jupyter.cell_text import outside_fences

_VALUE = re.compile(r"\$`([^`\n]+)`")


def interpolate(text: str, evaluate: Callable[[str], Any]) -> tuple[str, list[str]]:
    """Insert values where the text asks for them.

    Args:
        text: The message as typed.
        evaluate: Returns the value of a Python expression, or raises.

    Returns:
        The text, and a notice for each place that stays as typed because it is not an expression or
        contains an unknown name.
    """
    notices: list[str] = []

    def value(match: re.Match[str]) -> str:
        try:
            return str(evaluate(match.group(1)))
        except Exception as error:  # noqa: BLE001 - the user's own expression may raise anything
            notices.append(f"{match.group(0)} was sent as typed: {_why(error)}.")
            return match.group(0)

    return outside_fences(text, lambda line: _VALUE.sub(value, line)), notices


def expanded(line: str, names: Mapping[str, Any]) -> str:
    """The line of a magic with ``{expression}`` and ``$name`` filled in, as IPython does.

    Only from ``names``: IPython's own `var_expand` gives the caller's variables precedence over the
    user's. A line that cannot be filled in stays as typed.
    """
    try:
        return str(DollarFormatter().vformat(line, (), dict(names)))
    except Exception:  # noqa: BLE001 - the user's own expression may raise anything
        return line


def _why(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return "it is not a Python expression"
    return str(error).rstrip(".") or type(error).__name__
