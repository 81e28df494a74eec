"""The sentences of a message, without what is code, output or quotation."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TRACE = re.compile(
    r"^[ \t]*Traceback \(most recent call last\).*\n(?:(?:[ \t]+.*)?\n)*(?:\S.*)?"
    r"|^[ \t]*File \"[^\"\n]+\", line \d+.*|^[ \t]+at .*:\d+\)?[ \t]*$|^E[ ]{3}.*"
    r"|^[ \t]*[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt)(?::.*|[ \t]*)$",
    re.MULTILINE,
)
_LEFT_OUT = re.compile(
    r"(?s:<!--.*?-->)|^[ \t]*>.*$|^[ \t]*(?:\$|In ?\[\d*\]:|Out ?\[\d*\]:|\.\.\.) .*$"
    r"|^(?:[ ]{4,}|\t)(?![-*\u2022]|\d+[.)]).*$"
    r"|^[ \t]*(?:(?:import|from) [\w.]+(?: import .*)?|(?:async )?def \w+\(.*|class \w+.*:"
    r"|(?:const|let|var) \w+ =.*|[\w.\[\]\"']+ [-+*/|&]?= .*|.*[=(].*[;{}]|[\w.]+\(.*\))[ \t]*$",
    re.MULTILINE,
)
_SPAN = r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)"
_QUOTED = (
    r"\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|\u201e[^\u201c\n]{1,300}\u201c"
    r"|\u00ab[^\u00bb\n]{1,300}\u00bb|\u300c[^\u300d\n]{1,300}\u300d"
    r"|(?<![A-Za-z0-9_])'[^'\n]{1,300}'(?![A-Za-z0-9_])"
)
_CODE = re.compile(
    rf"{_SPAN}|{_QUOTED}|[a-z][a-z0-9+.-]{{0,19}}://[^\s)\]]+"
    r"|(?<![A-Za-z0-9_])(?:"
    r"@[\w./~:#-]*[\w/]"  # a mention
    r"|(?:\.{0,2}/|~/)?(?:[\w@.-]{1,80}/){1,20}[\w.@-]{0,80}\w"
    r"|\.?[A-Za-z0-9_][\w-]{0,80}(?:\.[A-Za-z_][\w-]{0,80}){1,20}(?:\(\))?"
    r"|\w+\([^()\n]{0,80}\)(?!:)|[A-Za-z0-9]*_\w+|[a-z]+[A-Z][A-Za-z0-9]*"
    r"|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?![A-Za-z0-9_])",
    re.ASCII,
)
_SHORTENED = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|z\. ?B|d\. ?h|bzw|u\. ?a|p\. ?ex|p\. ?ej"
    r"|\u0442\. ?[\u0435\u043a\u043f\u0434])\."  # Russian ones
)
_END = re.compile(
    r"(?<=[.!?\u2026])(?<!\n\d\.)(?<!\n\d\d\.)[)\"'*_]*\s+|(?<=[\u3002\uff01\uff1f\uff1b])|;\s|\n+"
)
_WRAPPED = re.compile(r"(?<=[^\n]{60})(?<![.:!?\u3002])\n(?=[a-z\u00df-\u00ff\u0430-\u044f])")
_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)]|\[[ xX]\])\s+")
_MARKS = re.compile(r"^[\s#>*_\u00bf\u00a1,:-]+|[\s*_.!\u2026\u3002\uff01,:;\uff0c\uff1a\uff1b-]+$")
_SIGNS = str.maketrans("'\u2018\uff1f\uff0c\uff1a", "\u2019\u2019?,:", "\u00bf\u00a1")
_LONGEST, _MOST, _LONGEST_SENTENCE = 6000, 60, 400

CODE = "\ue000\\d+\ue001"
"""A pattern that finds the place of a piece of code in a sentence."""
_PLACE = re.compile("\ue000(\\d+)\ue001")
_PLACE_SIGNS = re.compile("[\ue000\ue001]")
_ARGUMENTS = re.compile(r"\([^()]*\)$")


class MessageSentence(NamedTuple):
    """A sentence, a place in each place of code; ``is_item`` tells one of a list."""

    text: str
    is_item: bool


class MessageText(NamedTuple):
    """The sentences of a message and what was taken out of them.

    Attributes:
        sentences: In order; of a long message the first and the last.
        codes: The code in the sentences, by the number of its place, without quotes.
        has_trace: Whether an error as a program prints it was taken out.
    """

    sentences: tuple[MessageSentence, ...]
    codes: tuple[str, ...]
    has_trace: bool

    def names_in(self, sentence: str) -> list[str]:
        """The code in a sentence, in order, without the arguments of a call and the @."""
        codes = [self.codes[int(number)] for number in _PLACE.findall(sentence)]
        return [_ARGUMENTS.sub("", code).removeprefix("@") for code in codes]

    def restored(self, sentence: str) -> str:
        """A sentence with its code in it."""
        return _PLACE.sub(lambda found: self.codes[int(found[1])], sentence)


def message_text(message: str) -> MessageText:
    """The sentences of a message."""
    message = _PLACE_SIGNS.sub("", message)
    if len(message) > 2 * _LONGEST:
        message = f"{message[:_LONGEST]}\n\n{message[-_LONGEST:]}"
    text, traces = _TRACE.subn("\n", _FENCE.sub("\n", message.replace("\r\n", "\n")))
    text = _SHORTENED.sub("", _LEFT_OUT.sub("", text))
    codes: list[str] = []

    def place(found: re.Match[str]) -> str:
        codes.append(found[0].strip("`\"'\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d "))
        return f"\ue000{len(codes) - 1}\ue001"

    text = _WRAPPED.sub(" ", _CODE.sub(place, f"\n{text}")).translate(_SIGNS)
    sentences = tuple(_sentences(text))
    if len(sentences) > _MOST:
        sentences = sentences[: _MOST // 2] + sentences[-_MOST // 2 :]
    return MessageText(sentences, tuple(codes), bool(traces))


def _sentences(whole: str) -> Iterator[MessageSentence]:
    for part in _END.split(whole):
        item = _ITEM.match(part)
        words = _MARKS.sub("", part[item.end() :] if item else part)
        if words:
            text = " ".join(words.split())
            if len(text) > _LONGEST_SENTENCE:  # so that no rule takes long
                text = f"{text[:_LONGEST_SENTENCE]}{'?' if text[-1] == '?' else ''}"
            yield MessageSentence(text, item is not None)
