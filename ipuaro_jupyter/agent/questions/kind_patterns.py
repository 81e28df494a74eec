"""The rules by which sentences are read, a file of ``patterns`` for each language."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from ipuaro_jupyter.agent.questions.message_sentences import CODE

_WORD = re.compile(r"[^\W\d_]+(?:\u2019[^\W\d_]+)?")
_PART = re.compile(r"\{([a-z_]+)\}")
_SIGN = re.compile(rf"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|{_PART.pattern}|\(|\)(?:[*?]|\{{0?,)?|\|")
_LITERAL = re.compile(r"(?:[\w \u2019-](?![?*{]))*")
_HEAD = len(r"\b")
_GIVEN = {"code": CODE, "name": rf"(?P<name>{CODE}|[A-Za-z_$][\w$]*)"}


@dataclass(frozen=True)
class SentenceRule:
    """What a sentence is if one of ``match`` finds something in it and none of ``unless``.

    Attributes:
        sentence: A kind of message, or "assent", "decline", "fault", "steps" or "unsure".
        asks: What a structural one asks; "" for any other.
        compiled: Compiles a pattern, once; those that no sentence gets to are never compiled.
    """

    sentence: str
    asks: str
    match: tuple[str, ...]
    unless: tuple[str, ...]
    compiled: Callable[[str], re.Pattern[str]]

    def reads(self, sentence: str) -> re.Match[str] | None:
        """What it finds in a sentence; None if it does not hold."""
        found = next(filter(None, (self._found(one, sentence) for one in self.match)), None)
        return None if found and any(self._found(one, sentence) for one in self.unless) else found

    def _found(self, pattern: str, sentence: str) -> re.Match[str] | None:
        """What a pattern finds. To compile one is slow: how it begins often tells that it fails."""
        words, beginnings = _opening(pattern)
        if words and not sentence.lower().startswith(words):
            return None
        fails = any(self.compiled(begin).search(sentence) is None for begin in beginnings)
        return None if fails else self.compiled(pattern).search(sentence)


@dataclass(frozen=True)
class LanguageRules:
    """The rules of a language.

    Attributes:
        name: The name of its file.
        common: Words that tell the language, in lower case.
        script: A pattern for a letter that tells it at once; None if the letters do not.
        text: The file, which is read as a whole once a sentence is in the language.
    """

    name: str
    common: frozenset[str]
    script: str | None
    text: str

    @cached_property
    def _data(self) -> dict[str, Any]:
        return tomllib.loads(self.text)

    @cached_property
    def rules(self) -> tuple[SentenceRule, ...]:
        """In their order: the first that holds decides."""
        compiled = cache(self._compiled)
        return tuple(
            SentenceRule(
                rule["is"],
                rule.get("asks", ""),
                tuple(rule["match"]),
                tuple(rule.get("unless", ())),
                compiled,
            )
            for rule in self._data["rules"]
        )

    def core(self, sentence: str) -> str:
        """A sentence without the words before what it says, and a request without its "?"."""
        while found := self._beginning.match(sentence):
            sentence = sentence[found.end() :]
            if found["request"]:
                sentence = sentence.removesuffix("?")
        return sentence

    @cached_property
    def _beginning(self) -> re.Pattern[str]:
        return self._compiled("(?:{lead}|(?P<request>{request}))(?=.)")

    @cached_property
    def _parts(self) -> dict[str, str]:
        own = {"lead": self._data["lead"], "request": self._data["request"]}
        parts = {name: _alternatives(part) for name, part in self._data["parts"].items()}
        return _GIVEN | own | parts

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        while (expanded := _PART.sub(lambda found: self._parts[found[1]], pattern)) != pattern:
            pattern = expanded
        return re.compile(pattern, re.IGNORECASE)

    def hits(self, sentence: str) -> int:
        """How many words of a sentence tell this language."""
        return sum(word in self.common for word in _WORD.findall(sentence.lower()))


@cache
def languages() -> tuple[LanguageRules, ...]:
    """All languages, English first."""
    folder = files("ipuaro_jupyter.agent.questions").joinpath("patterns")
    paths = sorted(folder.iterdir(), key=lambda path: (path.name != "en.toml", path.name))
    return tuple(_language(path.name, path.read_text("utf-8")) for path in paths)


def _language(name: str, text: str) -> LanguageRules:
    head = tomllib.loads(text.partition("\n[")[0])
    common = frozenset(head.get("common", "").split())
    return LanguageRules(name.removesuffix(".toml"), common, head.get("script"), text)


@cache
def _opening(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How a sentence begins that a pattern finds something in, and beginnings of the pattern.

    The first are those of the alternatives of "^…" or "^(?:…|…)", in lower case; () where they are
    not known. The beginnings end after the first group that has to find something, and before the
    first part: where they find nothing, neither does the whole. Only those that stand in no group
    count, and no part right at the head. Both are () if the pattern is a choice itself.
    """
    starts = [4 if pattern.startswith("^(?:") else 1] if pattern.startswith("^") else []
    depth = group = part = 0
    is_first = starts == [4]
    for found in _SIGN.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(found[0][0], 0)
        if found[0] == "|" and not depth:
            return (), ()
        if found[0] == "|" and depth == 1 and is_first:
            starts.append(found.end())
        if not depth and found[0][0] == ")":
            starts = [] if is_first and found[0] != ")" else starts
            is_first = False
        if not (depth or group or part) and found[0] == ")":
            group = found.end()
        if not (depth or part) and found[1] and found.start() > _HEAD:
            part = found.start()
    words = ["".join(_LITERAL.findall(pattern, at)[:1]).lower() for at in starts]
    return tuple(words) if all(words) else (), tuple(pattern[:end] for end in (group, part) if end)


def _alternatives(part: str | list[str]) -> str:
    return part if isinstance(part, str) else f"(?:{'|'.join(part)})"
