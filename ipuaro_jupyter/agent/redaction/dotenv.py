"""Secrets in ``.env`` files: every value whose name suggests one, however short."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.secret_values import Secret, env_kind_of, is_placeholder_value

_LINE = re.compile(
    rf"^(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,8}}(?:#[ \t]{{0,4}})?(?:export[ \t]{{1,4}})?"
    r"(?P<name>[A-Za-z_][\w.-]{0,63})[ \t]{0,8}=[ \t]{0,8}(?:\"(?P<double>[^\"\n]{4,512})\""
    r"|'(?P<single>[^'\n]{4,512})'|(?P<bare>[^\s\"'#][^\n]{3,512}))",
    re.MULTILINE,
)
_SHORTEST = 4


def in_dotenv(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the secrets in a part of a text that is from a ``.env`` file."""
    for line in _LINE.finditer(text, start, end):
        kind = env_kind_of(line["name"])
        if not kind or line.lastgroup is None:
            continue
        at, value = line.start(line.lastgroup), line[line.lastgroup]
        if line.lastgroup == "bare":
            value = value.partition(" #")[0].rstrip()
        if len(value) >= _SHORTEST and not is_placeholder_value(value):
            yield Secret(at, at + len(value), kind)
