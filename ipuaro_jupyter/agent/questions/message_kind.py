"""The kind of a message, by rule; see the package for the idea."""

import re
from typing import Literal, NamedTuple, cast

from ipuaro_jupyter.agent.questions.kind_patterns import LanguageRules, languages
from ipuaro_jupyter.agent.questions.message_sentences import MessageText, message_text
from ipuaro_jupyter.records.evidence import QuestionKind

Asks = Literal[
    "definition",
    "callers",
    "users",
    "dependents",
    "dependencies",
    "impact",
    "complexity",
    "todos",
    "files",
]

_FIRST = ("change", "run", "notebook", "explanation", "structural", "overview", "fault", "talk")


class MessageKind(NamedTuple):
    """What a message asks for.

    Attributes:
        kind: Its kind.
        is_sure: False if no rule holds, and it may as well be a request for a change.
        asks: What a structural question asks; None for any other kind.
        names: What it asks that about, as typed: names of symbols and paths.
    """

    kind: QuestionKind
    is_sure: bool = True
    asks: Asks | None = None
    names: tuple[str, ...] = ()


class _SentenceReading(NamedTuple):
    """How a sentence was read; ``sentence`` is that of its rule."""

    sentence: str
    asks: str = ""
    names: tuple[str, ...] = ()


def kind_of(message: str, *, after_offer: bool = False) -> MessageKind:
    """The kind of a message.

    Args:
        message: As typed, in any language.
        after_offer: Whether the last answer offered a change, so that "yes, do it" asks for it.
    """
    text = message_text(message)
    readings = _readings(text)
    given = {reading.sentence for reading in readings}
    if after_offer and "assent" in given and given.isdisjoint({"decline", "explanation"}):
        return MessageKind("change")
    if "decline" in given:
        readings = [one for one in readings if one.sentence != "change"]
    if text.has_trace:
        readings.append(_SentenceReading("fault"))
    for sentence in _FIRST:
        found = next((one for one in readings if one.sentence == sentence), None)
        if found is not None and not (sentence == "talk" and "unsure" in given):
            return _kind(found)
    return MessageKind("explanation", is_sure="decline" in given)


def _kind(reading: _SentenceReading) -> MessageKind:
    kind = "explanation" if reading.sentence == "fault" else cast("QuestionKind", reading.sentence)
    if not reading.asks:
        return MessageKind(kind)
    return MessageKind(kind, asks=cast("Asks", reading.asks), names=reading.names)


def _readings(text: MessageText) -> list[_SentenceReading]:
    known = languages()
    everything = " ".join(sentence.text for sentence in text.sentences)
    message_hits = {language.name: language.hits(everything) for language in known}
    readings: list[_SentenceReading] = []
    is_muted = False  # in a list of steps
    for sentence in text.sentences:
        is_muted = is_muted and sentence.is_item
        if is_muted:
            continue
        reading = _read(sentence.text, text, _speaking(sentence.text, known, message_hits))
        is_muted = reading.sentence == "steps"
        readings.append(reading)
    return readings


def _speaking(
    sentence: str, known: tuple[LanguageRules, ...], message_hits: dict[str, int]
) -> list[LanguageRules]:
    """The languages that a sentence may be in, the likeliest first."""
    latin = [language for language in known if language.script is None]
    for language in () if sentence.isascii() else known:
        if language.script is not None and re.search(language.script, sentence):
            return [language]
    counted = [(language.hits(sentence), message_hits[language.name]) for language in latin]
    best = max(counted)
    if best == (0, 0):
        return latin[:1]
    return [language for language, hits in zip(latin, counted, strict=True) if hits == best]


def _read(sentence: str, text: MessageText, speaking: list[LanguageRules]) -> _SentenceReading:
    plain = text.restored(sentence)
    for language in speaking:
        core = language.core(sentence)
        for rule in language.rules:
            found = rule.reads(plain if rule.sentence == "fault" else core)
            if found is not None:
                return _SentenceReading(rule.sentence, rule.asks, _names(found, sentence, text))
    return _SentenceReading("unsure")


def _names(found: re.Match[str], sentence: str, text: MessageText) -> tuple[str, ...]:
    word = found.groupdict().get("name") or ""
    is_word = word.isidentifier()  # else it is a place of code
    return tuple(dict.fromkeys([*([word] if is_word else []), *text.names_in(sentence)]))
