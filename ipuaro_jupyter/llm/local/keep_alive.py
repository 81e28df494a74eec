"""How long a model stays in memory: the durations that Ollama takes."""

import re

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_USUAL_S = 1800.0
_SHORTEST_S = 5.0


def keep_alive_s(text: str | None) -> float:
    """The seconds of a duration such as "30m", "1h30m" or "90"; negative means for ever.

    None, and what is no duration, is half an hour. Less than five seconds would end a server
    between two questions of one turn.
    """
    if text is None:
        return _USUAL_S
    bare = text.strip()
    sign = -1 if bare.startswith("-") else 1
    bare = bare.lstrip("+-")
    parts = _PART.findall(bare)
    if parts and "".join(number + unit for number, unit in parts) == bare:
        seconds = sum(float(number) * _UNITS_S[unit] for number, unit in parts)
    elif re.fullmatch(r"\d+(\.\d+)?", bare):
        seconds = float(bare)
    else:
        return _USUAL_S
    return -1.0 if sign < 0 else max(seconds, _SHORTEST_S)
