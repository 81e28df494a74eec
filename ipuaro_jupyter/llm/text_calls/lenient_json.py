"""JSON with the slips that models make: repaired as far as nothing has to be guessed.

A repair sees the structure alone: every text, number and word of the original is replaced by a
placeholder before, and has to be in its place afterwards, once. So commas and brackets may be
wrong, quotes and literals those of another language; but no text is cut, joined or left out.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from json_repair import loads as load_repaired

_TOKEN = re.compile(
    r"""(?P<double>"(?>[^"\\]+|\\.)*")|(?P<single>'(?>[^'\\]+|\\.)*')|(?P<curly>\u201c[^\u201c\u201d]*\u201d)"""
    r"|(?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)|(?P<empty>\[\s*\]|\{\s*\})|(?P<mark>[{}\[\]:,\s])"
    r"""|(?P<word>[^{}\[\]:,\s"'\u201c\u201d]+)""",
    re.DOTALL,
)
_IS_KEY = re.compile(r"\s*:")
_NAME = re.compile(r"[A-Za-z_$][\w$\-]*")
_NUMBER = re.compile(r"[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")
_ESCAPE = re.compile(r"""(\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))|\\'|["\\]""")
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_PLACEHOLDER = "\ue000"


def load_lenient(text: str) -> Any:
    """The value of a text that is nearly JSON.

    Raises:
        ValueError: What it says would have to be guessed.
    """
    values: list[Any] = []
    skeleton = "".join(_marks_in(text, values))
    try:
        structure = load_repaired(skeleton, skip_json_loads=True)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    restored = _Restored(values)
    value = restored.value(structure)
    if restored.count != len(values):
        raise ValueError("its brackets and commas cannot be told apart")
    return value


def _marks_in(text: str, values: list[Any]) -> Iterator[str]:
    """The structure of the text, its values replaced by placeholders and put into ``values``."""
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"a text that begins at character {at} has no end")
        at = token.end()
        match token.lastgroup:
            case "mark":
                yield token[0]
            case "comment":
                yield " "
            case "empty":
                values.append([] if token[0][0] == "[" else {})
                yield _placeholder(values)
            case kind:
                is_key = _IS_KEY.match(text, at) is not None
                values.append(_scalar(str(kind), token[0], is_key=is_key))
                yield _placeholder(values)


def _placeholder(values: list[Any]) -> str:
    return f'"{_PLACEHOLDER}{len(values) - 1}"'


def _scalar(kind: str, written: str, *, is_key: bool) -> Any:
    if kind == "curly":
        return written[1:-1]
    if kind != "word":
        return _unescaped(written)
    if is_key and _NAME.fullmatch(written):
        return written
    if written.lower() in _LITERALS:
        return _LITERALS[written.lower()]
    if not _NUMBER.fullmatch(written):
        raise ValueError(f"{written[:40]!r} has no quotes")
    number = written.removeprefix("+")
    return float(number) if set(number) & set(".eE") else int(number)


def _unescaped(written: str) -> str:
    """The text between the quotes; a backslash that escapes nothing stands for itself."""
    inner = _ESCAPE.sub(_escaped, written[1:-1])
    value: str = json.loads(f'"{inner}"', strict=False)
    return value


def _escaped(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return "'" if found[0] == "\\'" else "\\" + found[0]


class _Restored:
    """Puts the values back into a structure that was repaired; ``count`` is how many."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values
        self.count = 0

    def value(self, structure: Any) -> Any:
        match structure:
            case dict():
                entries = [(self._text(key), self.value(inner)) for key, inner in structure.items()]
                if len(dict(entries)) < len(entries):
                    raise ValueError("it says the same twice")
                return dict(entries)
            case list():
                return [self.value(inner) for inner in structure]
            case _:
                return self._next(structure)

    def _text(self, key: Any) -> str:
        value = self._next(key)
        return value if isinstance(value, str) else json.dumps(value)

    def _next(self, placeholder: Any) -> Any:
        """The next value, whose placeholder this has to be."""
        if placeholder != f"{_PLACEHOLDER}{self.count}":
            raise ValueError("its brackets and commas cannot be told apart")
        self.count += 1
        return self._values[self.count - 1]
