"""What the words around a name say of it: to be made, not there, or foreign."""

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import NamedTuple

_MAKING = re.compile(
    r"\b(?:create|creating|created|add|adding|introduc(?:e|ing)|extract(?:ing)?|rename[ds]?|renaming"
    r"|move|moving|propos(?:e|ed|al|ing)|suggest(?:s|ed|ion|ing)?|recommend(?:ed|ing)?|consider"
    r"|could|should|would|might|let'?s|let me|(?:I|we|you)(?:'ll| will| can| need| want)|imagine"
    r"|suppose|instead|hypothetical(?:ly)?|call it|write a|writing a|define a|implement(?:ing)? an?"
    r"|make a|making a|split(?:ting)?|replac(?:e|ed|ing)|new (?:file|folder|module|function|method"
    r"|class|type|interface|component|hook|helper|test|constant|option|property|field|name|script)"
    r"|a new|to be (?:created|added)|will be|planned|plan|to-?do|place ?holder|if you|such as an?"
    r"|anlegen|angelegt|erstell\w*|hinzufüg\w*|umbenenn\w*|könnte\w*|sollte\w*|würde\w*|neue[nrs]?"
    r"|créer|ajout\w*|renomm\w*|devrait|pourrait|nouveau|nouvelle|crear|añad\w*|renombr\w*|debería"
    r"|podría|nuev[oa])\b|создать|создайте|добав\w*|переимен\w*",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"\b(?:no longer|not exist|n'?t exist|not found|n'?t (?:find|see|have|contain|define|declare)"
    r"|not (?:find|see|have|contain|define|declare|defined|declared|present|in|part|there|anywhere"
    r"|available|implemented)|isn'?t|aren'?t|wasn'?t|there(?:'s| is| are| was| were) no(?:t|ne)?"
    r"|no such|nowhere|missing|misspel\w*|typo|lacks?|lacking|without an?|never (?:exists?"
    r"|declared)"
    r"|remov(?:e|ed|es|ing)|delet(?:e|ed|es|ing)|drop(?:ped)?|gone|used to|formerly|previously"
    r"|has no|have no|had no|was (?:called|named)|rather than|invented|made up|existiert nicht"
    r"|gibt es nicht|kein\w*|fehlt|n'existe pas|aucune?|no existe|ningun[oa]?)\b",
    re.IGNORECASE,
)
_NO_BEFORE = re.compile(r"\b(?:no|not|neither|nor|kein\w*|aucune?|ningun[oa]?)\W*$", re.IGNORECASE)
_FOREIGN = re.compile(
    r"\b(?:librar(?:y|ies)|packages?(?!\.json)|framework|built-?ins?|standard|third[- ]party"
    r"|external|upstream|npm|pnpm|yarn|pip|PyPI|browsers?|Node(?:\.?js)?|React|Vue|Svelte|Angular"
    r"|Next\.?[Jj][Ss]|Nuxt\w*|SvelteKit|Remix|Astro|Nest\.?[Jj][Ss]|Gatsby"
    r"|Django|Flask|FastAPI|pydantic|Express|Redux|RxJS|lodash|jQuery|numpy|pandas|pytest|jest"
    r"|vitest|mocha|webpack|vite|rollup|babel|eslint|prettier|docker|kubernetes|git|GitHub|Redis"
    r"|Postgres\w*|MySQL|MongoDB|SQL|HTTP|header|languages?|environment variable|env var"
    r"|JavaScript|TypeScript|ECMAScript|Python|Java|Rust|Go|DOM|CSS|HTML|POSIX|Linux|Windows|macOS"
    r"|like in|similar to|equivalent|analogous|convention|idiom|pattern|in general|typically"
    r"|usually|commonly|other projects|Bibliothek|bibliothèque|biblioteca|библиотек\w*)\b"
)
_ANY = re.compile(
    r"\b(?:put|save[ds]?|store[ds]?|places?|paste|copy|copied|name[ds]? (?:it|them)|call(?:ed)? it"
    r"|e\.g|examples?|for instance|like|such as|any|every|each|your|my|default|looks? for|run|runs"
    r"|generate[ds]?|outputs?|emit\w*|compile[ds]?|produce[ds]?|writes?|written|make|makes|expects?"
    r"|another|other|unrelated|beispiel\w*|exemple|ejemplo)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?=[\s)*_\"']|$)|\n")
_BLANK = re.compile(r"\n[ \t]*\n")
_TITLE = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*\W*$")
_NO_WORD = re.compile(r"\W*")
_ITEM = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s|\|)")


class _AnswerLine(NamedTuple):
    """A line: where it begins, and where its text does as an item of a list or row of a table.

    ``item`` is None in another line. ``is_made`` tells whether the line above the list speaks of
    what is to be made.
    """

    start: int
    item: int | None
    is_made: bool


class Surroundings:
    """The sentences of an answer. Each is searched once, whatever it names.

    Args:
        text: The answer; code is ignored, see `says`.
    """

    def __init__(self, text: str) -> None:
        self._text = re.sub(r"`[^`\n]*`", lambda span: " " * len(span[0]), text)
        blanks = [found.span() for found in _BLANK.finditer(text)]
        self._blanks = [begin for begin, _ in blanks], [end for _, end in blanks]
        self._ends = [found.end() for found in _SENTENCE_END.finditer(self._text)]
        self._known: dict[tuple[re.Pattern[str], int, int], bool] = {}

    def is_free(self, start: int, end: int) -> bool:
        """Whether what stands there is to be made, or said not to be there."""
        before = self._text[max(0, start - 24) : start]
        return (
            self._is_to_be_made(start)
            or self._says(_MAKING, start, end)
            or self._says(_DENYING, start, end)
            or _NO_BEFORE.search(before) is not None
        )

    def is_foreign(self, start: int, end: int) -> bool:
        """Whether the sentence speaks of a library, a language or the like."""
        return self._says(_FOREIGN, start, end)

    def is_any(self, start: int, end: int) -> bool:
        """Whether the sentence may speak of any file: an example, a rule, or what a tool makes."""
        return self._says(_ANY, start, end)

    def paragraph(self, at: int) -> tuple[int, int]:
        """The beginning and the end of the paragraph, list or table that a place is in."""
        begins, ends = self._blanks
        before, after = bisect_right(ends, at), bisect_left(begins, at)
        begin = ends[before - 1] if before else 0
        return begin, (begins[after] if after < len(begins) else len(self._text))

    def _says(self, words: re.Pattern[str], start: int, end: int) -> bool:
        """Whether the sentence around a name has one of some words."""
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, end)
        key = (words, first, last)
        if key not in self._known:
            begin = self._ends[first - 1] if first else 0
            finish = self._ends[last] if last < len(self._ends) else len(self._text)
            self._known[key] = words.search(self._text[begin:finish]) is not None
        return self._known[key]

    def _is_to_be_made(self, start: int) -> bool:
        """Whether the line above the list that what stands there belongs to says so."""
        line = self._lines[bisect_right(self._starts, start) - 1]
        return line.is_made and line.item is not None and line.item <= start

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self._lines]

    @cached_property
    def _lines(self) -> list[_AnswerLine]:
        found, start, is_made = list[_AnswerLine](), 0, False
        for line in self._text.split("\n"):
            item = _ITEM.match(line)
            if item is None and line.strip() and not line.startswith((" ", "\t")):
                is_made = _is_lead_in(line) and _MAKING.search(line) is not None
            found.append(_AnswerLine(start, None if item is None else start + item.end(), is_made))
            start += len(line) + 1
        return found


def _is_lead_in(line: str) -> bool:
    """Whether a line is about the list below it: a title, or one that ends with a colon."""
    tail = _NO_WORD.match(line[::-1])
    return _TITLE.match(line) is not None or (tail is not None and ":" in tail[0])
