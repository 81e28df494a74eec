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
        match, unless = (map(self.compiled, patterns) for patterns in (self.match, self.unless))
        found = next(filter(None, (one.search(sentence) for one in match)), None)
        return None if found and any(one.search(sentence) for one in unless) else found


@dataclass(frozen=True)
class LanguageRules:
    """The rules of a language.

    Attributes:
        name: The name of its file.
        common: Words that tell the language, in lower case.
        script: Finds a letter that tells it at once; None if the letters do not.
    """

    name: str
    common: frozenset[str]
    script: re.Pattern[str] | None
    data: dict[str, Any]

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
            for rule in self.data["rules"]
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
        own = {"lead": self.data["lead"], "request": self.data["request"]}
        parts = {name: _alternatives(part) for name, part in self.data["parts"].items()}
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
    data = tomllib.loads(text)
    script = re.compile(data["script"]) if "script" in data else None
    common = frozenset(data.get("common", "").split())
    return LanguageRules(name.removesuffix(".toml"), common, script, data)


def _alternatives(part: str | list[str]) -> str:
    return part if isinstance(part, str) else f"(?:{'|'.join(part)})"
